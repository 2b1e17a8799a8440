"""What a session tells, as JSON: every event, its name, and nothing that should stay here."""

from __future__ import annotations

import json

import pytest

from sandgate.protocol import events as told
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.decisions import Amendment, ApprovalRequest
from sandgate.protocol.denials import Denial, DenialReport
from sandgate.protocol.events import Event
from sandgate.protocol.events_wire import NAMES, event_json, is_kept, message_json, review_json
from sandgate.protocol.items import FunctionCall, Message, OutputText, Reasoning, WebSearchCall
from sandgate.protocol.patches import FileChange
from sandgate.protocol.permissions import Grant
from sandgate.protocol.review import CodeLocation, ReviewFinding, ReviewOutput
from sandgate.protocol.risk import RiskAssessment
from sandgate.protocol.usage import RateLimit, RateLimits, TokenInfo, TokenUsage
from sandgate.record import Record
from support.suite.rows import every

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

COMMAND = CommandRequest(("rm", "-rf", "/etc/x"), "/repo", {"SECRET_KEY": "hunter2"}, justification="it is old")
RISK = RiskAssessment("deletes a directory", "high", ("data_deletion",), reasons=("outside the workspace",))
REQUEST = ApprovalRequest(
    "a1",
    "c1",
    "retry",
    COMMAND,
    "the sandbox stopped it",
    grants=(Grant("write_root", "/etc"),),
    denial=DenialReport("denied", (Denial("delete", "/etc/x"),)),
    risk=RISK,
    amendment=Amendment(("rm", "-rf")),
)
CHANGES = (
    FileChange("add", "/repo/n", "new\n"),
    FileChange("delete", "/repo/o", "old\n"),
    FileChange("update", "/repo/u", unified_diff="@@", move_path="/repo/v"),
)
REVIEW = ReviewOutput(
    (
        ReviewFinding("broken", "it is", 0.9, 1, CodeLocation("/repo/a.py", 3, 4)),
        ReviewFinding("odd", "perhaps", 0.2, None, CodeLocation("/repo/b.py", 1, 1)),
    ),
    "patch is incorrect",
    "two things",
    0.8,
)
CASES: list[tuple[Any, dict[str, Any]]] = [
    (
        told.SessionConfigured("s", "m", "/repo", "never", {"mode": "read-only"}, "openai", "low"),
        {
            "type": "session_configured",
            "session_id": "s",
            "model": "m",
            "cwd": "/repo",
            "approval_policy": "never",
            "sandbox_policy": {"mode": "read-only"},
            "model_provider_id": "openai",
            "reasoning_effort": "low",
        },
    ),
    (told.TaskStarted("t", 5), {"type": "task_started", "turn_id": "t", "started_at": 5}),
    (
        told.TaskComplete("t", 9, 4000, "done"),
        {
            "type": "task_complete",
            "turn_id": "t",
            "completed_at": 9,
            "duration_ms": 4000,
            "last_agent_message": "done",
        },
    ),
    (told.TurnAborted("t", "interrupted"), {"type": "turn_aborted", "turn_id": "t", "reason": "interrupted"}),
    (told.Failed("no", "model_error"), {"type": "error", "message": "no", "code": "model_error"}),
    (told.StreamError("again"), {"type": "stream_error", "message": "again"}),
    (
        told.StreamError("again", "lost"),
        {"type": "stream_error", "message": "again", "additional_details": "lost"},
    ),
    (told.Warned("look"), {"type": "warning", "message": "look"}),
    (told.DeprecationNotice("old"), {"type": "deprecation_notice", "summary": "old"}),
    (
        told.TokenCount(
            TokenInfo(TokenUsage(1, 2, 3, 4, 5), TokenUsage(), 100), RateLimits(RateLimit(5.5, resets_at=7))
        ),
        {
            "type": "token_count",
            "info": {
                "total_token_usage": TokenUsage(1, 2, 3, 4, 5).fields(),
                "last_token_usage": TokenUsage().fields(),
                "model_context_window": 100,
            },
            "rate_limits": {"primary": {"used_percent": 5.5, "resets_at": 7}},
        },
    ),
    (told.TokenCount(), {"type": "token_count"}),
    (told.UserMessage("hi"), {"type": "user_message", "message": "hi"}),
    (told.UserMessage("hi", ("data:x",)), {"type": "user_message", "message": "hi", "images": ["data:x"]}),
    (
        told.ItemCompleted("t", Message("assistant", (OutputText("yes"),)), "i"),
        {
            "type": "item_completed",
            "turn_id": "t",
            "item": {"type": "AgentMessage", "id": "i", "content": [{"type": "output_text", "text": "yes"}]},
        },
    ),
    (
        told.ItemStarted("t", Reasoning(("sum",), ("raw",), "sealed"), "i"),
        {
            "type": "item_started",
            "turn_id": "t",
            "item": {"type": "Reasoning", "id": "i", "summary_text": ["sum"], "raw_content": ["raw"]},
        },
    ),
    (
        told.ItemStarted("t", WebSearchCall({"query": "x"}), "i"),
        {
            "type": "item_started",
            "turn_id": "t",
            "item": {"type": "WebSearch", "id": "i", "action": {"query": "x"}},
        },
    ),
    (
        told.ExecCommandBegin("c", "t", ("ls",), "/repo", ({"type": "list_files", "cmd": "ls"},)),
        {
            "type": "exec_command_begin",
            "call_id": "c",
            "turn_id": "t",
            "command": ["ls"],
            "cwd": "/repo",
            "parsed_cmd": [{"type": "list_files", "cmd": "ls"}],
            "is_user_shell_command": False,
        },
    ),
    (
        told.ExecCommandEnd("c", "t", ("ls",), "/repo", "out", 0, 1250, "for the model", "completed"),
        {
            "type": "exec_command_end",
            "call_id": "c",
            "turn_id": "t",
            "command": ["ls"],
            "cwd": "/repo",
            "aggregated_output": "out",
            "stdout": "out",
            "stderr": "",
            "exit_code": 0,
            "duration": {"secs": 1, "nanos": 250_000_000},
            "formatted_output": "for the model",
            "status": "completed",
        },
    ),
    (
        told.ExecCommandContinues("c", "t", "7", "for the model"),
        {
            "type": "exec_command_continues",
            "call_id": "c",
            "turn_id": "t",
            "process_id": "7",
            "formatted_output": "for the model",
            "status": "in_progress",
        },
    ),
    (
        told.TerminalInteraction("c", "t", "7", "y\n"),
        {"type": "terminal_interaction", "call_id": "c", "turn_id": "t", "process_id": "7", "stdin": "y\n"},
    ),
    (
        told.AutomaticReview("c:retry", "a1", "c", "t", "denied", {"type": "command"}, "high", "", "It deletes."),
        {
            "type": "guardian_assessment",
            "id": "c:retry",
            "target_item_id": "a1",
            "call_id": "c",
            "turn_id": "t",
            "status": "denied",
            "decision_source": "agent",
            "action": {"type": "command"},
            "risk_level": "high",
            "rationale": "It deletes.",
        },
    ),
    (
        told.PatchApplyBegin("c", "t", True, CHANGES),
        {
            "type": "patch_apply_begin",
            "call_id": "c",
            "turn_id": "t",
            "auto_approved": True,
            "changes": {
                "/repo/n": {"type": "add", "content": "new\n"},
                "/repo/o": {"type": "delete", "content": "old\n"},
                "/repo/u": {"type": "update", "unified_diff": "@@", "move_path": "/repo/v"},
            },
        },
    ),
    (
        told.McpToolCallEnd("c", "t", "s", "say", 10, True, {"content": []}, arguments={"a": 1}),
        {
            "type": "mcp_tool_call_end",
            "call_id": "c",
            "turn_id": "t",
            "invocation": {"server": "s", "tool": "say", "arguments": {"a": 1}},
            "duration": {"secs": 0, "nanos": 10_000_000},
            "result": {"Ok": {"content": []}},
        },
    ),
    (
        told.PlanUpdate((told.PlanStep("one", "pending"),)),
        {"type": "plan_update", "plan": [{"step": "one", "status": "pending"}]},
    ),
    (
        told.SandboxAssessment("a", "c", "timeout"),
        {"type": "sandbox_assessment", "approval_id": "a", "call_id": "c", "status": "timeout"},
    ),
    (told.ExitedReviewMode(), {"type": "exited_review_mode"}),
    (told.ExitedReviewMode(REVIEW), {"type": "exited_review_mode", "review_output": review_json(REVIEW)}),
    (
        told.RawResponseItem(FunctionCall("f", "{}", "c", "fc_1")),
        {
            "type": "raw_response_item",
            "item": {"type": "function_call", "id": "fc_1", "name": "f", "arguments": "{}", "call_id": "c"},
        },
    ),
    (told.AgentMessage("yes"), {"type": "agent_message", "message": "yes"}),
    (told.AgentMessageDelta("y"), {"type": "agent_message_delta", "delta": "y"}),
    (told.AgentReasoning("hm"), {"type": "agent_reasoning", "text": "hm"}),
    (told.AgentReasoningDelta("h"), {"type": "agent_reasoning_delta", "delta": "h"}),
    (told.AgentReasoningSectionBreak(), {"type": "agent_reasoning_section_break"}),
    (told.BackgroundEvent("still here"), {"type": "background_event", "message": "still here"}),
    (
        told.ExecCommandOutputDelta("c", bytes((1, 2, 3, 4, 5)), "stderr"),
        {"type": "exec_command_output_delta", "call_id": "c", "stream": "stderr", "chunk": "AQIDBAU="},
    ),
    (
        told.ApprovalResolved("a", "c", "denied", "user"),
        {"type": "approval_resolved", "approval_id": "a", "call_id": "c", "decision": "denied", "source": "user"},
    ),
    (
        told.PatchApplyEnd("c", "t", False, "", "no", CHANGES[:1], "declined"),
        {
            "type": "patch_apply_end",
            "call_id": "c",
            "turn_id": "t",
            "success": False,
            "stdout": "",
            "stderr": "no",
            "changes": {"/repo/n": {"type": "add", "content": "new\n"}},
            "status": "declined",
        },
    ),
    (told.TurnDiff("+x"), {"type": "turn_diff", "unified_diff": "+x"}),
    (
        told.ListCustomPromptsResponse((told.CustomPrompt("tidy", "/p/tidy.md", "Tidy $1.", argument_hint="FILE"),)),
        {
            "type": "list_custom_prompts_response",
            "custom_prompts": [
                {
                    "name": "tidy",
                    "path": "/p/tidy.md",
                    "content": "Tidy $1.",
                    "description": None,
                    "argument_hint": "FILE",
                }
            ],
        },
    ),
    (
        told.HistoryEntryResponse(2, 7, told.HistoryEntry("s", 1, "hi")),
        {
            "type": "get_history_entry_response",
            "offset": 2,
            "log_id": 7,
            "entry": {"session_id": "s", "ts": 1, "text": "hi"},
        },
    ),
    (
        told.McpListToolsResponse({"mcp__s__say": {"name": "say"}}),
        {"type": "mcp_list_tools_response", "tools": {"mcp__s__say": {"name": "say"}}},
    ),
    (
        told.McpToolCallBegin("c", "t", "s", "say"),
        {"type": "mcp_tool_call_begin", "call_id": "c", "turn_id": "t", "invocation": {"server": "s", "tool": "say"}},
    ),
    (told.WebSearchBegin("w"), {"type": "web_search_begin", "call_id": "w"}),
    (told.WebSearchEnd("w", "q"), {"type": "web_search_end", "call_id": "w", "query": "q"}),
    (told.ViewImageToolCall("c", "/p.png"), {"type": "view_image_tool_call", "call_id": "c", "path": "/p.png"}),
    (
        told.DelegateBegin("c", "d", "review", "look"),
        {"type": "delegate_begin", "call_id": "c", "delegate_id": "d", "kind": "review", "prompt": "look"},
    ),
    (
        told.DelegateEnd("c", "d", "review", "failed"),
        {"type": "delegate_end", "call_id": "c", "delegate_id": "d", "kind": "review", "status": "failed"},
    ),
    (
        told.EnteredReviewMode("look", "changes"),
        {"type": "entered_review_mode", "prompt": "look", "user_facing_hint": "changes"},
    ),
    (told.ContextCompacted(), {"type": "context_compacted"}),
    (told.UndoStarted(), {"type": "undo_started"}),
    (told.UndoCompleted(False, "no"), {"type": "undo_completed", "success": False, "message": "no"}),
    (told.ShutdownComplete(), {"type": "shutdown_complete"}),
]


