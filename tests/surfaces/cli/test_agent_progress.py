"""What a person sees, and what nobody can make them see."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.protocol import events as told
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.decisions import Amendment, ApprovalRequest
from sandgate.protocol.events import Event
from sandgate.protocol.patches import FileChange
from sandgate.protocol.permissions import Grant
from sandgate.protocol.risk import RiskAssessment
from sandgate.protocol.usage import TokenInfo, TokenUsage
from sandgate.surfaces.cli.agent_progress import HELD_LINES_MAX, MESSAGE_LINES_MAX, AgentProgress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CONFIGURED = told.SessionConfigured("s1", "m", "/repo", "on-request", {}, "p")
COMPLETE = told.TaskComplete("t", 1, 1, "bye")
REQUEST = ApprovalRequest(
    "a1",
    "c1",
    "initial",
    CommandRequest(("rm", "-rf", "build"), "/repo", {}),
    "it deletes",
    risk=RiskAssessment("deletes a directory", "high"),
    why="policy on-request",
    amendment=Amendment(("rm", "-rf", "build")),
)
ASKED = told.ExecApprovalRequest("c1", "a1", "t", REQUEST)


def begin(call: str, *argv: str) -> told.ExecCommandBegin:
    return told.ExecCommandBegin(call, "t", argv, "/repo")


def end(call: str, output: str = "", code: int | None = 0, status: Any = "completed", **more: Any) -> Any:
    return told.ExecCommandEnd(call, "t", ("make",), "/repo", output, code, 1234, more.pop("text", ""), status, **more)


def seen(*messages: Any, colour: bool = False, asks: bool = False) -> str:
    progress = AgentProgress(colour=colour, asks_a_person=asks)
    return "".join(progress(Event("t", number, each)) for number, each in enumerate((CONFIGURED, *messages)))


def after_start(*messages: Any, **options: bool) -> list[str]:
    return seen(*messages, **options).splitlines()[1:]


def test_a_warning_of_many_lines_has_its_first_line_as_ours_and_the_rest_behind_the_mark() -> None:
    said = "apply_patch verification failed: no such lines in a:\nerror: [1] applied\nx"
    assert after_start(told.Warned(said)) == [
        "warning: apply_patch verification failed: no such lines in a:",
        "  | error: [1] applied",
        "  | x",
    ]


def test_a_command_that_ends_because_the_turn_is_over_does_not_look_like_a_crash() -> None:
    told_of = (begin("c1", "sleep", "60"), begin("c2", "false"), COMPLETE, end("c1", "", 137, "failed"))
    assert after_start(*told_of, end("c2", "", 1, "failed"))[-2:] == [
        "[1] ended with the turn, after 1.2 s",
        "[2] exit 1, 1.2 s",
    ]
    lines = after_start(begin("c1", "x"), COMPLETE, told.TaskStarted("t2", 1), end("c1", "", 137, "failed"))
    assert lines[-1] == "[1] exit 137, 1.2 s", "of another turn, it was killed by somebody else"


def test_a_story_is_short_lines() -> None:
    lines = after_start(
        told.AgentMessage("I will build it."),
        begin("c1", "/bin/bash", "-lc", "make -j2"),
        begin("c2", "ls"),
        end("c2"),
        end("c1", "a\n\nboom\n", 2, "failed"),
        told.PatchApplyBegin("c3", "t", True, (FileChange("update", "/repo/a"), FileChange("add", "/repo2/b"))),
        told.PatchApplyEnd("c3", "t", True, "", ""),
        told.StreamError("Reconnecting... 1/5", "it hung\nup"),
        told.AgentMessage("bye"),
        told.TokenCount(TokenInfo(TokenUsage(100, 40, 30, 10, 130), TokenUsage())),
        COMPLETE,
    )
    assert lines == [
        "  | I will build it.",
        "[1] $ make -j2",
        "[2] $ ls",
        "[2] exit 0, 1.2 s",
        "[1] exit 2, 1.2 s",
        "  | a",
        "  | boom",
        "[3] patch: M a, A /repo2/b",
        "[3] applied",
        "retry: Reconnecting... 1/5 (it hung\\nup)",
        "tokens: 90 new (100 in, 40 of them cached; 30 out)",
    ]


def test_the_last_message_is_left_to_stdout_unless_the_turn_was_ended() -> None:
    assert after_start(told.AgentMessage("bye"), COMPLETE) == []
    assert after_start(told.AgentMessage("half"), told.TurnAborted("t", "interrupted")) == [
        "  | half",
        "the turn was ended: interrupted",
    ]


def test_a_refusal_nobody_could_prevent_names_what_would_allow_it() -> None:
    """Required: whoever runs this without a terminal learns what to change."""
    assert after_start(ASKED, told.ApprovalResolved("a1", "c1", "denied", "none")) == [
        "question: $ rm -rf build (it deletes)",
        "  asked because: policy on-request",
        "  risk HIGH: deletes a directory",
        "  refused: nobody could be asked",
        "  it would be allowed by: sandgate rules add -- rm -rf build",
        "  it would be allowed by: --answer approve, or a terminal where you can be asked",
    ]


def test_a_question_after_a_denial_says_what_a_yes_gives() -> None:
    grants = (Grant("write_path", "/home/me/note"),)
    stopped = REQUEST.but(reason="command failed; retry without sandbox?", stage="retry", grants=grants)
    (line, *_) = after_start(told.ExecApprovalRequest("c1", "a1", "t", stopped))
    assert line == "question: $ rm -rf build (the sandbox stopped it; a yes gives write path /home/me/note)"


def test_an_answer_says_whose_it_is() -> None:
    lines = after_start(ASKED, told.ApprovalResolved("a1", "c1", "approved_for_session", "automated_reviewer"))
    assert lines[-1] == "  approved for session by automated reviewer"


def test_what_was_declined_without_a_question_says_why() -> None:
    assert after_start(end("c1", code=None, status="declined", text="a rule forbids it\nin rules/default.rules")) == [
        "[1] refused: make",
        "  | a rule forbids it",
        "  | in rules/default.rules",
    ]


def test_a_command_that_lives_on_says_so() -> None:
    on = told.ExecCommandContinues("c", "t", "7", "what the model read")
    typed, look = (told.TerminalInteraction("c", "t", "7", stdin) for stdin in ("y\x1b\n", ""))
    lines = after_start(begin("c", "serve"), on, typed, look, on, end("c"))
    assert lines[1:] == ["[1] runs on, as process 7", "[1] typed: y\\x1b\\n", "[1] exit 0, 1.2 s"]


def test_a_command_that_could_not_start_says_why() -> None:
    failed = end("c", code=-1, status="failed", error="no such directory")
    assert after_start(begin("c", "serve"), failed)[1:] == ["[1] failed", "  | no such directory"]


def test_other_things_that_happen_are_lines_too() -> None:
    assert after_start(
        told.PlanUpdate((told.PlanStep("one", "completed"), told.PlanStep("two", "in_progress"))),
        told.Warned("look"),
        told.Failed("no"),
        told.Failed("no key", "missing_key"),
        told.McpToolCallBegin("m", "t", "srv", "say"),
        told.McpToolCallEnd("m", "t", "srv", "say", 1, False, error="gone"),
        told.DelegateBegin("d", "x", "collab_spawn", "count\nthe files"),
        told.DelegateEnd("d", "x", "collab_spawn", "limit_reached"),
        told.PatchApplyEnd("p", "t", False, "", "no such file", status="failed"),
    ) == [
        "plan: [x] one",
        "plan: [>] two",
        "warning: look",
        "error: no",
        "error: no key",
        "  set it to your key, or choose another provider: `model_provider` in config.toml, or `-c`",
        "[1] tool srv.say",
        "[1] failed: gone",
        "sub-agent starts: count the files",
        "sub-agent: limit reached",
        "[2] failed, and nothing was changed",
        "  | no such file",
    ]


def test_nothing_comes_between_a_question_at_this_terminal_and_its_answer() -> None:
    """Required: whoever reads the question must not be shown other text while deciding."""
    progress = AgentProgress(colour=False, asks_a_person=True)
    said = [
        progress(Event("t", number, each))
        for number, each in enumerate((ASKED, begin("c2", "ls"), end("c2"), *[told.Warned("x")] * 3000))
    ]
    assert "".join(said) == ""
    answered = progress(Event("t", 9, told.ApprovalResolved("a1", "c1", "approved", "user"))).splitlines()
    assert answered[:2] == ["[1] $ ls  (in /repo)", "[1] exit 0, 1.2 s"]
    assert answered[HELD_LINES_MAX:] == ["(1002 more lines)", "  approved by user"]


def test_a_question_that_a_person_has_read_and_answered_is_not_told_again() -> None:
    def told_to(source: Any) -> list[str]:
        progress = AgentProgress(colour=False, asks_a_person=True)
        answer = told.ApprovalResolved("a1", "c1", "approved", source)
        return (progress(Event("t", 0, ASKED)) + progress(Event("t", 1, answer))).splitlines()

    assert told_to("user") == ["  approved by user"]
    by_another = told_to("auto_review")
    assert by_another[0].startswith("question: ")
    assert by_another[-1] == "  approved by auto review"


def test_a_call_of_a_server_that_was_refused_is_told_with_its_reason() -> None:
    """Required: nobody may believe that it was made."""
    end = told.McpToolCallEnd("c", "t", "s", "say", 0, False, error="nobody\nwas asked", declined=True)
    assert after_start(end) == ["[1] refused: s.say", "  | nobody", "  | was asked"]


def test_colour_is_never_the_only_sign() -> None:
    painted = seen(begin("c", "x"), end("c", "no", 1, "failed"), colour=True)
    assert "\033[31mexit 1\033[0m" in painted
    assert "\033" not in seen(begin("c", "x"), end("c", "no", 1, "failed"))


def test_a_long_message_is_cut() -> None:
    lines = after_start(told.AgentMessage("x\n" * 200), begin("c", "ls"))
    assert len(lines) == MESSAGE_LINES_MAX + 2
    assert lines[-2] == f"  | ({200 - MESSAGE_LINES_MAX} more lines)"


HOSTILE = st.text(alphabet=st.sampled_from("a\n\r\t\x1b[]0;m\x07\x9b\u202e\u2028\x85 $|"), max_size=40)
OURS = ("  | ", "[", "question: ", "  asked", "  risk", "  refused", "  it would", "warning: ", "error: ", "plan: ")


@given(HOSTILE)
@pytest.mark.parametrize("colour", [False, True])
def test_no_text_of_others_can_look_like_a_line_of_ours(colour: bool, text: str) -> None:
    """Required: each line begins with words of ours, and holds nothing that moves the cursor."""
    hostile = REQUEST.but(
        reason=text, why=text, command=CommandRequest((text, text), text, {}), risk=RiskAssessment(text, "low")
    )
    shown = seen(
        told.AgentMessage(text),
        begin("c", text),
        end("c", text, 1, "failed"),
        end("d", text, None, "declined", text=text),
        told.PatchApplyBegin("p", "t", True, (FileChange("add", text),)),
        told.PatchApplyEnd("p", "t", False, text, text),
        told.ExecApprovalRequest("c1", "a1", "t", hostile, {"id": text, "kind": text}),
        told.ApprovalResolved("a1", "c1", "denied", "none"),
        told.Warned(text),
        told.Failed(text),
        told.PlanUpdate((told.PlanStep(text, "pending"),)),
        colour=colour,
    )
    assert colour or "\033" not in shown
    plain = shown
    for code in ("\033[0m", "\033[1m", "\033[2m", "\033[31m", "\033[32m"):
        plain = plain.replace(code, "")
    assert plain.replace("\n", "").isprintable()
    for line in plain.splitlines()[1:]:
        assert line.startswith((*OURS, "question of a sub-agent"))
