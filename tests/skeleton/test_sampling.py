"""Proofs by number: a run does a tenth, ten runs in a row do everything, and a run can be repeated."""

import pytest

import sampling


@pytest.fixture(autouse=True)
def _a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(sampling.EXTENT, raising=False)
    monkeypatch.setenv(sampling.SEED, "1234")


@pytest.mark.parametrize("count", [10, 17, 95, 1000])
def test_ten_runs_in_a_row_do_every_case_once(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    done: list[int] = []
    for number in range(70, 70 + sampling.PARTS):
        monkeypatch.setenv(sampling.SEED, str(number))
        part = sampling.share(range(count))
        assert len(part) in (count // sampling.PARTS, count // sampling.PARTS + 1)
        done += part
    assert sorted(done) == list(range(count))


def test_no_run_does_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Required: a proof of few cases is still one."""
    for number in range(sampling.PARTS):
        monkeypatch.setenv(sampling.SEED, str(number))
        assert sampling.share("abc")


def test_a_named_seed_repeats_a_run() -> None:
    assert sampling.share(range(500)) == sampling.share(range(500))
    assert sampling.seed() == 1234


def test_a_seed_that_nobody_named_is_the_same_for_children(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(sampling.SEED)
    assert sampling.seed() == sampling.seed() > 0
    assert f"{sampling.SEED}={sampling.seed()} repeats" in sampling.told()


def test_everything_is_done_when_that_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(sampling.EXTENT, "full")
    assert sampling.share(range(500)) == list(range(500))
    assert "all" in sampling.told()


def test_an_extent_that_there_is_not_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Required: a misspelt `full` would silently prove a tenth."""
    monkeypatch.setenv(sampling.EXTENT, "ful")
    with pytest.raises(ValueError, match="'ful'; there are part and full"):
        sampling.share([1])