@every("message, written", CASES)
def test_an_event_is_written_as_the_wire_has_it(message: Any, written: dict[str, Any]) -> None:
    """Required: names and fields that clients know, and absent optional fields left out."""
    assert message_json(message) == written
    assert event_json(Event("t", 7, message)) == {"id": "t", "seq": 7, "msg": written}


def test_what_happened_to_a_sub_agent_has_its_name_beside_it() -> None:
    whose = {"id": "s2", "kind": "review"}
    written = event_json(told.Event("t", 3, told.Warned("x"), whose))
    assert written == {"id": "t", "seq": 3, "msg": {"type": "warning", "message": "x"}, "delegate": whose}
    assert "delegate" not in event_json(told.Event("t", 3, told.Warned("x")))


def test_streams_that_are_known_apart_are_told_apart() -> None:
    ended = told.ExecCommandEnd("c", "t", ("ls",), "/", "ab", 0, 1, "", "completed", stdout="a", stderr="b")
    written = message_json(ended)
    assert (written["stdout"], written["stderr"], written["aggregated_output"]) == ("a", "b", "ab")


def test_every_event_is_shown_here_and_is_the_same_when_it_was_sent() -> None:
    """Required: no event of the table is written in a way that nobody has looked at."""
    questions = {told.ExecApprovalRequest, told.ApplyPatchApprovalRequest}  # which have tests of their own
    assert {type(message) for message, _ in CASES} | questions == set(NAMES)
    for message, written in CASES:
        assert json.loads(json.dumps(event_json(Event("t", 0, message)))) == {"id": "t", "seq": 0, "msg": written}


