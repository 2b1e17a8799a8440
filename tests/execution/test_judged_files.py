"""Files that a command may change as long as what they say is harmless."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sandgate.execution.judged_files import is_harmless
from sandgate.execution.post_run_checks import PostRunChecks
from sandgate.execution.quarantine import put_back
from sandgate.protocol.confinement import AttemptOutcome, ConfinedCommand
from sandgate.protocol.permissions import EffectivePermissions
from support.process.waiting import until_the_clock_of_files_moves

GOOD = b'[submodule "lib"]\n\tpath = lib\n\turl = ../lib\n'
BAD = b'[submodule "lib"]\n\tpath = lib\n\tupdate = !touch mark\n'
OUTCOME = AttemptOutcome(None)


class Stage:
    """A workspace whose list of submodules is judged."""

    def __init__(self, directory: Path) -> None:
        self.repo = directory / "repo"
        self.repo.mkdir()
        self.state = directory / "state"
        self.list = self.repo / ".gitmodules"
        self.permissions = EffectivePermissions(writable=(str(self.repo),), judged=(str(self.list),))

    def begin(self) -> PostRunChecks:
        until_the_clock_of_files_moves(self.repo)
        return PostRunChecks(ConfinedCommand("namespace", ("make",), str(self.repo), {}, self.permissions))

    def end(self, checks: PostRunChecks) -> AttemptOutcome:
        return checks.settled(
            OUTCOME, lambda path, content, why: put_back(path, content, why, state_directory=str(self.state))
        )


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


@pytest.mark.parametrize("before", [None, b"# ours\n"])
def test_what_is_harmless_stays(stage: Stage, before: bytes | None) -> None:
    if before is not None:
        stage.list.write_bytes(before)
    checks = stage.begin()
    stage.list.write_bytes((before or b"") + GOOD)
    assert stage.end(checks) is OUTCOME
    assert stage.list.read_bytes().endswith(GOOD)


def test_what_is_not_is_moved_away_and_told_as_refused(stage: Stage) -> None:
    checks = stage.begin()
    stage.list.write_bytes(BAD)
    outcome = stage.end(checks)
    assert not stage.list.exists()
    assert [(each.operation, each.path) for each in outcome.refused] == [("create", str(stage.list))]
    assert "submodule.lib.update" in outcome.remarks[0]
    (kept,) = stage.state.rglob(".gitmodules")
    assert kept.read_bytes() == BAD


def test_what_was_there_before_is_put_back(stage: Stage) -> None:
    stage.list.write_bytes(GOOD)
    checks = stage.begin()
    stage.list.write_bytes(BAD)
    outcome = stage.end(checks)
    assert stage.list.read_bytes() == GOOD
    assert [each.operation for each in outcome.refused] == ["write"]


def test_an_older_file_in_its_place_is_looked_at(stage: Stage) -> None:
    """Required: its time says that nothing was written since."""
    stage.list.write_bytes(GOOD)
    (stage.repo / "other").write_bytes(BAD)
    checks = stage.begin()
    os.rename(stage.repo / "other", stage.list)
    stage.end(checks)
    assert stage.list.read_bytes() == GOOD


@pytest.mark.parametrize("kind", ["link", "second name", "directory", "pipe"])
def test_nothing_but_a_file_of_one_name_stays(stage: Stage, kind: str) -> None:
    """Required: what it says could change afterwards, through the other name."""
    checks = stage.begin()
    other = stage.repo / "other"
    other.write_bytes(GOOD)
    match kind:
        case "link":
            stage.list.symlink_to(other)
        case "second name":
            stage.list.hardlink_to(other)
        case "directory":
            stage.list.mkdir()
        case _:
            os.mkfifo(stage.list)
    assert stage.end(checks).refused
    assert not os.path.lexists(stage.list)


def test_what_is_gone_obeys_nobody(stage: Stage) -> None:
    stage.list.write_bytes(GOOD)
    checks = stage.begin()
    stage.list.unlink()
    assert stage.end(checks) is OUTCOME


def test_an_untouched_list_is_not_read_again(stage: Stage) -> None:
    stage.list.write_bytes(BAD)
    assert stage.end(stage.begin()) is OUTCOME
    assert stage.list.read_bytes() == BAD


def test_a_local_repository_is_named_where_no_command_can_make_one(stage: Stage) -> None:
    for place, expected in ((stage.repo, False), (stage.repo.parent, True)):
        stage.list.write_text(f'[submodule "lib"]\n\tpath = lib\n\turl = {place}/lib\n')
        assert is_harmless(str(stage.list), stage.permissions) is expected


@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_what_a_neighbour_puts_there_first_is_not_read(stage: Stage, kind: str) -> None:
    """Required: what was there before is written back, where commands read it; a pipe would be waited for."""
    (stage.state.parent / "key").write_bytes(b"secret")
    if kind == "link":
        stage.list.symlink_to(stage.state.parent / "key")
    else:
        os.mkfifo(stage.list)
    checks = stage.begin()
    stage.list.unlink()
    stage.list.write_bytes(BAD)
    stage.end(checks)
    assert not stage.list.exists()
