"""What changes between a plan and the start of its command is noticed before the command begins."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sandgate.execution import head_start
from sandgate.execution.head_start import HeadStart
from sandgate.gate.escalation import PLANS_MAX
from sandgate.protocol.confinement import ConfinedCommand
from sandgate.protocol.trace import CommandBegan
from sandgate.runtime import Environment, open_runtime
from sandgate.sandbox import looking

pytestmark = pytest.mark.host("namespace")
SECRET = "the word of the person"
SEEN_MAX = 20  # commands until a session knows the place; three where nothing else changes it


class Place:
    """A home, a workspace, and somebody who changes them between a plan and its start."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.home, self.repo = folder / "home", folder / "repo"
        for path in (self.home / ".config/app", self.repo):
            path.mkdir(parents=True)
        self.began: list[CommandBegan] = []
        environ = {"PATH": "/usr/bin:/bin", "HOME": str(self.home), "XDG_STATE_HOME": str(folder / "state")}
        hear = lambda said: self.began.append(said) if isinstance(said, CommandBegan) else None  # noqa: E731
        self.runtime = open_runtime(Environment(str(self.repo), environ), record=hear)
        self.change: Callable[[], object] | None = None
        self.changes = 1
        self.owed: list[bool] = []
        real = HeadStart.start

        def start(self_: HeadStart, plan: ConfinedCommand, **rest: object) -> object:
            self.owed.append(self_.later.is_owed)
            if self.change is not None and self.changes:
                self.changes -= 1
                self.change()
            return real(self_, plan, **rest)  # type: ignore[arg-type] # passed on as they are

        monkeypatch.setattr(head_start.HeadStart, "start", start)
        for limit in ("UNSETTLED_NS", "UNSETTLED_WHOLE_SECONDS_NS"):  # nothing counts as just changed
            monkeypatch.setattr(looking, limit, -time.time_ns())

    def until_known(self, run: Callable[[], object]) -> int:
        """How often it ran until a plan left its look for later."""
        for times in range(1, SEEN_MAX + 1):
            run()
            if self.owed[-1]:
                return times
        raise AssertionError("no plan was concluded from the last one")

    def run(self, *argv: str) -> str:
        passage = self.runtime.run(self.runtime.request(argv))
        assert passage.result is not None
        return passage.result.aggregated.decode()


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    return Place(tmp_path, monkeypatch)


def test_a_secret_that_appears_behind_the_plan_stays_closed(place: Place) -> None:
    """Works unconfined; the command begins a second time, with the plan of what lies there now."""
    secret = place.home / ".netrc"
    place.until_known(lambda: place.run("cat", str(secret)))
    before = len(place.began)
    place.change = lambda: secret.write_text(SECRET)
    assert SECRET not in place.run("cat", str(secret))
    assert (len(place.began) - before, place.owed[-2:]) == (2, [True, False])
    assert SECRET in subprocess.run(["cat", secret], capture_output=True, text=True, check=True).stdout


def test_the_command_runs_once_where_the_plan_was_made_anew(place: Place) -> None:
    counter = ("sh", "-c", "echo x >> count")
    before = place.until_known(lambda: place.run(*counter))
    place.change = lambda: (place.home / ".config/other").mkdir()
    place.run(*counter)
    assert place.owed[-2:] == [True, False]
    assert (place.repo / "count").read_text().count("x") == before + 1


@pytest.mark.parametrize("tty", [False, True])
def test_a_live_command_begins_again_as_well(place: Place, tty: bool) -> None:
    secret = place.home / ".netrc"
    line = f"echo x >> count; cat {secret}; echo done"

    def said() -> str:
        answer = place.runtime.exec_command(line, tty=tty, login=False, yield_time_ms=30_000)
        assert answer.exit_code == 0
        return answer.output

    before = place.until_known(said)
    place.change = lambda: secret.write_text(SECRET)
    text = said()
    assert "done" in text
    assert SECRET not in text
    assert place.owed[-2:] == [True, False]
    assert (place.repo / "count").read_text().count("x") == before + 1


def test_a_change_to_git_stays_with_its_draft(place: Place) -> None:
    """The plan that was dropped had a draft of the git directory, too."""
    subprocess.run(["git", "init", "-q", place.repo], check=True)
    (place.repo / "file").write_text("x")
    place.until_known(lambda: place.run("git", "add", "file"))
    place.change = lambda: (place.home / ".config/other").mkdir()
    place.run("git", "-c", "user.name=x", "-c", "user.email=x@y", "commit", "-qm", "first")
    assert place.owed[-2:] == [True, False]
    log = subprocess.run(["git", "log", "--format=%s"], cwd=place.repo, capture_output=True, text=True, check=True)
    assert log.stdout == "first\n"


@pytest.mark.parametrize("name", [".envrc", ".nvim.lua"])
def test_what_is_protected_may_be_taken_away_at_any_time(place: Place, name: str) -> None:
    """Required: by the person, or another program; the first command of a session looks before it plans."""
    protected = place.repo / name
    protected.write_text("x")
    place.change = protected.unlink
    assert place.run("sh", "-c", "echo ran; echo x >> count") == "ran\n"
    assert ((place.repo / "count").read_text(), len(place.began)) == ("x\n", 2)
    assert place.run("sh", "-c", f"echo y > {name}; cat {name}") != "y\n"  # it stays a protected name


def test_several_may_be_taken_away_one_plan_after_the_other(place: Place) -> None:
    protected = [place.repo / ".envrc", place.repo / ".nvim.lua", place.repo / ".exrc"]
    for each in protected:
        each.write_text("x")
    place.change, place.changes = lambda: protected.pop().unlink(), PLANS_MAX - 1
    assert place.run("sh", "-c", "echo ran") == "ran\n"
    assert len(place.began) == PLANS_MAX