PARTS = (told.PlanStep, told.CustomPrompt, told.HistoryEntry)  # of events


def test_every_event_has_a_name_of_its_own() -> None:
    """Required: `events.py` and this table name the same events."""
    records = {
        each
        for each in vars(told).values()
        if isinstance(each, type) and issubclass(each, Record) and each not in (Record, Event, *PARTS)
    }
    assert set(NAMES) == records
    assert len(set(NAMES.values())) == len(NAMES)


@pytest.mark.parametrize(
    ("chunk", "written"),
    [
        (b"\x01", "AQ=="),
        (b"\x01\x02", "AQI="),
        (b"\x01\x02\x03\x04\x05", "AQIDBAU="),
        (b"", ""),
        (b"\xff" * 60, "/" * 80),
    ],
)
def test_output_is_base64_on_one_line(chunk: bytes, written: str) -> None:
    assert message_json(told.ExecCommandOutputDelta("c", chunk))["chunk"] == written


def test_a_question_shows_what_is_asked_and_why_and_no_variable() -> None:
    """Required: risk is part of every question, the environment of none."""
    shown = message_json(told.ExecApprovalRequest("c1", "a1", "t", REQUEST, {"id": "d", "kind": "review"}))
    assert shown == {
        "type": "exec_approval_request",
        "call_id": "c1",
        "approval_id": "a1",
        "turn_id": "t",
        "stage": "retry",
        "command": ["rm", "-rf", "/etc/x"],
        "cwd": "/repo",
        "reason": "the sandbox stopped it",
        "risk": {
            "risk_level": "high",
            "risk_categories": ["data_deletion"],
            "description": "deletes a directory",
            "source": "static",
            "reasons": ["outside the workspace"],
            "confidence": "high",
        },
        "grants": [{"kind": "write_root", "value": "/etc"}],
        "may_escalate": False,
        "denials": [shown["denials"][0]],
        "proposed_execpolicy_amendment": ["rm", "-rf"],
        "justification": "it is old",
        "available_decisions": [
            "approved",
            "approved_for_session",
            {"approved_execpolicy_amendment": {"proposed_execpolicy_amendment": ["rm", "-rf"]}},
            "denied",
            "abort",
        ],
        "parsed_cmd": [],
        "delegate": {"id": "d", "kind": "review"},
    }
    assert "hunter2" not in json.dumps(shown)


