"""Input for a live command outside the sandbox is seen before it is typed."""

from __future__ import annotations

import pytest

from sandgate.approvals.prompts.prompt import choices, is_high, prompt_lines
from sandgate.gate.input_review import may_ask
from sandgate.protocol.permissions import Granular
from sandgate.protocol.trace import ApprovalAnswered, ApprovalRequested, TerminalInput
from sandgate.testing import ReviewerDouble
from support.terminal.live_sessions import Workplace, shell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.decisions import ApprovalRequest, Decision
    from sandgate.protocol.permissions import ApprovalPolicy
    from sandgate.runtime import Runtime

pytestmark = pytest.mark.host("namespace", "notify")


def escalated(runtime: Runtime, colleague: ReviewerDouble) -> int:
    """A shell that was let out of the sandbox; what was asked for that is forgotten."""
    answer = runtime.exec_command(
        "exec bash --norc --noprofile -i",
        tty=True,
        login=False,
        sandbox_permissions="require_escalated",
    )
    assert answer.session_id is not None, answer
    assert runtime.list_live()[-1].backend == "none"
    colleague.asked.clear()
    return answer.session_id


def test_each_input_of_an_escalated_shell_is_asked_about(place: Workplace) -> None:
    colleague = ReviewerDouble(always="approve")
    runtime = place.session(reviewer=colleague, approval_policy="on-request")
    number = escalated(runtime, colleague)
    assert "two" in runtime.write_stdin(number, "echo one; echo two\r").output
    runtime.write_stdin(number, keys=("ctrl-c",))
    assert [asked.command.argv for asked in colleague.asked] == [
        ("write_stdin", str(number), "echo one; echo two\r"),
        ("write_stdin", str(number), "\x03"),
    ]
    assert {asked.reason for asked in colleague.asked} == {"input for a command that runs without the sandbox"}
    assert len(place.told(ApprovalRequested)) == len(place.told(ApprovalAnswered)) == 3


def test_the_question_says_which_command_it_is_who_reads_there_and_in_which_directory(place: Workplace) -> None:
    """Required: an approval of `rm -r *` is for the directory that was shown, not for where the shell was started."""
    elsewhere = place.repo / "else\u202ewhere"
    elsewhere.mkdir()
    colleague = ReviewerDouble(always="approve")
    runtime = place.session(reviewer=colleague, approval_policy="on-request")
    number = escalated(runtime, colleague)
    for text in (f"cd '{elsewhere}'\r", "cat\r", "text\r"):
        runtime.write_stdin(number, text)
    assert [asked.command.cwd for asked in colleague.asked] == [str(place.repo), str(elsewhere), str(elsewhere)]
    assert [asked.why.rpartition(" ")[2] for asked in colleague.asked] == ["`bash`", "`bash`", "`cat`"]
    assert all(f"--noprofile -i'`, started in {place.repo};" in asked.why for asked in colleague.asked)
    lines = prompt_lines(colleague.asked[-1], colour=False, columns=500)
    assert f"  in {place.repo}/else\\u202ewhere" in lines


def test_denied_input_is_not_typed_and_the_command_runs_on(place: Workplace) -> None:
    colleague = ReviewerDouble(always="approve")
    runtime = place.session(reviewer=colleague, approval_policy="on-request")
    number = escalated(runtime, colleague)
    colleague.always = "denied"
    assert runtime.write_stdin(number, "touch made\r").refused == "exec command rejected by user"
    colleague.always = "approved"
    runtime.write_stdin(number, "true\r")
    assert list(place.repo.iterdir()) == []
    assert [each.stdin for each in place.told(TerminalInput)] == ["true\r"]


def test_approval_for_the_session_covers_the_rest_of_that_command_only(place: Workplace) -> None:
    colleague = ReviewerDouble(always="approve")
    runtime = place.session(reviewer=colleague, approval_policy="on-request")
    first, second = escalated(runtime, colleague), escalated(runtime, colleague)
    colleague.always = "approved_for_session"
    for _ in range(3):
        runtime.write_stdin(first, "true\r")
    assert len(colleague.asked) == 1
    colleague.always = "denied"
    assert runtime.write_stdin(second, "true\r").refused
    assert len(colleague.asked) == 2


def test_a_look_is_not_asked_about(place: Workplace) -> None:
    colleague = ReviewerDouble(always="approve")
    runtime = place.session(reviewer=colleague, approval_policy="on-request",
                            environ={"SANDGATE_EXEC_MIN_EMPTY_YIELD_MS": "250"})  # fmt: skip
    runtime.write_stdin(escalated(runtime, colleague))
    assert colleague.asked == []


def test_input_of_a_confined_command_is_not_asked_about(place: Workplace) -> None:
    colleague = ReviewerDouble(always="denied")
    runtime = place.session(reviewer=colleague, approval_policy="on-request")
    assert "4" in runtime.write_stdin(shell(runtime), "echo $((2 + 2))\r").output
    assert colleague.asked == []


def test_configuration_can_have_all_inputs_asked_about(place: Workplace) -> None:
    colleague = ReviewerDouble(always="denied")
    runtime = place.session('terminals.review_input="always"', reviewer=colleague, approval_policy="on-request")
    assert runtime.write_stdin(shell(runtime), "touch made\r").refused
    assert ([asked.reason for asked in colleague.asked], list(place.repo.iterdir())) == (
        ["input for a live command"],
        [],
    )


