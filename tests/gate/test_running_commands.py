"""A repository is begun in a session while nobody else of it runs, and whoever was planned before is planned anew."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest

from sandgate.gate.running_commands import RunningCommands
from sandgate.protocol.confinement import ConfinedCommand
from sandgate.protocol.permissions import EffectivePermissions
from support.process.waiting import until_the_clock_of_files_moves, wait_until
from support.terminal.live_sessions import NOT_ALL_OF_TMP, Workplace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

CONFINING = [
    pytest.param("namespace", marks=pytest.mark.host("namespace", "notify")),
    pytest.param("landlock", marks=pytest.mark.host("landlock", "notify")),
]
INIT = "git init -q"
SECOND_NS = 10**9


class Others:
    """The other sessions: `away` while none of them is there."""

    def __init__(self) -> None:
        self.away, self.kept_out = True, False

    def keep_out(self, directory: str) -> bool:
        assert directory == "/ws"
        self.kept_out = self.away
        return self.away

    def let_in(self) -> None:
        self.kept_out = False


@pytest.fixture
def others() -> Others:
    return Others()


def plan(permissions: EffectivePermissions) -> ConfinedCommand:
    return ConfinedCommand("namespace", ("true",), "/ws", {}, permissions)


PLAIN = plan(EffectivePermissions(absent=("/ws/.git",)))
BEGINS = plan(EffectivePermissions(begun="/ws/.git"))


def test_whoever_begins_is_alone_and_the_next_waits_for_the_end(others: Others) -> None:
    commands = RunningCommands(others)
    assert commands.may_begin("/ws/.git")
    assert not others.kept_out
    assert commands.enter(BEGINS)
    assert others.kept_out
    assert not commands.may_begin("/ws/.git")
    entered = threading.Event()
    next_one = threading.Thread(target=lambda: commands.enter(PLAIN) and entered.set())
    next_one.start()
    assert not entered.is_set()
    commands.leave(BEGINS)
    next_one.join(30)
    assert entered.is_set()
    assert not others.kept_out


@pytest.mark.parametrize("somebody", ["of this session", "of another"])
def test_beside_somebody_nobody_begins(others: Others, somebody: str) -> None:
    commands = RunningCommands(others)
    assert commands.may_begin("/ws/.git")
    if somebody == "of another":
        others.away = False
    else:
        assert commands.enter(PLAIN)
    assert not commands.enter(BEGINS)
    assert not commands.may_begin("/ws/.git")  # and its next plan does not try
    assert not others.kept_out
    assert commands.enter(PLAIN)


def test_what_was_planned_before_is_planned_anew(tmp_path: Path) -> None:
    git = str(tmp_path / ".git")

    class Nobody(Others):
        def keep_out(self, directory: str) -> bool:
            return directory == str(tmp_path)

    commands = RunningCommands(Nobody())
    begins, before = plan(EffectivePermissions(begun=git)), plan(EffectivePermissions(absent=(git,)))
    assert commands.enter(begins)
    os.mkdir(git)
    commands.leave(begins)
    assert not commands.enter(before)
    assert not commands.enter(begins)
    assert commands.enter(plan(EffectivePermissions(read_only=(git,))))
    os.rmdir(git)  # moved away, as it held orders
    assert commands.enter(before)


def test_when_commands_ran_is_known_once_they_are_over(others: Others) -> None:
    commands, before = RunningCommands(others), time.time_ns() - SECOND_NS
    assert commands.enter(PLAIN)
    during = time.time_ns()
    assert not commands.ran(during)
    commands.leave(PLAIN)
    assert commands.ran(during)
    assert not commands.ran(before)
    assert not commands.ran(time.time_ns() + 1)


def test_a_long_run_says_nothing_of_what_was_made_meanwhile(others: Others, monkeypatch: pytest.MonkeyPatch) -> None:
    commands = RunningCommands(others)
    monkeypatch.setattr("sandgate.gate.running_commands.LONG_NS", 0)
    assert commands.enter(PLAIN)
    during = time.time_ns()
    commands.leave(PLAIN)
    assert not commands.ran(during)


@pytest.fixture
def workplace(tmp_path: Path) -> Iterator[Workplace]:
    place = Workplace(tmp_path)
    yield place
    place.close()


@pytest.mark.parametrize("lives", [True, False])
@pytest.mark.parametrize("backend", CONFINING)
def test_what_commands_of_a_session_made_they_may_delete(workplace: Workplace, backend: str, *, lives: bool) -> None:
    """And nothing else without a question: a file that was there, or that came between two commands."""
    old, new, between = (workplace.repo / name for name in ("old", "new", "between"))
    old.write_text("x")
    with workplace.session(NOT_ALL_OF_TMP, backend=backend) as runtime:

        def run(line: str) -> None:
            if lives:
                runtime.exec_command(line, login=False)
            else:
                runtime.run(runtime.request(("bash", "-c", line)))

        run("echo x > new; echo y >> old")
        until_the_clock_of_files_moves(workplace.repo.parent)
        between.write_text("x")
        until_the_clock_of_files_moves(workplace.repo.parent)
        for name in ("old", "new", "between"):
            run(f"rm -f {name}")
    assert [path.exists() for path in (old, new, between)] == [True, False, True]


@pytest.mark.parametrize("lives", [True, False])
@pytest.mark.parametrize("backend", CONFINING)
def test_in_a_session_a_repository_is_begun_and_protected(workplace: Workplace, backend: str, *, lives: bool) -> None:
    with workplace.session(NOT_ALL_OF_TMP, backend=backend) as runtime:
        if lives:
            assert runtime.exec_command(INIT, login=False).exit_code == 0
        else:
            assert runtime.run(runtime.request(("git", "init", "-q"))).refusal is None
        assert (workplace.repo / ".git/HEAD").exists()
        runtime.exec_command("echo evil > .git/hooks/pre-commit", login=False)
        assert not (workplace.repo / ".git/hooks/pre-commit").exists()
    assert (workplace.repo / ".git/HEAD").exists()


@pytest.mark.host("namespace", "notify")
def test_in_a_session_a_first_commit_is_made_in_the_same_line(workplace: Workplace) -> None:
    with workplace.session(NOT_ALL_OF_TMP, backend="namespace") as runtime:
        author = "git config user.name x && git config user.email x"
        commit = "git commit -qm first --allow-empty && git log --format=%s"
        answer = runtime.exec_command(f"{INIT} && {author} && {commit}", login=False)
        assert (answer.exit_code, answer.output) == (0, "first\n")


@pytest.mark.parametrize("backend", CONFINING)
def test_beside_a_live_command_nothing_is_begun_and_after_it_it_is(workplace: Workplace, backend: str) -> None:
    """The attack: it writes a hook as soon as there is a repository."""
    attack = "until mkdir .git/hooks/x && echo evil > .git/hooks/pre-commit; do read -t 0.05; done 2>/dev/null"
    with workplace.session(NOT_ALL_OF_TMP, backend=backend) as runtime:
        live = runtime.exec_command(attack, login=False, tty=True)
        assert live.session_id is not None
        assert runtime.exec_command(INIT, login=False).exit_code != 0
        assert not (workplace.repo / ".git").exists()
        assert runtime.terminate(live.session_id)
        # Once nothing of it is left, which is a moment after its end.
        assert wait_until(lambda: runtime.exec_command(INIT, login=False).exit_code == 0)
    assert (workplace.repo / ".git/HEAD").exists()
    assert not (workplace.repo / ".git/hooks/pre-commit").exists()


@pytest.mark.host("namespace", "notify")
def test_a_session_lets_others_in_again(workplace: Workplace) -> None:
    """Required: another session of the project begins, and may write, while the first goes on."""
    with workplace.session(NOT_ALL_OF_TMP, backend="namespace") as runtime:
        assert runtime.exec_command(INIT, login=False).exit_code == 0
        with workplace.session(NOT_ALL_OF_TMP, backend="namespace") as another:
            assert another.exec_command("touch made", login=False).exit_code == 0
            (workplace.repo / "sub").mkdir()
            assert another.exec_command("cd sub && true", login=False).exit_code == 0