def test_a_question_about_a_patch_shows_its_changes() -> None:
    shown = message_json(told.ApplyPatchApprovalRequest("c1", "a1", "t", REQUEST.but(changes=CHANGES)))
    assert sorted(shown["changes"]) == ["/repo/n", "/repo/o", "/repo/u"]
    assert (shown["reason"], shown["risk"]["risk_level"]) == ("the sandbox stopped it", "high")
    assert "command" not in shown


@pytest.mark.parametrize(
    ("end", "result"),
    [
        (told.McpToolCallEnd("c", "t", "s", "x", 1, False, error="no server"), {"Err": "no server"}),
        (told.McpToolCallEnd("c", "t", "s", "x", 1, False), {"Err": "the tool failed"}),
        (told.McpToolCallEnd("c", "t", "s", "x", 1, False, {"isError": True}), {"Ok": {"isError": True}}),
        (told.McpToolCallEnd("c", "t", "s", "x", 1, True), {"Ok": None}),
    ],
)
def test_a_tool_that_answered_is_told_from_one_that_could_not(end: told.McpToolCallEnd, result: object) -> None:
    assert message_json(end)["result"] == result


def test_a_review_keeps_its_places_and_leaves_out_what_was_not_said() -> None:
    first, second = review_json(REVIEW)["findings"]
    assert first["code_location"] == {"absolute_file_path": "/repo/a.py", "line_range": {"start": 3, "end": 4}}
    assert (first["priority"], "priority" in second) == (1, False)