def test_hidden_input_is_not_shown_to_whoever_is_asked(place: Workplace) -> None:
    colleague = ReviewerDouble(always="approve")
    runtime = place.session('terminals.review_input="always"', reviewer=colleague, approval_policy="on-request")
    begun = runtime.exec_command("bash -c 'read -rsp word: x; echo; echo ${#x}'", tty=True, login=False)
    assert begun.structured()["state"] == "waiting_for_secret"
    assert "6" in runtime.write_stdin(begun.session_id or 0, "s3cret\r").output
    assert len(colleague.asked) == 1
    assert "s3cret" not in repr(colleague.asked)
    assert (colleague.asked[0].risk, colleague.asked[0].reason) == (None, "input for a live command")


def test_hidden_input_outside_the_sandbox_takes_the_deliberate_answer(place: Workplace) -> None:
    """Required: the program decides that it is hidden, and that may be a shell which has turned echo off."""
    colleague = ReviewerDouble(always="approve")
    runtime = place.session(reviewer=colleague, approval_policy="on-request")
    begun = runtime.exec_command(
        "stty -echo; echo ready; exec sh", tty=True, login=False, sandbox_permissions="require_escalated"
    )
    number = begun.session_id or 0
    assert begun.structured()["state"] == "waiting_for_secret"
    colleague.asked.clear()
    colleague.always = "denied"
    assert runtime.write_stdin(number, "touch made\r").refused
    (asked,) = colleague.asked
    assert "touch" not in repr(asked)
    assert is_high(asked)
    shown = "\n".join(prompt_lines(asked, colour=False, columns=1_000))
    assert "Reason: input for a command that runs without the sandbox, and cannot be shown: the program" in shown
    assert "cannot be shown, because the program has turned echo off; it may be a command" in shown
    assert [each.key for each in choices(asked) if each.decision.startswith("approved")] == ["Y", "A"]
    assert list(place.repo.iterdir()) == []


def test_input_outside_the_sandbox_that_is_shown_is_not_of_high_risk(place: Workplace) -> None:
    colleague = ReviewerDouble(always="approve")
    runtime = place.session(reviewer=colleague, approval_policy="on-request")
    runtime.write_stdin(escalated(runtime, colleague), "true\r")
    assert [asked.risk for asked in colleague.asked] == [None]


def test_configuration_can_have_none_asked_about(place: Workplace) -> None:
    colleague = ReviewerDouble(always="approve")
    runtime = place.session('terminals.review_input="never"', reviewer=colleague, approval_policy="on-request")
    runtime.write_stdin(escalated(runtime, colleague), "true\r")
    assert colleague.asked == []


def test_nobody_there_means_no(place: Workplace) -> None:
    runtime = place.session('terminals.review_input="always"', approval_policy="never")
    assert runtime.write_stdin(shell(runtime), "touch made\r").refused
    assert list(place.repo.iterdir()) == []


def test_where_policy_confines_nothing_nobody_is_asked(place: Workplace) -> None:
    colleague = ReviewerDouble(always="denied")
    runtime = place.session(reviewer=colleague, backend="none", approval_policy="on-failure")
    runtime.write_stdin(shell(runtime), "touch made\r")
    assert ((place.repo / "made").exists(), colleague.asked) == (True, [])


def test_under_untrusted_input_of_a_vouched_for_program_is_asked_about_where_nothing_is_confined(
    place: Workplace,
) -> None:
    """Required: `dpkg -l` only reads, so nobody was asked; `!sh` typed into its pager ran anything."""
    colleague = ReviewerDouble(always="denied")
    runtime = place.session(reviewer=colleague, backend="none", approval_policy="untrusted")
    started = runtime.exec_command("cat", tty=True, login=False)
    assert started.session_id is not None, started
    assert colleague.asked == []
    assert runtime.write_stdin(started.session_id, "!touch made\r").refused == "exec command rejected by user"
    assert [asked.command.argv[2] for asked in colleague.asked] == ["!touch made\r"]


def test_reviewer_that_fails_has_not_approved(place: Workplace) -> None:
    class Absent(ReviewerDouble):
        def review(self, request: ApprovalRequest) -> Decision:
            raise RuntimeError(f"not at the desk for {request.request_id}")

    runtime = place.session(
        'terminals.review_input="always"', reviewer=Absent(always="approve"), approval_policy="on-request"
    )
    with pytest.raises(RuntimeError):
        runtime.write_stdin(shell(runtime), "touch made\r")
    assert list(place.repo.iterdir()) == []


@pytest.mark.parametrize(
    ("approval", "expected"),
    [
        ("untrusted", True),
        ("on-request", True),
        ("on-failure", True),
        ("never", False),
        (Granular(sandbox_approval=True, rules=True, mcp_elicitations=True), True),
        (Granular(sandbox_approval=False, rules=True, mcp_elicitations=True), False),
    ],
)
def test_policy_that_asks_about_leaving_the_sandbox_asks_about_input(approval: ApprovalPolicy, expected: bool) -> None:
    """Required for on-request: it is the only policy under which a model may wish to leave."""
    assert may_ask(approval) is expected
