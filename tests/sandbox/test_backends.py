"""Finding a backend by its name."""

from __future__ import annotations

from typing import Literal

import pytest

from sandgate.errors import BackendUnavailable
from sandgate.sandbox.backends import backend_named


@pytest.mark.parametrize("name", ["namespace", "landlock", "none"])
def test_backends_are_found_by_name(name: Literal["namespace", "landlock", "none"]) -> None:
    assert backend_named(name).kind == name


def test_bubblewrap_is_refused_by_name() -> None:
    """Known gap: a plan for it could not be started."""
    with pytest.raises(BackendUnavailable, match="cannot confine with bubblewrap"):
        backend_named("bwrap")