def test_bytes_that_are_no_text_are_visible_escapes() -> None:
    """Required: strict JSON parsers refuse half a surrogate pair."""
    begun = told.ExecCommandBegin("c", "t", ("cat", "a\udcff"), "/re\udcffpo")
    shown = message_json(begun)
    assert (shown["command"], shown["cwd"]) == (["cat", "a\\udcff"], "/re\\udcffpo")
    json.dumps(shown, ensure_ascii=False).encode("utf-8")


def test_the_thread_is_named_where_items_are_told() -> None:
    begun = told.ItemStarted("t", Message("user", ()), "i")
    assert event_json(Event("t", 0, begun), "s1")["msg"]["thread_id"] == "s1"
    assert "thread_id" not in event_json(Event("t", 0, told.Warned("x")), "s1")["msg"]


def _empty(kind: type) -> Any:
    return object.__new__(kind)


def test_a_transcript_keeps_what_was_said_and_how_turns_ended() -> None:
    """Required: the base set and what later versions added to it."""
    assert {name for kind, name in NAMES.items() if is_kept(_empty(kind))} == {
        "user_message",
        "agent_message",
        "agent_reasoning",
        "token_count",
        "entered_review_mode",
        "exited_review_mode",
        "undo_completed",
        "turn_aborted",
        "error",
        "task_started",
        "task_complete",
        "context_compacted",
    }
