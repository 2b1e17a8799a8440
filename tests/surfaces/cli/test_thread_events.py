"""The stream of `sandgate agent --json`, event by event and as whole stories."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.protocol import events as told
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.decisions import ApprovalRequest
from sandgate.protocol.events import Event
from sandgate.protocol.patches import FileChange
from sandgate.protocol.risk import RiskAssessment
from sandgate.protocol.usage import TokenInfo, TokenUsage
from sandgate.surfaces.cli.thread_events import OPEN_ITEMS_MAX, ThreadEvents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Json = dict[str, Any]

ADDED = (FileChange("add", "/repo/a", "x\n"),)
REQUEST = ApprovalRequest(
    "a1",
    "c1",
    "initial",
    CommandRequest(("rm", "-rf", "my dir"), "/repo", {"KEY": "hunter2"}),
    "it deletes",
    risk=RiskAssessment("deletes", "high"),
)
CONFIGURED = told.SessionConfigured("s1", "m", "/repo", "never", {}, "p")
STARTED = told.TaskStarted("t", 1)
COMPLETE = told.TaskComplete("t", 2, 5, "bye")
NO_USE = {"input_tokens": 0, "cached_input_tokens": 0, "output_tokens": 0, "reasoning_output_tokens": 0}


LIVES_ON = told.ExecCommandContinues("c1", "t", "7", "what the model read")


def begin(call: str = "c1", *argv: str) -> told.ExecCommandBegin:
    return told.ExecCommandBegin(call, "t", argv or ("/bin/bash", "-c", "echo hi"), "/repo")


def end(
    call: str = "c1", output: str = "hi\n", code: int | None = 0, status: Any = "completed", process: str | None = None
) -> told.ExecCommandEnd:
    return told.ExecCommandEnd(call, "t", ("/bin/bash", "-c", "echo hi"), "/repo", output, code, 3, "", status, process)


def test_a_command_that_the_end_of_the_turn_cuts_off_is_one_item() -> None:
    stream = Stream()
    lines = stream(CONFIGURED, STARTED, begin("c1"), COMPLETE, end("c1", "", 137, "failed"), told.ShutdownComplete())
    assert [line["item"]["id"] for line in lines if line["type"] == "item.completed"] == ["item_0"]
    assert lines[-1]["type"] == "turn.completed"


class Stream:
    """Folds messages of one turn and remembers the lines."""

    def __init__(self) -> None:
        self.fold, self.lines, self.seq = ThreadEvents("s1"), [], 0  # type: ignore[var-annotated]

    def __call__(self, *messages: Any, turn: str = "t") -> list[Json]:
        lines: list[Json] = []
        for message in messages:
            lines += self.fold(Event(turn, self.seq, message))
            self.seq += 1
        self.lines += lines
        return lines


def story(*messages: Any) -> list[Json]:
    """The lines of a turn after its first two."""
    stream = Stream()
    stream(CONFIGURED, turn="")
    return stream(STARTED, *messages)[1:]


def test_a_command_that_fails_is_told_as_a_whole_story() -> None:
    """Required: the order observed of the lineage."""
    stream = Stream()
    stream(CONFIGURED, told.Warned("model metadata not found"), turn="")
    usage = TokenInfo(TokenUsage(100, 40, 30, 10, 130), TokenUsage(50, 20, 10, 0, 60))
    stream(STARTED, begin(), told.ExecCommandOutputDelta("c1", b"hi\n"), end(code=3, status="failed"))
    stream(told.AgentMessageDelta("fa"), told.AgentMessage("failed"), told.TokenCount(usage), COMPLETE)
    command = "/bin/bash -c 'echo hi'"
    running = {"id": "item_1", "type": "command_execution", "command": command}
    assert stream.lines == [
        {"type": "thread.started", "thread_id": "s1"},
        {"type": "item.completed", "item": {"id": "item_0", "type": "error", "message": "model metadata not found"}},
        {"type": "turn.started"},
        {
            "type": "item.started",
            "item": {**running, "aggregated_output": "", "exit_code": None, "status": "in_progress"},
        },
        {
            "type": "item.completed",
            "item": {**running, "aggregated_output": "hi\n", "exit_code": 3, "status": "failed"},
        },
        {"type": "item.completed", "item": {"id": "item_2", "type": "agent_message", "text": "failed"}},
        {
            "type": "turn.completed",
            "usage": {
                "input_tokens": 100,
                "cached_input_tokens": 40,
                "output_tokens": 30,
                "reasoning_output_tokens": 10,
            },
        },
    ]


def test_the_thread_is_named_first_whatever_comes_first() -> None:
    assert Stream()(told.Warned("x"))[0] == {"type": "thread.started", "thread_id": "s1"}


def test_a_failed_turn_has_an_error_and_one_end() -> None:
    lines = story(told.Failed("Missing environment variable: `KEY`."), told.TurnAborted("t", "interrupted"))
    message = "Missing environment variable: `KEY`."
    assert lines == [{"type": "error", "message": message}, {"type": "turn.failed", "error": {"message": message}}]


def test_a_part_that_cannot_start_is_an_error_and_no_failed_turn() -> None:
    stream = Stream()
    stream(CONFIGURED, told.Failed("server `x` did not start"), turn="")
    assert stream.lines[1:] == [{"type": "error", "message": "server `x` did not start"}]
    assert stream(STARTED, COMPLETE)[-1] == {"type": "turn.completed", "usage": NO_USE}


def test_a_broken_connection_that_is_tried_again_is_not_fatal() -> None:
    assert story(told.StreamError("Reconnecting... 1/5"), COMPLETE) == [
        {"type": "item.completed", "item": {"id": "item_0", "type": "error", "message": "Reconnecting... 1/5"}},
        {"type": "turn.completed", "usage": NO_USE},
    ]


def test_two_turns_each_have_their_end() -> None:
    stream = Stream()
    for turn in ("t", "u"):
        stream(told.TaskStarted(turn, 1), told.TaskComplete(turn, 1, 1), turn=turn)
    assert [line["type"] for line in stream.lines[1:]] == ["turn.started", "turn.completed"] * 2


def test_a_command_that_never_ran_is_told_once() -> None:
    (line,) = story(end(output="", code=None, status="declined"))
    assert (line["type"], line["item"]["status"], line["item"]["exit_code"]) == ("item.completed", "declined", None)


def test_a_command_that_lives_on_is_one_item_to_its_end() -> None:
    printed = told.ExecCommandOutputDelta("c1", b"ready")
    started, updated, completed = story(begin(), printed, LIVES_ON, end(output="ready\nbye"))
    assert {line["item"]["id"] for line in (started, updated, completed)} == {"item_0"}
    assert (updated["type"], updated["item"]["status"], updated["item"]["process_id"]) == (
        "item.updated",
        "in_progress",
        "7",
    )
    assert (completed["item"]["exit_code"], completed["item"]["aggregated_output"]) == (0, "ready\nbye")


def test_a_sub_agent_has_items_of_its_own_under_its_name() -> None:
    """Also where its calls, or its plan, are called as those of the session are."""
    stream = ThreadEvents("s1")
    child = {"id": "s2", "kind": "collab_spawn"}
    plan = told.PlanUpdate((told.PlanStep("look", "pending"),))
    lines: list[Json] = []
    for message, whose in (
        (begin(), None),
        (begin(), child),
        (plan, None),
        (plan, child),
        (end(), child),
        (end(), None),
    ):
        lines += stream(Event("t", 0, message, whose))
    items = [(line["type"], line["item"]["id"], line["item"].get("delegate")) for line in lines[1:]]
    assert items == [
        ("item.started", "item_0", None),
        ("item.started", "item_1", child),
        ("item.started", "item_2", None),
        ("item.started", "item_3", child),
        ("item.completed", "item_1", child),
        ("item.completed", "item_0", None),
    ]


def test_what_is_typed_into_a_command_is_an_item_that_names_it() -> None:
    _started, _updated, typed, later = story(
        begin(),
        LIVES_ON,
        told.TerminalInteraction("c1", "t", "7", "yes\n"),
        told.TerminalInteraction("old", "t", "8", ""),
    )
    item = {"type": "terminal_interaction", "process_id": "7", "stdin": "yes\n", "command_id": "item_0"}
    assert typed == {"type": "item.completed", "item": {"id": "item_1", **item}}
    assert "command_id" not in later["item"]


def test_a_command_that_could_not_start_says_why() -> None:
    _started, completed = story(begin(), end(output="", code=-1, status="failed").but(error="no such directory"))
    assert completed["item"]["error"] == {"message": "no such directory"}


def test_a_command_that_outlives_its_turn_is_told_as_running_and_no_more() -> None:
    stream = Stream()
    stream(STARTED, begin(), LIVES_ON, told.ExecCommandOutputDelta("c1", b"up, longer"))
    completed, turn = stream(COMPLETE)
    assert completed["item"]["aggregated_output"] == "up, longer"
    item = completed["item"]
    assert (item["status"], item["exit_code"], item["process_id"]) == ("in_progress", None, "7")
    assert turn["type"] == "turn.completed"
    assert stream(end(code=143, status="failed"), turn="u") == []


def test_long_output_is_cut_and_says_so() -> None:
    (_, completed) = story(begin(), end(output="x" * (2 << 20)))
    assert "bytes omitted" in completed["item"]["aggregated_output"]


def test_a_patch_is_one_item_with_its_files() -> None:
    moved = (FileChange("update", "/repo/u", unified_diff="@@", move_path="/repo/v"),)
    started, completed = story(
        told.PatchApplyBegin("c", "t", True, ADDED + moved), told.PatchApplyEnd("c", "t", True, "ok", "")
    )
    changes = [
        {"path": "/repo/a", "kind": "add"},
        {"path": "/repo/u", "kind": "update", "move_path": "/repo/v"},
    ]
    item = {"id": "item_0", "type": "file_change", "changes": changes}
    assert started["item"] == {**item, "status": "in_progress"}
    assert completed["item"] == {**item, "status": "completed"}


@pytest.mark.parametrize("status", ["failed", "declined"])
def test_a_patch_that_was_not_applied_failed_also_when_it_never_began(status: Any) -> None:
    (line,) = story(told.PatchApplyEnd("c", "t", False, "", "no", ADDED, status))
    assert (line["item"]["status"], line["item"]["changes"]) == ("failed", [{"path": "/repo/a", "kind": "add"}])


def test_a_tool_of_a_server_tells_its_result_or_its_error() -> None:
    started, done, failed = story(
        told.McpToolCallBegin("c", "t", "s", "say", {"a": 1}),
        told.McpToolCallEnd(
            "c", "t", "s", "say", 1, True, {"content": [{"type": "text"}], "structuredContent": {"b": 2}}
        ),
        told.McpToolCallEnd("d", "t", "s", "say", 1, False, error="gone"),
    )
    item = {"id": "item_0", "type": "mcp_tool_call", "server": "s", "tool": "say", "arguments": {"a": 1}}
    assert started["item"] == {**item, "status": "in_progress"}
    result = {"content": [{"type": "text"}], "structured_content": {"b": 2}}
    assert done["item"] == {**item, "status": "completed", "result": result}
    assert (failed["item"]["error"], failed["item"]["status"]) == ({"message": "gone"}, "failed")


def test_a_plan_starts_changes_and_is_over_with_its_turn() -> None:
    steps = [told.PlanStep("one", "in_progress"), told.PlanStep("two", "pending")]
    lines = story(
        told.PlanUpdate(tuple(steps)), told.PlanUpdate((steps[0].but(status="completed"), steps[1])), COMPLETE
    )
    assert [line["type"] for line in lines] == ["item.started", "item.updated", "item.completed", "turn.completed"]
    assert lines[0]["item"]["items"] == [{"text": "one", "completed": False}, {"text": "two", "completed": False}]
    assert lines[2]["item"] == {
        "id": "item_0",
        "type": "todo_list",
        "items": [{"text": "one", "completed": True}, {"text": "two", "completed": False}],
    }


def test_a_question_is_an_item_that_ends_with_its_answer() -> None:
    started, completed = story(
        told.ExecApprovalRequest("c1", "a1", "t", REQUEST), told.ApprovalResolved("a1", "c1", "denied", "none")
    )
    asked = {
        "id": "item_0",
        "type": "approval",
        "call_id": "c1",
        "kind": "exec",
        "command": "rm -rf 'my dir'",
        "reason": "it deletes",
        "risk": {
            "risk_level": "high",
            "description": "deletes",
            "source": "static",
            "reasons": [],
            "confidence": "high",
        },
    }
    assert started["item"] == {**asked, "decision": None, "source": None}
    assert completed["item"] == {**asked, "decision": "denied", "source": "none"}
    assert "hunter2" not in json.dumps([started, completed])


def test_a_question_about_a_patch_names_its_files() -> None:
    asked = told.ApplyPatchApprovalRequest("c", "a2", "t", REQUEST.but(changes=ADDED))
    (line,) = story(asked)
    assert (line["item"]["kind"], line["item"]["changes"]) == ("patch", [{"path": "/repo/a", "kind": "add"}])


def test_what_is_known_of_a_risk_is_an_item() -> None:
    lines = story(
        told.SandboxAssessment("a1", "c1", "success", RiskAssessment("d", "low")),
        told.SandboxAssessment("a1", "c1", "timeout"),
    )
    assert [line["item"]["type"] for line in lines] == ["sandbox_assessment"] * 2
    assert [line["item"].get("risk", {}).get("risk_level") for line in lines] == ["low", None]


def test_a_delegate_is_a_call_of_the_collaboration_tool() -> None:
    started, completed = story(
        told.DelegateBegin("c", "d1", "review", "look"), told.DelegateEnd("c", "d1", "review", "limit_reached", "half")
    )
    assert started["item"]["agents_states"] == {"d1": {"status": "running", "message": None}}
    assert completed["item"] == {
        "id": "item_0",
        "type": "collab_tool_call",
        "tool": "spawn_agent",
        "sender_thread_id": "s1",
        "receiver_thread_ids": ["d1"],
        "kind": "review",
        "prompt": "look",
        "agents_states": {"d1": {"status": "limit_reached", "message": "half"}},
        "status": "failed",
    }


def test_thoughts_searches_and_old_settings_are_told() -> None:
    lines = story(
        told.AgentReasoning("hm"),
        told.DeprecationNotice("`a` is deprecated", "use `b`"),
        told.WebSearchBegin("w"),
        told.WebSearchEnd("w", "sandbox"),
    )
    assert [line["item"] for line in lines] == [
        {"id": "item_0", "type": "reasoning", "text": "hm"},
        {"id": "item_1", "type": "error", "message": "`a` is deprecated: use `b`"},
        {"id": "item_2", "type": "web_search", "query": ""},
        {"id": "item_2", "type": "web_search", "query": "sandbox", "action": {"type": "search", "query": "sandbox"}},
    ]


OPENERS: list[Any] = [
    begin("c1"),
    told.PatchApplyBegin("c2", "t", True, ADDED),
    told.McpToolCallBegin("c3", "t", "s", "x"),
    told.WebSearchBegin("c4"),
    told.PlanUpdate((told.PlanStep("one", "pending"),)),
    told.DelegateBegin("c5", "d", "review", "p"),
    told.ExecApprovalRequest("c6", "a6", "t", REQUEST.but(request_id="a6")),
]


@pytest.mark.parametrize("reason", ["interrupted", "replaced", "review_ended", "budget_limited"])
def test_an_aborted_turn_ends_everything_it_started_before_it_ends(reason: Any) -> None:
    """Required: the lineage leaves a pending command without an end."""
    lines = story(*OPENERS, told.ExecCommandOutputDelta("c1", b"so far"), told.TurnAborted("t", reason))
    ended = [line["item"] for line in lines if line["type"] == "item.completed"]
    assert len(ended) == len(OPENERS)
    assert lines[-1]["type"] == "turn.failed"
    assert (ended[0]["status"], ended[0]["aggregated_output"]) == ("failed", "so far")
    assert (ended[-1]["decision"], ended[-1]["source"]) == ("abort", "none")


ANY: list[Any] = [
    *OPENERS,
    STARTED,
    end("c1"),
    end("c1", code=None, process="9"),
    told.PatchApplyEnd("c2", "t", True, "", ""),
    told.McpToolCallEnd("c3", "t", "s", "x", 1, True),
    told.WebSearchEnd("c4", "q"),
    told.DelegateEnd("c5", "d", "review", "completed"),
    told.ApprovalResolved("a6", "c6", "approved", "user"),
    told.ExecCommandOutputDelta("c1", b"\xff"),
    COMPLETE,
    told.TurnAborted("t", "interrupted"),
    told.Failed("no"),
]


@given(st.lists(st.sampled_from(ANY), max_size=30))
def test_every_started_item_gets_exactly_one_end_in_any_story(messages: list[Any]) -> None:
    """Required: whoever waits for an end gets it, and never two."""
    stream = Stream()
    stream(*messages, told.ShutdownComplete())
    started = [line["item"]["id"] for line in stream.lines if line["type"] == "item.started"]
    ended = [line["item"]["id"] for line in stream.lines if line["type"] == "item.completed"]
    assert len(set(started)) == len(started)
    assert len(set(ended)) == len(ended)
    assert set(started) <= set(ended)
    open_items: set[str] = set()
    for line in stream.lines:
        if line["type"] == "item.started":
            open_items.add(line["item"]["id"])
        elif line["type"] == "item.completed":
            open_items.discard(line["item"]["id"])
        elif line["type"] in ("turn.completed", "turn.failed"):
            assert open_items == set()


def test_more_open_calls_than_are_kept_are_told_at_their_end() -> None:
    stream = Stream()
    stream(*(begin(f"c{number}") for number in range(OPEN_ITEMS_MAX + 1)))
    (line,) = stream(end(f"c{OPEN_ITEMS_MAX}"))
    assert (line["type"], line["item"]["id"]) == ("item.completed", f"item_{OPEN_ITEMS_MAX}")


def test_lines_can_be_written_whatever_bytes_a_command_has() -> None:
    (line,) = story(begin("c", "cat", "\udcff\n"))
    json.dumps(line, ensure_ascii=False).encode("utf-8")
