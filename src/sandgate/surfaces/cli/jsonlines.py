"""`--json`: one event a line on stdout, and the last line that scripts read.

Names are those that clients of the lineage know, and those of an agent's events. A line with `alias_of` repeats another
one under the name it had before; aliases go with the next minor version.
"""

from __future__ import annotations

import json
from base64 import b64encode

from sandgate.protocol.events_wire import approval_json, automatic_review, message_json
from sandgate.protocol.trace import (
    ApprovalAnswered,
    ApprovalRequested,
    ApprovalUpdated,
    AutoReview,
    CommandBegan,
    CommandEnded,
    Notice,
    OutputArrived,
    OutputLost,
    PatchBegan,
    PatchEnded,
    RefusedMeanwhile,
    RiskAssessed,
    RiskLatency,
    TerminalBegan,
    TerminalEnded,
    TerminalInput,
)
from sandgate.protocol.wire import (
    change_json,
    denial_json,
    grant_json,
    grants_json,
    held_json,
    performed_json,
    plain,
    risk_json,
)
from sandgate.record import never_reached
from sandgate.surfaces.cli import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.errors import SandgateError
    from sandgate.protocol.decisions import ApprovalRequest, Attempt, Decision, Passage
    from sandgate.protocol.trace import TraceRecord

    Json = dict[str, Any]
    Alone = (  # what is one line, whatever else was told
        CommandBegan
        | OutputArrived
        | OutputLost
        | RefusedMeanwhile
        | CommandEnded
        | AutoReview
        | RiskLatency
        | RiskAssessed
        | TerminalBegan
        | TerminalInput
        | TerminalEnded
        | PatchBegan
        | PatchEnded
        | Notice
    )

DELTAS_MAX = 10_000  # output events of one command; what comes later is captured but not streamed
INTERRUPTED = 130


class JsonLines:
    """Writes events with a gap-free `seq`, and exactly one `run_completed`."""

    def __init__(self) -> None:
        self._seq = 0
        self._deltas = 0
        self._completed = False
        self._attempts: list[Attempt] = []
        self._asked: dict[str, str] = {}  # the calls of open questions, by their ids
        self._assessed: RiskAssessed | None = None  # an answer, whose words come next

    def __call__(self, record: TraceRecord) -> None:
        """Write the event this record stands for."""
        if isinstance(record, CommandEnded):
            self._attempts.append(record.attempt)
        if isinstance(record, OutputArrived):
            self._deltas += 1
            if self._deltas > DELTAS_MAX:
                return
        for event in self._events(record):
            self.emit(event)

    def _events(self, record: TraceRecord) -> list[Json]:
        match record:
            case ApprovalRequested():
                self._asked[record.request.request_id] = record.request.call_id
                return [_approval(record.request)]
            case ApprovalAnswered():
                return _resolved(record, self._asked.pop(record.request_id, ""))
            case RiskAssessed(status="success"):
                self._assessed = record
                return []
            case ApprovalUpdated():
                assessed, self._assessed = self._assessed, None
                return _updated(record, assessed)
            case _:
                return [_event(record)]

    def emit(self, event: Json) -> None:
        """Write one line; `seq` comes second."""
        self._seq += 1
        line = {"type": event.pop("type"), "seq": self._seq, **event}
        say.out(json.dumps(line, ensure_ascii=True) + "\n")

    def completed(self, passage: Passage, exit_code: int) -> None:
        """The last line of a run that came to its end."""
        outcome = "refused" if passage.refusal else "completed"
        self._last(outcome, exit_code, passage.attempts, passage=passage)

    def failed(self, error: SandgateError, exit_code: int) -> None:
        """The last line when Sandgate could not do its part."""
        parts = {"code": error.code, "what": error.what, "why": error.why, "hint": error.hint}
        self._last("failed", exit_code, tuple(self._attempts), error=parts)

    def interrupted(self) -> None:
        """The last line after Ctrl-C outside of a running command."""
        parts = {"code": "interrupted", "what": "interrupted by the user", "why": "", "hint": ""}
        self._last("failed", INTERRUPTED, tuple(self._attempts), error=parts)

    def _last(
        self,
        outcome: str,
        exit_code: int,
        attempts: tuple[Attempt, ...],
        *,
        passage: Passage | None = None,
        error: Json | None = None,
    ) -> None:
        if self._completed:
            return
        self._completed = True
        final = attempts[-1] if attempts else None
        refusal = passage.refusal if passage else None
        self.emit(
            {
                "type": "run_completed",
                "outcome": outcome,
                "exit_code": exit_code,
                "signal": final.final.signal if final else None,
                "timed_out": bool(final and final.final.timed_out),
                "duration_ms": sum(attempt.final.duration_ms for attempt in attempts),
                "sandbox": attempt_sandbox(final) if final else None,
                "attempts": [attempt_json(attempt) for attempt in attempts],
                "decisions": [
                    {
                        "stage": decision.stage,
                        "decision": decision.decision,
                        "source": decision.source,
                        "grants": grants_json(decision.grants),
                    }
                    for decision in (passage.decisions if passage else ())
                ],
                "refusal": {"by": refusal.by, "why": refusal.why} if refusal else None,
                "risk": risk_json(passage.risk) if passage and passage.risk else None,
                "error": error,
            }
        )


