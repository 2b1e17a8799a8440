"""Searches by hypothesis go a quarter of the way, from another beginning with each of ten seeds."""

from collections.abc import Iterator

import hypothesis
import pytest
from hypothesis import strategies

from support.suite import sampling, searches


@pytest.fixture(autouse=True)
def _a_part() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.delenv(sampling.EXTENT, raising=False)
        patched.delenv(searches.LONG, raising=False)
        yield
    searches.settle()


def found() -> list[int]:
    """What a search tries in a run."""
    tried: list[int] = []
    searches.settle()

    @hypothesis.given(strategies.integers(0, 10**9))
    def search(number: int) -> None:
        tried.append(number)

    searches.begin([search, len])
    search()
    return tried


@pytest.mark.parametrize("seed", [11, 25])
def test_a_run_can_be_repeated_and_the_next_one_looks_elsewhere(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    monkeypatch.setenv(sampling.SEED, str(seed))
    first = found()
    monkeypatch.setenv(sampling.SEED, str(seed + sampling.PARTS))
    assert found() == first
    monkeypatch.setenv(sampling.SEED, str(seed + 1))
    assert len({*first} - {*found()}) > len(first) // 2
    assert len(first) == searches.EXAMPLES // searches.PART


def test_where_all_is_proved_it_goes_all_the_way_from_where_it_always_did(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(sampling.EXTENT, "full")
    every = found()
    monkeypatch.setenv(sampling.SEED, "3")
    assert found() == every
    assert len(every) == searches.EXAMPLES


def test_a_search_that_says_how_far_goes_a_part_of_that(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (searches.examples(300), searches.examples(2)) == (75, 1)
    monkeypatch.setenv(sampling.EXTENT, "full")
    assert searches.examples(300) == 300
