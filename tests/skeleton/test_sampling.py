"""Proofs by number: a run does a tenth, ten runs in a row do everything, and a run can be repeated."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.suite import sampling
from support.suite.source_tree import REPOSITORY


@pytest.fixture(autouse=True)
def _a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(sampling.EXTENT, raising=False)
    monkeypatch.delenv(sampling.USERS, raising=False)
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

USERS = ("root", "ordinary")

@pytest.fixture(params=USERS)
def stage(request):
    return request.param

def test_works(stage): ...
def test_fails(stage): ...
def test_of_nobody(): ...
"""


def tried(folder: Path, seed: int, **environ: str) -> list[str]:
    """What a run with this seed would do of two files of attacks."""
    for name in "ab":
        (folder / f"test_{name}.py").write_text(EXAMPLES)
    shutil.copy(REPOSITORY / "tests/escapes/conftest.py", folder)
    made = (
        "import pytest, sys; from support.escape import escape_stage; "
        "escape_stage.USERS = ('root', 'ordinary'); pytest.main(sys.argv[1:])"
    )
    path = f"{REPOSITORY / 'tests'}:{REPOSITORY / 'src'}"
    given = os.environ | {"PYTHONPATH": path, "PYTEST_ADDOPTS": "", sampling.SEED: str(seed), **environ}
    argv = [sys.executable, "-c", made, "-q", "--collect-only", "-p", "no:cacheprovider", "--rootdir", str(folder)]
    ended = subprocess.run(argv, cwd=folder, env=given, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return [line for line in ended.stdout.splitlines() if "::" in line]


def test_two_runs_in_a_row_try_every_attack_as_both_users_and_each_file_as_one(tmp_path: Path) -> None:
    every = tried(tmp_path, 7)
    first, second = (tried(tmp_path, seed, **{sampling.USERS: "turns"}) for seed in (7, 8))
    assert len(every) == 10
    assert sorted({*first, *second}) == sorted(every)
    assert {*first} & {*second} == {f"test_{name}.py::test_of_nobody" for name in "ab"}
    for part in (first, second):
        assert len({each[-5:] for each in part if each.startswith("test_a") and "[" in each}) == 1


def test_everybody_tries_everything_where_all_is_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(sampling.USERS, "turns")
    assert sampling.users_take_turns()
    monkeypatch.setenv(sampling.EXTENT, "full")
    assert not sampling.users_take_turns()


def test_a_choice_of_users_that_there_is_not_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(sampling.USERS, "turn")
    with pytest.raises(ValueError, match="'turn'; there are both and turns"):
        sampling.users_take_turns()
