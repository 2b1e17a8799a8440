"""Every escape is tried as root (where the tests run as root) and as an ordinary user, or as one of them in turn."""

from collections.abc import Iterator

import pytest

from sandgate.errors import BackendUnavailable
from sandgate.kernel.build import helper_path
from support.escape.escape_stage import USERS, Stage, stage_as

SLOW_TOGETHER = [pytest.param(user, marks=pytest.mark.slow) for user in USERS]


@pytest.fixture(scope="session")
def helper() -> str | None:
    """The C helper, built once; None where it cannot be built (and then no test that needs it runs)."""
    try:
        return helper_path()
    except BackendUnavailable:
        return None


@pytest.fixture(params=SLOW_TOGETHER)
def stage(request: pytest.FixtureRequest, helper: str | None) -> Iterator[Stage]:
    """A fresh workspace with its surroundings, owned by the user under test."""
    with stage_as(request.param, request, helper) as made:
        yield made
