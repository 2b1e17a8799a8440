"""The room for drafts: who has which, and what a crash leaves."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

import pytest

from sandgate.execution.drafts import DraftRoom, Drafts
from sandgate.execution.git_users import GitReaders
from sandgate.protocol.confinement import AttemptOutcome, ConfinedCommand
from sandgate.protocol.permissions import EffectivePermissions

MOVED_JUST_BEFORE = 50  # times; each finds a clock that is behind with a chance of one half and more


@pytest.fixture
def real(tmp_path: Path) -> Path:
    (tmp_path / "project/tmp").mkdir(parents=True)
    git = tmp_path / "repo/.git"
    git.mkdir(parents=True)
    git.chmod(0o2750)
    return git


@pytest.fixture
def room(tmp_path: Path) -> DraftRoom:
    return DraftRoom(lambda: str(tmp_path / "project/tmp"))


def is_alone(real: Path) -> bool:
    """Whether nobody has the lock that every command has on a git directory it knows."""
    held = os.open(real, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(held)
    return True


def plan(real: Path, *argv: str) -> ConfinedCommand:
    permissions = EffectivePermissions(read_only=(str(real),), drafts=(str(real),))
    return ConfinedCommand("namespace", argv or ("make",), str(real.parent), {}, permissions)


def test_a_command_that_only_reads_gets_none(room: DraftRoom, real: Path) -> None:
    """Required: it would cost, and git directories are as closed to it as ever. Others know of it all the same."""
    command = plan(real, "ls", "-l").but(reads_only=True)
    same, reader = room.taken(command)
    assert same is command
    assert isinstance(reader, GitReaders)
    assert not is_alone(real)
    reader.release()
    assert is_alone(real)


def test_who_finds_no_room_is_known_to_others(real: Path) -> None:
    """Required: it has no draft, and may have begun before a submodule came."""
    _, drafts = DraftRoom(lambda: "").taken(plan(real))
    assert isinstance(drafts, Drafts)
    assert drafts.each == []
    assert not is_alone(real)
    drafts.release()
    assert is_alone(real)


def test_two_at_once_have_different_ones_and_the_next_has_the_first_again(room: DraftRoom, real: Path) -> None:
    first, one = room.taken(plan(real))
    second, two = room.taken(plan(real))
    assert one is not None
    assert two is not None
    assert first.overlays[0].lower == second.overlays[0].lower == str(real)
    assert first.overlays[0].upper != second.overlays[0].upper
    assert os.stat(first.overlays[0].upper).st_mode == real.stat().st_mode
    one.release()
    assert room.taken(plan(real))[0].overlays is not second.overlays
    two.release()
    room.close()


def test_another_session_takes_none_that_is_in_use(room: DraftRoom, real: Path, tmp_path: Path) -> None:
    taken = room.taken(plan(real))[0].overlays
    other = DraftRoom(lambda: str(tmp_path / "project/tmp"))
    assert other.taken(plan(real))[0].overlays != taken
    other.close()
    room.close()


def test_what_a_crash_has_left_is_never_carried_over(real: Path, tmp_path: Path) -> None:
    def session() -> DraftRoom:
        return DraftRoom(lambda: str(tmp_path / "project/tmp"))

    first = session()
    upper = Path((taken := first.taken(plan(real)))[0].overlays[0].upper)
    (upper / "HEAD").write_text("left")
    assert isinstance(taken[1], Drafts)
    for draft in taken[1].each:
        os.close(draft.held)  # as at the end of a process
    taken[1].each.clear()
    again, drafts = session().taken(plan(real))
    assert again.overlays[0].upper == str(upper)
    assert drafts is not None
    assert drafts.settled(AttemptOutcome(None)) == AttemptOutcome(None)
    assert not (real / "HEAD").exists()


def test_what_changed_just_before_the_command_is_no_change_of_another_process(room: DraftRoom, real: Path) -> None:
    """Required: a commit was not kept where another git had moved the branch within the same tick of the kernel's
    clock, as files get finer times than that clock has.
    """
    ref = real / "refs/heads/main"
    ref.parent.mkdir(parents=True)
    for number in range(MOVED_JUST_BEFORE):
        before, after = (f"{2 * number + more:040x}\n" for more in (0, 1))
        ref.write_text(before)
        ref.stat()
        ref.write_text(before)  # times that somebody has read are finer from now on
        command, drafts = room.taken(plan(real))
        assert isinstance(drafts, Drafts)
        upper = Path(command.overlays[0].upper)
        (upper / "refs/heads").mkdir(parents=True)
        (upper / "refs/heads/main").write_text(after)
        outcome = drafts.settled(AttemptOutcome(None))
        assert (ref.read_text(), outcome.remarks) == (after, ())
    room.close()


def test_what_is_not_wanted_is_told_as_refused(room: DraftRoom, real: Path) -> None:
    ready, drafts = room.taken(plan(real))
    hooks = Path(ready.overlays[0].upper) / "hooks"
    hooks.mkdir()
    (hooks / "pre-commit").write_text("#!/bin/sh\n")
    assert drafts is not None
    outcome = drafts.settled(AttemptOutcome(None))
    assert [(each.operation, each.path) for each in outcome.refused] == [("create", f"{real}/hooks/pre-commit")]
    assert list(real.iterdir()) == []
    assert list(Path(ready.overlays[0].upper).iterdir()) == []


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ("[core]\n\thooksPath = hooks\n", "only a person may change `core.hookspath`"),
        ('[remote "up"]\n\turl = ../up.git\n', "only a person may change `remote.up.url`"),
        ("[user]\n\tname = a\\\n\tb\n", "it has a line that git would not write so"),
    ],
)
def test_settings_that_do_not_stay_are_named(room: DraftRoom, real: Path, settings: str, told: str) -> None:
    """Required: git itself said that it went well."""
    ready, drafts = room.taken(plan(real))
    (Path(ready.overlays[0].upper) / "config").write_text(settings)
    assert drafts is not None
    outcome = drafts.settled(AttemptOutcome(None))
    assert outcome.remarks == (f"what was set in `{real}/config` was not kept: {told}",)
    assert [(each.operation, each.path) for each in outcome.refused] == [("write", f"{real}/config")]


def test_a_command_that_shuts_us_out_loses_its_draft(room: DraftRoom, real: Path) -> None:
    ready, drafts = room.taken(plan(real))
    upper = Path(ready.overlays[0].upper)
    (upper / "refs").mkdir()
    (upper / "refs").chmod(0)
    upper.chmod(0)
    assert drafts is not None
    drafts.settled(AttemptOutcome(None))
    assert list(upper.iterdir()) == []


def test_where_the_kernel_takes_none_nothing_is_promised_any_more(room: DraftRoom, real: Path) -> None:
    drafts = room.taken(plan(real))[1]
    assert drafts is not None
    outcome = drafts.settled(AttemptOutcome(None, layers=("brief_overlay",)))
    assert outcome.remarks[0].startswith(f"what was done in `{real}` was not kept")
    assert isinstance(room.taken(plan(real))[1], GitReaders)


def test_where_there_is_no_place_of_our_own_git_stays_closed(real: Path) -> None:
    ready, drafts = DraftRoom(lambda: "").taken(plan(real))
    assert ready.overlays == ()
    assert isinstance(drafts, Drafts)
    assert drafts.each == []