def attempt_sandbox(attempt: Attempt) -> Json:
    """The `sandbox` object of the last line."""
    return {"backend": attempt.backend, "confined": attempt.confined, "guarantees": list(attempt.guarantees)}


def attempt_json(attempt: Attempt) -> Json:
    """One entry of `attempts`; `denied` is null when no layer can tell."""
    verdict = attempt.denial.verdict
    meanwhile: Json = {}
    if attempt.held:
        meanwhile["held"] = [held_json(each) for each in attempt.held]
    if attempt.performed:
        meanwhile["performed"] = [performed_json(each) for each in attempt.performed]
        meanwhile["performed_omitted"] = attempt.performed_omitted
    if attempt.by_rules:
        meanwhile["granted_by_rules"] = [grant_json(each.grant) | {"rule": each.rule} for each in attempt.by_rules]
    return meanwhile | {
        "confined": attempt.confined,
        "exit_code": attempt.final.exit_code,
        "denied": None if verdict == "unknown" else verdict == "denied",
        "denials": [denial_json(denial) for denial in attempt.denial.denials],
        "denials_omitted": attempt.denial.omitted,
        "did_without": [denial_json(denial) for denial in attempt.denial.did_without],
        "grants": grants_json(attempt.grants),
        "allowed_by": attempt.allowed_by,
    }


def _event(record: Alone) -> Json:
    match record:
        case CommandBegan():
            command = record.command
            return {
                "type": "exec_command_begin",
                "call_id": record.call_id,
                "command": list(command.argv),
                "cwd": command.cwd,
                "parsed_cmd": _summaries(command.argv),
                "attempt": record.attempt,
                "backend": record.backend,
            }
        case OutputArrived():
            chunk = b64encode(record.chunk).decode()
            delta: Json = {"type": "exec_command_output_delta", "call_id": record.call_id}
            return {**delta, "stream": record.stream, "chunk": chunk}
        case OutputLost():
            return {"type": "warning", "message": record.message}
        case RefusedMeanwhile():
            denials = [denial_json(denial) for denial in record.denials]
            return {"type": "exec_command_denials", "call_id": record.call_id, "denials": denials}
        case CommandEnded():
            return _ended(record)
        case AutoReview():
            return _review(record)
        case RiskLatency():
            return {
                "type": "sandbox_assessment_latency",
                "call_id": record.call_id,
                "duration_ms": record.duration_ms,
            }
        case RiskAssessed():
            return _assessment(record)
        case Notice():
            return {"type": record.kind, "message": record.message}
        case TerminalBegan() | TerminalInput() | TerminalEnded():
            return _terminal(record)
        case PatchBegan() | PatchEnded():
            return _patch(record)
        case _:
            return never_reached(record)


def _patch(record: PatchBegan | PatchEnded) -> Json:
    changes = {change.path: change_json(change) for change in record.changes}
    if isinstance(record, PatchBegan):
        begun = {"type": "patch_apply_begin", "call_id": record.call_id, "auto_approved": record.auto_approved}
        return begun | {"changes": changes}
    return {
        "type": "patch_apply_end",
        "call_id": record.call_id,
        "stdout": record.stdout,
        "stderr": record.stderr,
        "success": record.status == "completed",
        "status": record.status,
        "changes": changes,
    }


def _review(record: AutoReview) -> Json:
    """A review on the wire, as an agent's session tells it."""
    return message_json(automatic_review(record, ""))


