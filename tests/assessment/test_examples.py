"""The tables are held to their own examples, in a second."""

import pytest

from sandgate.assessment import examples
from sandgate.assessment.findings import LOW
from sandgate.assessment.knowledge import ENTRIES


def test_an_example_that_is_rated_otherwise_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    honest, lying = ENTRIES["shred"], ENTRIES["git stash drop"].but(level=LOW, examples=("git stash drop",))
    monkeypatch.setattr(examples, "ENTRIES", {"shred": honest, "git stash drop": lying})
    assert examples.contradicted() == ("git stash drop",)
