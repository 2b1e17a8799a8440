"""A start that goes wrong: asked about while there is still somebody to ask, answered plainly later, and never kept."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

from sandgate.errors import DirectoryMissing, ProgramNotFound, RequestError
from sandgate.protocol.permissions import Grant
from sandgate.protocol.trace import CommandBegan, CommandEnded, TerminalBegan, TerminalEnded
from sandgate.testing import ReviewerDouble
from support.terminal.live_sessions import Workplace, run_to_end

pytestmark = pytest.mark.host("namespace", "notify")

# One number for all commands: who keeps it keeps everybody else from starting.
ONE_NUMBER = {
    "SANDGATE_EXEC_MIN_PROCESS_ID": "4711",
    "SANDGATE_EXEC_END_PROCESS_ID": "4712",
    "SANDGATE_EXEC_MAX_PROCESSES": "1",
    "SANDGATE_EXEC_WARN_PROCESSES": "1",
    "SANDGATE_EXEC_PROTECTED_RECENT": "0",
}


AFTER = 'sandbox.ask="after"'


def test_a_denial_at_once_is_asked_about_and_the_command_run_again(place: Workplace) -> None:
    """Idea 54, first half."""
    (place.outside / "file").touch()
    colleague = ReviewerDouble(always="approve")
    runtime = place.session(AFTER, reviewer=colleague, approval_policy="on-failure")
    answer = run_to_end(runtime, f"echo line >> {place.outside}/file && echo written")
    assert (answer.exit_code, answer.output, answer.denials) == (0, "written\n", ())
    assert [(asked.stage, asked.grants) for asked in colleague.asked] == [
        ("retry", (Grant("write_path", f"{place.outside}/file"),))
    ]
    assert (place.outside / "file").read_text() == "line\n"


def test_two_runs_of_one_call_are_told_as_one_command(place: Workplace) -> None:
    (place.outside / "file").touch()
    runtime = place.session(AFTER, reviewer=ReviewerDouble(always="approve"), approval_policy="on-failure")
    run_to_end(runtime, f"echo once; echo line >> {place.outside}/file")
    (began,), (end,) = place.told(TerminalBegan), place.told(TerminalEnded)
    assert (end.call_id, end.exit_code, end.output) == (began.call_id, 0, b"once\n")
    runs = [(each.call_id, each.attempt) for each in place.told(CommandBegan)]
    assert runs == [(began.call_id, 1), (began.call_id, 2)]


def test_a_denial_at_once_that_stays_denied_is_a_plain_answer(place: Workplace) -> None:
    """The model gets exit code and output, and what the sandbox refused."""
    runtime = place.session(reviewer=ReviewerDouble(always="denied"), approval_policy="on-failure")
    answer = run_to_end(runtime, f"echo before; touch {place.outside}/file")
    assert (answer.exit_code, answer.session_id, answer.output.splitlines()[0]) == (1, None, "before")
    assert [(each.operation, each.path) for each in answer.denials] == [("create", f"{place.outside}/file")]


@pytest.mark.parametrize("yield_time_ms", [250, 10_000], ids=["polled", "waited"])
def test_a_later_denial_is_a_plain_answer_and_nobody_is_asked(place: Workplace, yield_time_ms: int) -> None:
    """Idea 54, second half: whoever was handed the command might have typed into it."""
    colleague = ReviewerDouble(always="approve")
    runtime = place.session(AFTER, reviewer=colleague, approval_policy="on-failure")
    answer = runtime.exec_command(
        f"sleep 0.8; echo said; touch {place.outside}/file", yield_time_ms=yield_time_ms, login=False
    )
    if answer.session_id is not None:
        answer = runtime.write_stdin(answer.session_id)
    assert (answer.exit_code, answer.output.splitlines()[0]) == (1, "said")
    assert [(each.operation, each.path) for each in answer.denials] == [("create", f"{place.outside}/file")]
    assert colleague.asked == []
    assert [each.attempt.denial.verdict for each in place.told(CommandEnded)] == ["denied"]


def test_a_command_with_a_terminal_is_not_run_again(place: Workplace) -> None:
    """Somebody may have typed into it already."""
    colleague = ReviewerDouble(always="approve")
    runtime = place.session(AFTER, reviewer=colleague, approval_policy="on-failure")
    answer = run_to_end(runtime, f"touch {place.outside}/file", tty=True)
    assert (answer.exit_code, len(answer.denials), colleague.asked) == (1, 1, [])


def test_a_command_with_a_terminal_is_asked_about_while_it_runs(place: Workplace) -> None:
    """Nothing is typed twice, since nothing runs twice."""
    colleague = ReviewerDouble(always="approve")
    runtime = place.session(reviewer=colleague, approval_policy="on-failure")
    answer = run_to_end(runtime, f"echo run >> runs; touch {place.outside}/file", tty=True, yield_time_ms=30_000)
    assert (answer.exit_code, answer.denials) == (0, ())
    assert [each.stage for each in colleague.asked] == ["held"]
    assert (place.repo / "runs").read_text() == "run\n"


@pytest.mark.host("overlay")
@pytest.mark.skipif(shutil.which("git") is None, reason="a real repository")
def test_what_a_live_command_does_in_git_is_seen_when_it_ends(place: Workplace) -> None:
    """Our choice: its draft is carried over once, and what is not carried over is told with its last answer."""

    def here(line: str) -> str:
        environ = {"PATH": os.environ["PATH"], "HOME": str(place.home)}
        ran = subprocess.run(
            ["sh", "-c", line], cwd=place.repo, env=environ, capture_output=True, text=True, check=True
        )
        return ran.stdout

    here("git config --global user.name n; git config --global user.email e")
    here("git init -q; git commit -qm one --allow-empty")
    runtime = place.session()
    work = "git commit -qm two --allow-empty; echo x > .git/hooks/pre-commit; echo said; read go"
    answer = runtime.exec_command(work, login=False, tty=True, yield_time_ms=10_000)
    assert answer.session_id is not None
    assert "said" in answer.output
    assert here("git log --format=%s") == "one\n"
    last = runtime.write_stdin(answer.session_id, "\n")
    assert last.exit_code == 0
    assert here("git log --format=%s") == "two\none\n"
    assert [(each.operation, each.path) for each in last.denials] == [
        ("create", str(place.repo / ".git/hooks/pre-commit"))
    ]


def test_a_start_that_failed_gives_its_number_back(place: Workplace) -> None:
    """Ideas 44 and 49, and every other way not to start."""
    runtime = place.session("allow_login_shell=false", reviewer=ReviewerDouble(always="denied"), environ=ONE_NUMBER,
                            approval_policy="on-request")  # fmt: skip
    with pytest.raises(DirectoryMissing, match=r"no-such-place.*does not exist"):
        runtime.exec_command("true", workdir="no-such-place")
    with pytest.raises(ProgramNotFound):
        runtime.terminal(("no-such-program",))
    with pytest.raises(RequestError, match="login shell is disabled by config"):
        runtime.exec_command("true", login=True)
    assert (
        runtime.exec_command("true", sandbox_permissions="require_escalated", justification="why not").refused
        == "exec command rejected by user"
    )
    assert run_to_end(runtime, "exit 3").exit_code == 3
    assert runtime.exec_command("sleep 1000", yield_time_ms=250).session_id == 4711
    assert [each.session_id for each in runtime.list_live()] == [4711]


def test_a_start_that_failed_is_told_with_its_reason(place: Workplace) -> None:
    runtime = place.session()
    with pytest.raises(DirectoryMissing):
        runtime.exec_command("true", workdir="no-such-place")
    (end,) = place.told(TerminalEnded)
    assert (end.status, end.exit_code, end.output) == ("failed", -1, b"")
    assert "no-such-place" in end.message
