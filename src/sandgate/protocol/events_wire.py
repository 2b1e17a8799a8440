"""Events of a session as JSON.

One table says what each event is called on the wire. Most events are written field by field, what is absent left out;
those whose form differs from our values have a function here. Nothing of a command but its words and its directory is
written: its environment stays where it is.
"""

from __future__ import annotations

from binascii import b2a_base64

from sandgate.protocol import events as told
from sandgate.protocol.items import Message, Reasoning, WebSearchCall
from sandgate.protocol.items_wire import kept_json, part_json
from sandgate.protocol.wire import (
    available_decisions,
    change_json,
    denial_json,
    grants_json,
    plain,
    risk_json,
    sendable,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from sandgate.protocol.decisions import ApprovalRequest
    from sandgate.protocol.events import Event, EventMessage
    from sandgate.protocol.items import Item
    from sandgate.protocol.patches import FileChange
    from sandgate.protocol.review import ReviewOutput
    from sandgate.protocol.trace import AutoReview
    from sandgate.protocol.usage import RateLimits, TokenInfo

    Json = dict[str, Any]

NAMES: dict[type, str] = {
    told.SessionConfigured: "session_configured",
    told.TaskStarted: "task_started",
    told.TaskComplete: "task_complete",
    told.TurnAborted: "turn_aborted",
    told.Failed: "error",
    told.StreamError: "stream_error",
    told.Warned: "warning",
    told.BackgroundEvent: "background_event",
    told.DeprecationNotice: "deprecation_notice",
    told.TokenCount: "token_count",
    told.UserMessage: "user_message",
    told.AgentMessage: "agent_message",
    told.AgentMessageDelta: "agent_message_delta",
    told.AgentReasoning: "agent_reasoning",
    told.AgentReasoningDelta: "agent_reasoning_delta",
    told.AgentReasoningSectionBreak: "agent_reasoning_section_break",
    told.ItemStarted: "item_started",
    told.ItemCompleted: "item_completed",
    told.ExecCommandBegin: "exec_command_begin",
    told.ExecCommandOutputDelta: "exec_command_output_delta",
    told.ExecCommandContinues: "exec_command_continues",
    told.TerminalInteraction: "terminal_interaction",
    told.ExecCommandEnd: "exec_command_end",
    told.ExecApprovalRequest: "exec_approval_request",
    told.ApplyPatchApprovalRequest: "apply_patch_approval_request",
    told.ApprovalResolved: "approval_resolved",
    told.SandboxAssessment: "sandbox_assessment",
    told.AutomaticReview: "guardian_assessment",
    told.PatchApplyBegin: "patch_apply_begin",
    told.PatchApplyEnd: "patch_apply_end",
    told.TurnDiff: "turn_diff",
    told.HistoryEntryResponse: "get_history_entry_response",
    told.ListCustomPromptsResponse: "list_custom_prompts_response",
    told.McpListToolsResponse: "mcp_list_tools_response",
    told.McpToolCallBegin: "mcp_tool_call_begin",
    told.McpToolCallEnd: "mcp_tool_call_end",
    told.WebSearchBegin: "web_search_begin",
    told.WebSearchEnd: "web_search_end",
    told.ViewImageToolCall: "view_image_tool_call",
    told.PlanUpdate: "plan_update",
    told.DelegateBegin: "delegate_begin",
    told.DelegateEnd: "delegate_end",
    told.EnteredReviewMode: "entered_review_mode",
    told.ExitedReviewMode: "exited_review_mode",
    told.ContextCompacted: "context_compacted",
    told.UndoStarted: "undo_started",
    told.UndoCompleted: "undo_completed",
    told.RawResponseItem: "raw_response_item",
    told.ShutdownComplete: "shutdown_complete",
}
KEPT = (
    told.UserMessage,
    told.AgentMessage,
    told.AgentReasoning,
    told.TokenCount,
    told.EnteredReviewMode,
    told.ExitedReviewMode,
    told.UndoCompleted,
    told.TurnAborted,
    told.Failed,
    told.TaskStarted,
    told.TaskComplete,
    told.ContextCompacted,
)


def is_kept(message: EventMessage) -> bool:
    """Whether a transcript holds this event; the rest can be told from the items."""
    return isinstance(message, KEPT)


def event_json(event: Event, thread_id: str = "") -> Json:
    """`{"id", "seq", "msg": {"type", …}}`, ready for any encoder. `thread_id` goes into events about items.

    What happened to a sub-agent has `delegate`, with its id and kind, beside them.
    """
    told_of = {"id": event.id, "seq": event.seq, "msg": message_json(event.msg, thread_id)}
    return told_of | _given(delegate=event.delegate)


def message_json(message: EventMessage, thread_id: str = "") -> Json:
    """The `msg` alone, as a transcript keeps it."""
    written = {"type": NAMES[type(message)], **_FIELDS.get(type(message), _as_they_are)(message)}
    if thread_id and isinstance(message, told.ItemStarted | told.ItemCompleted):
        written["thread_id"] = thread_id
    found: Json = sendable(written)
    return found


def duration_json(duration_ms: int) -> Json:
    """Milliseconds as the lineage writes a duration."""
    seconds, rest = divmod(max(duration_ms, 0), 1000)
    return {"secs": seconds, "nanos": rest * 1_000_000}


def approval_json(request: ApprovalRequest) -> Json:
    """What every surface shows of a question about a command."""
    shown: Json = {
        "call_id": request.call_id,
        "approval_id": request.request_id,
        "stage": request.stage,
        "command": list(request.command.argv),
        "cwd": request.command.cwd,
        **_reasons(request),
    }
    if request.amendment is not None and not request.amendment.places:
        shown["proposed_execpolicy_amendment"] = list(request.amendment.prefix)
    if request.command.justification:
        shown["justification"] = request.command.justification
    return shown


def automatic_review(record: AutoReview, turn_id: str) -> told.AutomaticReview:
    """What a gate tells of a review, as an event of that turn."""
    return told.AutomaticReview(
        record.review_id,
        record.request_id,
        record.call_id,
        turn_id,
        record.status,
        record.action,
        record.risk_level,
        record.user_authorization,
        record.rationale,
        record.usage,
    )


def review_json(review: ReviewOutput) -> Json:
    """A review's result, in the form its model is asked for."""
    return {
        "findings": [
            {
                "title": finding.title,
                "body": finding.body,
                "confidence_score": finding.confidence_score,
                **({} if finding.priority is None else {"priority": finding.priority}),
                "code_location": {
                    "absolute_file_path": finding.code_location.absolute_file_path,
                    "line_range": {"start": finding.code_location.start, "end": finding.code_location.end},
                },
            }
            for finding in review.findings
        ],
        "overall_correctness": review.overall_correctness,
        "overall_explanation": review.overall_explanation,
        "overall_confidence_score": review.overall_confidence_score,
    }


def usage_json(info: TokenInfo) -> Json:
    """The gauge of a session."""
    gauge = {"total_token_usage": info.total.fields(), "last_token_usage": info.last.fields()}
    return gauge | _given(model_context_window=info.window)


def _given(**optional: object) -> Json:
    return {name: plain(value) for name, value in optional.items() if value is not None}


def _as_they_are(message: Any) -> Json:
    return _given(**message.fields())


def _reasons(request: ApprovalRequest) -> Json:
    """Why it is asked, what a yes gives, and what may be answered."""
    why: Json = {"grants": grants_json(request.grants), "may_escalate": request.may_escalate}
    if request.reason:
        why["reason"] = request.reason
    if request.why:
        why["why"] = request.why
    if request.risk is not None:
        why["risk"] = risk_json(request.risk)
    if request.denial is not None:
        why["denials"] = [denial_json(denial) for denial in request.denial.denials]
    return {**why, "available_decisions": available_decisions(request)}


def _exec_approval(message: told.ExecApprovalRequest) -> Json:
    named = {"call_id": message.call_id, "approval_id": message.approval_id, "turn_id": message.turn_id}
    shown = {**approval_json(message.request), **named, "parsed_cmd": plain(message.parsed_cmd)}
    return shown | _given(delegate=message.delegate)


def _patch_approval(message: told.ApplyPatchApprovalRequest) -> Json:
    shown: Json = {"call_id": message.call_id, "approval_id": message.approval_id, "turn_id": message.turn_id}
    shown |= {"changes": _changes(message.request.changes), **_reasons(message.request)}
    return shown | _given(delegate=message.delegate)


def _assessment(message: told.SandboxAssessment) -> Json:
    shown = _given(**message.but(risk=None).fields())
    if not message.prompt_version:
        del shown["prompt_version"]
    return shown if message.risk is None else {**shown, "risk": risk_json(message.risk)}


def review_event_json(message: told.AutomaticReview) -> Json:
    """An automatic review; what is not known is left out."""
    shown = {**message.fields(), "decision_source": "agent", "action": plain(message.action)}
    known = ("risk_level", "user_authorization", "rationale", "token_usage", "total_token_usage")
    return {name: plain(value) for name, value in shown.items() if value or name not in known}


def _token_count(message: told.TokenCount) -> Json:
    shown: Json = {} if message.info is None else {"info": usage_json(message.info)}
    return shown if message.rate_limits is None else {**shown, "rate_limits": _rate_limits(message.rate_limits)}


def _rate_limits(limits: RateLimits) -> Json:
    both = {"primary": limits.primary, "secondary": limits.secondary}
    return {name: _given(**limit.fields()) for name, limit in both.items() if limit is not None}


def _user_message(message: told.UserMessage) -> Json:
    return {"message": message.message, **({"images": list(message.images)} if message.images else {})}


def _item(message: told.ItemStarted | told.ItemCompleted) -> Json:
    return {"turn_id": message.turn_id, "item": _item_json(message.item, message.item_id)}


def _item_json(item: Item, item_id: str) -> Json:
    match item:
        case Message() if item.role in ("user", "assistant"):
            kind = "UserMessage" if item.role == "user" else "AgentMessage"
            return {"type": kind, "id": item_id, "content": [part_json(part) for part in item.content]}
        case Reasoning():
            raw = list(item.content or ())
            return {"type": "Reasoning", "id": item_id, "summary_text": list(item.summary), "raw_content": raw}
        case WebSearchCall():
            return {"type": "WebSearch", "id": item_id, **_given(action=item.action)}
        case _:
            fields = {name: value for name, value in kept_json(item).items() if name not in ("type", "id")}
            return {"type": type(item).__name__, "id": item_id, **fields}


def _raw_item(message: told.RawResponseItem) -> Json:
    return {"item": kept_json(message.item)}


def _output_delta(message: told.ExecCommandOutputDelta) -> Json:
    chunk = b2a_base64(message.chunk, newline=False).decode("ascii")
    return {"call_id": message.call_id, "stream": message.stream, "chunk": chunk}


def _command_end(message: told.ExecCommandEnd) -> Json:
    """Where both streams arrived as one, it stands for stdout too. `exit_code` is null where there is none."""
    fields = message.fields()
    duration_ms = fields.pop("duration_ms")
    shown = {"stdout": message.aggregated_output, "stderr": "", **_given(**fields)}
    return {**shown, "exit_code": message.exit_code, "duration": duration_json(duration_ms)}


def _patch(message: told.PatchApplyBegin | told.PatchApplyEnd) -> Json:
    return {**_given(**message.but(changes=()).fields()), "changes": _changes(message.changes)}


def _changes(changes: tuple[FileChange, ...]) -> Json:
    return {change.path: change_json(change) for change in changes}


def _mcp_begin(message: told.McpToolCallBegin) -> Json:
    return {"call_id": message.call_id, "turn_id": message.turn_id, "invocation": _invocation(message)}


def _mcp_end(message: told.McpToolCallEnd) -> Json:
    """A tool that answered with an error has answered: that is a result which says so."""
    unanswered = message.error is not None or (message.result is None and not message.success)
    result = {"Err": message.error or "the tool failed"} if unanswered else {"Ok": message.result}
    shown: Json = {"call_id": message.call_id, "turn_id": message.turn_id, "invocation": _invocation(message)}
    return {**shown, "duration": duration_json(message.duration_ms), "result": plain(result)}


def _invocation(message: told.McpToolCallBegin | told.McpToolCallEnd) -> Json:
    return {"server": message.server, "tool": message.tool, **_given(arguments=message.arguments)}


def _exited_review(message: told.ExitedReviewMode) -> Json:
    return {} if message.review_output is None else {"review_output": review_json(message.review_output)}


_FIELDS: Mapping[type, Callable[[Any], Json]] = {
    told.TokenCount: _token_count,
    told.UserMessage: _user_message,
    told.ItemStarted: _item,
    told.ItemCompleted: _item,
    told.ExecCommandOutputDelta: _output_delta,
    told.ExecCommandEnd: _command_end,
    told.ExecApprovalRequest: _exec_approval,
    told.ApplyPatchApprovalRequest: _patch_approval,
    told.SandboxAssessment: _assessment,
    told.AutomaticReview: review_event_json,
    told.PatchApplyBegin: _patch,
    told.PatchApplyEnd: _patch,
    told.McpToolCallBegin: _mcp_begin,
    told.McpToolCallEnd: _mcp_end,
    told.ExitedReviewMode: _exited_review,
    told.RawResponseItem: _raw_item,
}
