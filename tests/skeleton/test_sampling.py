"""Proofs by number: a run does a tenth, ten runs in a row do everything, and a run can be repeated."""

import os
import subprocess
import sys

import pytest

from support.suite import sampling, turns
from support.suite.source_tree import REPOSITORY


@pytest.fixture(autouse=True)
def _a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(sampling.EXTENT, raising=False)
    monkeypatch.delenv(sampling.STAGES, raising=False)
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


EXAMPLES = """
import pytest

@pytest.fixture(params=("root", "ordinary"))
def stage(request):
    return request.param

BACKENDS = pytest.mark.parametrize("backend", ["namespace", "landlock"])

def test_works(stage): ...
@BACKENDS
def test_fails(stage, backend): ...
@pytest.mark.parametrize("backend", ["landlock"])
def test_fails_in_one(stage, backend): ...
@BACKENDS
def test_for_whoever_is_here(backend): ...
@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_serves(transport, mode): ...
@pytest.mark.parametrize("mode", ["all", "draft"])
def test_of_another_mode(mode): ...
def test_of_nobody(): ...
"""


CONFTEST = """
import os
from pathlib import Path
from support.suite import sampling, turns

def pytest_collection_modifyitems(items):
    print("ALL", *(item.nodeid for item in items))
    os.environ[sampling.STAGES] = "turns"
    for seed in range(7, 11):
        os.environ[sampling.SEED] = str(seed)
        gone = turns.left_out(items, Path(__file__).parent)
        print("PART", *(item.nodeid for item in items if item not in gone))
"""


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[list[str]]:
    """All tests of three files, and what each of four runs in a row does of them."""
    folder = tmp_path_factory.mktemp("tests")
    (folder / "conftest.py").write_text(CONFTEST)
    for name in ("escapes/test_a.py", "escapes/test_b.py", "tools/test_c.py"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(EXAMPLES)
    path = f"{REPOSITORY / 'tests'}:{REPOSITORY / 'src'}"
    given = os.environ | {"PYTHONPATH": path, "PYTEST_ADDOPTS": ""}
    argv = [sys.executable, "-m", "pytest", "-s", "-q", "--collect-only", "-p", "no:cacheprovider", "--rootdir=."]
    ended = subprocess.run(argv, cwd=folder, env=given, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return [line.split()[1:] for line in ended.stdout.splitlines() if line.startswith(("ALL ", "PART "))]


def attacks(run: list[str]) -> list[str]:
    return sorted(each for each in run if each.startswith("escapes/"))


def names(run: list[str]) -> list[str]:
    return [each.partition("[")[0] for each in run]


def test_four_runs_in_a_row_try_every_attack_in_every_way(runs: list[list[str]]) -> None:
    every, *parts = runs
    assert (len(attacks(every)), len(parts)) == (34, 4)
    assert sorted({each for part in parts for each in attacks(part)}) == attacks(every)


def test_each_run_tries_every_attack_once_and_those_of_a_file_as_one_user(runs: list[list[str]]) -> None:
    every, *parts = runs
    always = {each for each in attacks(every) if "another_mode" in each}  # its modes are none that take turns
    once = {*names(attacks(every))} - {*names([*always])}
    for part in parts:
        assert always <= {*part}
        assert names([each for each in attacks(part) if each not in always]) == sorted(once)
        users = {user for user in ("root", "ordinary") for each in part if "test_a" in each and user in each}
        assert len(users) == 1


def test_what_is_no_attack_is_tried_in_every_way(runs: list[list[str]]) -> None:
    every, *parts = runs
    for part in parts:
        assert [each for each in part if "test_c" in each] == [each for each in every if "test_c" in each]


def test_everything_is_tried_where_all_is_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(sampling.STAGES, "turns")
    assert sampling.take_turns()
    monkeypatch.setenv(sampling.EXTENT, "full")
    assert not sampling.take_turns()


def test_programs_of_a_journey_are_started_by_each_fourth_seed_and_wherever_all_is_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def born(test: str, stages: str = "turns") -> list[bool]:
        monkeypatch.setenv(turns.CURRENT, f"{test}::test_one (call)")
        monkeypatch.setenv(sampling.STAGES, stages)
        found = []
        for seed in range(40, 44):
            monkeypatch.setenv(sampling.SEED, str(seed))
            found.append(turns.is_born())
        return found

    assert sorted(born("tests/journeys/test_a.py")) == [False, True, True, True]
    assert born("tests/journeys/test_a.py") != born("tests/journeys/test_b.py")
    assert not any(born("tests/journeys/test_a.py", "all") + born("tests/docs/test_a.py"))


def test_a_choice_of_stages_that_there_is_not_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(sampling.STAGES, "turn")
    with pytest.raises(ValueError, match="'turn'; there are all and turns"):
        sampling.take_turns()