def _resolved(record: ApprovalAnswered, call_id: str) -> list[Json]:
    """A question is answered; also under its name of before."""
    decision = record.decision
    said: Json = {"decision": decision.decision, "source": decision.source}
    said |= {"reason": decision.reason} if decision.reason else {}
    said |= _limits(decision)
    name = "approval_resolved"
    before = {"type": "exec_approval_answered", "alias_of": name, "request_id": record.request_id}
    return [{"type": name, "approval_id": record.request_id, "call_id": call_id, **said}, {**before, **said}]


def _updated(record: ApprovalUpdated, assessed: RiskAssessed | None) -> list[Json]:
    """A model's words; also under the name they had before, without what became of asking."""
    risk = risk_json(record.risk)
    before: Json = {"type": "approval_request_updated", "alias_of": "sandbox_assessment"}
    found = [] if assessed is None else [{**_assessment(assessed), "risk": risk}]
    return [*found, {**before, "request_id": record.request_id, "risk": risk}]


def _assessment(record: RiskAssessed) -> Json:
    """What became of asking a model about a question."""
    event: Json = {
        "type": "sandbox_assessment",
        "approval_id": record.request_id,
        "call_id": record.call_id,
        "status": record.status,
        "risk_categories": ", ".join(record.categories),
        "duration_ms": record.duration_ms,
        "prompt_version": record.prompt_version,
    }
    if record.usage is not None:
        event["token_usage"] = plain(record.usage)
    return {**event, "risk_level": record.level} if record.level else event


def _summaries(argv: tuple[str, ...]) -> list[dict[str, str | None]]:
    from sandgate.commandline.summary import summaries_json

    return list(summaries_json(argv))


def _ended(record: CommandEnded) -> Json:
    result = record.attempt.final
    seconds, milliseconds = divmod(result.duration_ms, 1000)
    return {
        "type": "exec_command_end",
        "call_id": record.call_id,
        "stdout": result.stdout.decode("utf-8", "replace"),
        "stderr": result.stderr.decode("utf-8", "replace"),
        "aggregated_output": result.aggregated.decode("utf-8", "replace"),
        "stdout_omitted_bytes": result.stdout_omitted_bytes,
        "stderr_omitted_bytes": result.stderr_omitted_bytes,
        "exit_code": result.exit_code,
        "termination": result.termination,
        "duration": {"secs": seconds, "nanos": milliseconds * 1_000_000},
        "status": "completed" if result.exit_code == 0 else "failed",
        **attempt_json(record.attempt),
    }


def _terminal(record: TerminalBegan | TerminalInput | TerminalEnded) -> Json:
    shown: Json = {"type": "", "call_id": record.call_id, "process_id": str(record.process_id)}
    match record:
        case TerminalBegan():
            shown |= {"type": "terminal_begin", "command": list(record.command.argv), "cwd": record.command.cwd}
            shown |= {"tty": record.tty, "parsed_cmd": _summaries(record.command.argv)}
        case TerminalInput():
            shown |= {"type": "terminal_interaction", "stdin": record.stdin}
        case TerminalEnded():
            text = record.output.decode("utf-8", "replace")
            shown |= {"type": "terminal_end", "exit_code": record.exit_code, "aggregated_output": text}
            shown |= {"omitted_bytes": record.omitted_bytes, "deltas_omitted_bytes": record.deltas_omitted_bytes}
            shown |= {"duration_ms": record.duration_ms, "status": record.status, "message": record.message}
        case _:
            never_reached(record)
    return shown


def _limits(decision: Decision) -> Json:
    """The rule that was accepted, and when the approval ends; nothing for a plain answer."""
    found: Json = {}
    if decision.amendment is not None:
        found["amendment"] = plain(decision.amendment)
        if not decision.amendment.places:
            del found["amendment"]["places"]
    if decision.until:
        found["until"] = decision.until
    if decision.uses is not None:
        found["uses"] = decision.uses
    if decision.changing:
        found["changing"] = True
    return found


def _approval(request: ApprovalRequest) -> Json:
    from sandgate.policy.amendments import rule_line

    event = {"type": "exec_approval_request", **approval_json(request), "parsed_cmd": _summaries(request.command.argv)}
    return event if request.amendment is None else {**event, "rule": rule_line(request.amendment)}
