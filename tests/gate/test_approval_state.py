"""What an answer was about is what runs, or nothing does."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sandgate.approvals import holding
from sandgate.gate.approval_state import AT_START, ApprovalState, Moved, check_place, seeing
from sandgate.protocol.bindings import Bound
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.confinement import EXCHANGED, AttemptOutcome, ConfinedCommand, ExecFailure
from sandgate.protocol.decisions import Amendment
from sandgate.protocol.permissions import EffectivePermissions
from support.process.waiting import none_left_open, open_descriptors


@pytest.fixture
def command(tmp_path: Path) -> CommandRequest:
    (tmp_path / "x.sh").write_text("echo one")
    return CommandRequest(("sh", "x.sh"), str(tmp_path), {"PATH": "/usr/bin:/bin"})


def plan_of(command: CommandRequest) -> ConfinedCommand:
    return ConfinedCommand("none", command.argv, command.cwd, command.env, EffectivePermissions())


def test_what_nobody_was_asked_about_is_not_looked_at(command: CommandRequest) -> None:
    state = ApprovalState(command, ties=True)
    assert state.binding is None
    assert state.tied(plan_of(command)).bound is None


def test_what_somebody_was_asked_about_ties_the_plan_until_it_changes(command: CommandRequest) -> None:
    state = ApprovalState(command, ties=True)
    state.take(())
    tied = state.tied(plan_of(command)).bound
    assert tied is not None
    assert [path for path, _identity in tied.files] == [f"{command.cwd}/x.sh"]
    Path(command.cwd, "x.sh").write_text("echo two")
    with pytest.raises(Moved, match=r"x\.sh"):
        state.tied(plan_of(command))
    state.take(())
    assert state.tied(plan_of(command)).bound is not None, "asked again, it is about what is there now"
    state.let_go()


def test_what_is_no_command_is_tied_to_nothing(command: CommandRequest) -> None:
    state = ApprovalState(command, ties=False)
    state.take(())
    assert state.binding is None


def test_letting_go_closes_everything(command: CommandRequest) -> None:
    before = open_descriptors()
    state = ApprovalState(command, ties=True)
    state.take(())
    state.take(())
    state.let_go()
    state.let_go()
    assert none_left_open(before)


def test_only_a_tied_plan_was_exchanged_at_its_start(command: CommandRequest) -> None:
    stale = AttemptOutcome(None, failure=ExecFailure("program", EXCHANGED))
    check_place(plan_of(command), stale)
    with pytest.raises(Moved, match=AT_START):
        check_place(plan_of(command).but(bound=Bound()), stale)


def test_one_look_is_enough(command: CommandRequest) -> None:
    seen = seeing(command)
    first = seen()
    Path(command.cwd, "x.sh").write_text("echo two")
    assert seen() is first


def test_a_rule_outside_the_sandbox_is_tied_to_what_the_files_hold(command: CommandRequest) -> None:
    state = ApprovalState(command, ties=True)
    leaving, keeping = Amendment(("sh", "x.sh"), "bypass"), Amendment(("sh", "x.sh"))
    assert state.tied_rule(leaving, confined=True) == leaving, "nothing is executed that could change"
    state.take(())
    tied = state.tied_rule(leaving, confined=True)
    assert tied is not None
    assert [each.partition(" ")[2] for each in tied.same_content] == [os.path.realpath(f"{command.cwd}/x.sh")]
    assert state.tied_rule(keeping, confined=True) == keeping
    assert state.tied_rule(keeping, confined=False) != keeping
    state.let_go()


def test_what_is_too_large_to_be_said_makes_no_such_rule(
    command: CommandRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(holding, "FILE_BYTES_MAX", 1)
    state = ApprovalState(command, ties=True)
    state.take(())
    assert state.tied_rule(Amendment(("sh", "x.sh"), "bypass"), confined=True) is None
    state.let_go()


PLAIN = """
import os, sys
from sandgate.protocol.environment import Environment
from sandgate.runtime.opening import open_runtime

environment = Environment(cwd=sys.argv[1], environ=os.environ, overrides=tuple(sys.argv[2:]))
with open_runtime(environment) as runtime:
    assert runtime.run(runtime.request(["true"])).result.exit_code == 0
print([name for name in sys.modules if name in ("hashlib", "sandgate.approvals.holding", "sandgate.kernel.expected")])
"""


def test_a_command_that_nobody_is_asked_about_loads_nothing_of_this(tmp_path: Path) -> None:
    settings = ("approval_policy=never", "sandbox_mode=danger-full-access")
    done = subprocess.run(
        [sys.executable, "-c", PLAIN, str(tmp_path), *settings],
        env={**os.environ, "HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.stdout, done.returncode) == ("[]\n", 0), done.stderr
