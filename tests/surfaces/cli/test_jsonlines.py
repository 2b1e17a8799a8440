"""The lines of `--json`: scripts depend on every name here."""

from __future__ import annotations

import json

import pytest

from sandgate.errors import ConfigError
from sandgate.protocol import events as told
from sandgate.protocol.commands import CommandRequest, CommandResult
from sandgate.protocol.decisions import ApprovalRequest, Attempt, Decision, Passage, Refusal
from sandgate.protocol.denials import Denial, DenialReport
from sandgate.protocol.events_wire import message_json
from sandgate.protocol.patches import FileChange
from sandgate.protocol.permissions import EffectivePermissions, Grant
from sandgate.protocol.risk import RiskAssessment
from sandgate.protocol.trace import (
    ApprovalAnswered,
    ApprovalRequested,
    ApprovalUpdated,
    CommandBegan,
    CommandEnded,
    Notice,
    OutputArrived,
    OutputLost,
    PatchBegan,
    PatchEnded,
    RiskAssessed,
    RiskLatency,
    TerminalBegan,
    TerminalEnded,
    TerminalInput,
)
from sandgate.protocol.usage import TokenUsage
from sandgate.protocol.verdicts import Allow, Forbid
from sandgate.surfaces.cli.jsonlines import DELTAS_MAX, JsonLines, attempt_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.protocol.events import EventMessage

COMMAND = CommandRequest(("touch", "\udcff"), "/repo", {}, justification="because")
READING = CommandRequest(("cat", "n"), "/repo", {})
CHANGES = (FileChange("add", "/a", content="x"), FileChange("update", "/b", unified_diff="@@", move_path="/c"))
CHANGES_JSON = {
    "/a": {"type": "add", "content": "x"},
    "/b": {"type": "update", "unified_diff": "@@", "move_path": "/c"},
}
MOTD = Grant("write_path", "/etc/motd")
DENIED = DenialReport("denied", (Denial("write", path="/etc/motd", program="touch", grant=MOTD),), omitted=2)
MOTD_JSON = {"kind": "write_path", "value": "/etc/motd"}
DENIAL_JSON = {
    "operation": "write",
    "path": "/etc/motd",
    "address": None,
    "syscall": None,
    "errno": None,
    "certain": True,
    "layer": "mount",
    "program": "touch",
    "grant": MOTD_JSON,
}
ATTEMPT = Attempt(
    confined=True,
    backend="namespace",
    guarantees=("network-off",),
    result=CommandResult(1, None, "exited", b"out", b"\xff", b"out\xff", 3, 0, 1234),
    denial=DENIED,
    allowed_by="policy on-failure",
    permissions=EffectivePermissions(),
)
ATTEMPT_JSON = {
    "confined": True,
    "exit_code": 1,
    "denied": True,
    "denials": [DENIAL_JSON],
    "denials_omitted": 2,
    "did_without": [],
    "grants": [],
    "allowed_by": "policy on-failure",
}
RISK = RiskAssessment("Overwrites a system file.", "high", ("system_modification",), reasons=("it is in /etc",))
RISK_JSON = {
    "risk_level": "high",
    "risk_categories": ["system_modification"],
    "description": "Overwrites a system file.",
    "source": "static",
    "reasons": ["it is in /etc"],
    "confidence": "high",
}
REQUEST = ApprovalRequest("r", "c", "retry", COMMAND, "it was blocked", (MOTD,), DENIED, RISK, may_escalate=True)
SUMMARY = {
    "type": "run_completed",
    "seq": 1,
    "outcome": "completed",
    "exit_code": 1,
    "signal": None,
    "timed_out": False,
    "duration_ms": 1234,
    "sandbox": {"backend": "namespace", "confined": True, "guarantees": ["network-off"]},
    "attempts": [ATTEMPT_JSON],
    "decisions": [{"stage": "retry", "decision": "approved", "source": "user", "grants": [MOTD_JSON]}],
    "refusal": None,
    "risk": RISK_JSON,
    "error": None,
}
NOTHING_RAN: dict[str, object] = {
    "signal": None,
    "timed_out": False,
    "duration_ms": 0,
    "sandbox": None,
    "attempts": [],
    "decisions": [],
}


@pytest.mark.parametrize(
    ("record", "event"),
    [
        (
            CommandBegan("c", COMMAND, 2, "namespace"),
            {"type": "exec_command_begin", "call_id": "c", "command": ["touch", "\udcff"], "cwd": "/repo"}
            | {"attempt": 2, "backend": "namespace"}
            | {"parsed_cmd": [{"type": "unknown", "cmd": "touch $'\\xff'"}]},
        ),
        (
            TerminalBegan("c", 4711, READING, tty=True),
            {"type": "terminal_begin", "call_id": "c", "process_id": "4711", "command": ["cat", "n"], "cwd": "/repo"}
            | {"tty": True, "parsed_cmd": [{"type": "read", "cmd": "cat n", "name": "n", "path": "n"}]},
        ),
        (
            TerminalInput("c", 4711, "x\n"),
            {"type": "terminal_interaction", "call_id": "c", "process_id": "4711", "stdin": "x\n"},
        ),
        (
            TerminalEnded("c", 4711, 1, b"out\xff", 2, 3, 4, 5, "failed", "why"),
            {"type": "terminal_end", "call_id": "c", "process_id": "4711", "exit_code": 1}
            | {"aggregated_output": "out\ufffd", "omitted_bytes": 2, "deltas_omitted_bytes": 4}
            | {"duration_ms": 5, "status": "failed", "message": "why"},
        ),
        (
            PatchBegan("c", CHANGES, auto_approved=True),
            {"type": "patch_apply_begin", "call_id": "c", "auto_approved": True, "changes": CHANGES_JSON},
        ),
        (
            PatchEnded("c", CHANGES, "", "no", "declined"),
            {"type": "patch_apply_end", "call_id": "c", "stdout": "", "stderr": "no", "success": False}
            | {"status": "declined", "changes": CHANGES_JSON},
        ),
        (
            OutputArrived("c", "stderr", b"\xff"),
            {"type": "exec_command_output_delta", "call_id": "c", "stream": "stderr", "chunk": "/w=="},
        ),
        (OutputLost("c", "stdout", 28, "no space"), {"type": "warning", "message": "no space"}),
        (Notice("background_event", "retrying"), {"type": "background_event", "message": "retrying"}),
        (
            CommandEnded("c", COMMAND, ATTEMPT),
            {"type": "exec_command_end", "call_id": "c", "stdout": "out", "stderr": "\ufffd"}
            | {"aggregated_output": "out\ufffd", "stdout_omitted_bytes": 3, "stderr_omitted_bytes": 0}
            | {"termination": "exited", "duration": {"secs": 1, "nanos": 234_000_000}, "status": "failed"}
            | ATTEMPT_JSON,
        ),
        (
            ApprovalRequested(REQUEST),
            {"type": "exec_approval_request", "call_id": "c", "approval_id": "r", "stage": "retry", "cwd": "/repo"}
            | {"command": ["touch", "\udcff"], "grants": [MOTD_JSON], "may_escalate": True}
            | {"reason": "it was blocked", "justification": "because", "risk": RISK_JSON, "denials": [DENIAL_JSON]}
            | {"available_decisions": ["approved", "approved_for_session", "denied", "abort"]}
            | {"parsed_cmd": [{"type": "unknown", "cmd": "touch $'\\xff'"}]},
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_each_record_becomes_one_ascii_line(record: Any, event: Any, capfd: pytest.CaptureFixture[str]) -> None:
    JsonLines()(record)
    line = capfd.readouterr().out
    assert line.isascii()
    assert json.loads(line) == {"seq": 1, **event}


def test_an_answer_names_its_question_as_an_agents_events_do_and_as_before(capfd: pytest.CaptureFixture[str]) -> None:
    lines = JsonLines()
    lines(ApprovalRequested(REQUEST))
    lines(ApprovalAnswered("r", Decision("retry", "denied", "script", reason="not on offer")))
    _, resolved, before = map(json.loads, capfd.readouterr().out.splitlines())
    said = {"decision": "denied", "source": "script", "reason": "not on offer"}
    assert resolved == {"type": "approval_resolved", "seq": 2, "approval_id": "r", "call_id": "c", **said}
    alias = {"type": "exec_approval_answered", "seq": 3, "alias_of": "approval_resolved", "request_id": "r"}
    assert before == alias | said


def test_what_run_and_agents_tell_alike_has_the_same_names(capfd: pytest.CaptureFixture[str]) -> None:
    """Required: one dialect; a reader of the one reads these of the other."""
    usage = TokenUsage(input_tokens=7, total_tokens=7)
    assessed = RiskAssessed("c", "success", 12, "1", "high", (), "r", usage)
    lines = JsonLines()
    for record in (
        ApprovalRequested(REQUEST), assessed, ApprovalUpdated("r", RISK),
        ApprovalAnswered("r", Decision("retry", "denied", "user")),
    ):  # fmt: skip
        lines(record)
    written = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    run = {line["type"]: line for line in written if "alias_of" not in line}
    agents: tuple[EventMessage, ...] = (
        told.ExecApprovalRequest("c", "r", "t", REQUEST),
        told.SandboxAssessment("r", "c", "success", RISK, 12, "1", usage),
        told.ApprovalResolved("r", "c", "denied", "user"),
    )
    for message in agents:
        event = message_json(message)
        same = {name: value for name, value in event.items() if name not in ("turn_id", "parsed_cmd", "command")}
        assert {name: run[event["type"]].get(name) for name in same} == json.loads(json.dumps(same))


def test_the_last_line_sums_up(capfd: pytest.CaptureFixture[str]) -> None:
    decisions = (Decision("retry", "approved", "user", (MOTD,)),)
    JsonLines().completed(Passage(COMMAND, Allow(), (ATTEMPT,), decisions, risk=RISK), 1)
    assert json.loads(capfd.readouterr().out) == SUMMARY


def test_a_refusal_has_no_attempt(capfd: pytest.CaptureFixture[str]) -> None:
    JsonLines().completed(Passage(COMMAND, Forbid("no"), refusal=Refusal("policy", "no")), 77)
    refusal = {"outcome": "refused", "exit_code": 77, "refusal": {"by": "policy", "why": "no"}, "risk": None}
    assert json.loads(capfd.readouterr().out) == SUMMARY | NOTHING_RAN | refusal


def test_a_failure_keeps_the_attempts_that_were_made_and_is_said_once(capfd: pytest.CaptureFixture[str]) -> None:
    """Required: exactly one `run_completed`, whatever goes wrong."""
    lines = JsonLines()
    lines(CommandEnded("c", COMMAND, ATTEMPT))
    lines.failed(ConfigError("what", why="why", hint="hint"), 78)
    lines.interrupted()
    _, last = map(json.loads, capfd.readouterr().out.splitlines())
    error = {"code": ConfigError.code, "what": "what", "why": "why", "hint": "hint"}
    changes = {"seq": 2, "outcome": "failed", "exit_code": 78, "decisions": [], "risk": None, "error": error}
    assert last == SUMMARY | changes


def test_an_interrupt_is_an_end_too(capfd: pytest.CaptureFixture[str]) -> None:
    JsonLines().interrupted()
    error = {"code": "interrupted", "what": "interrupted by the user", "why": "", "hint": ""}
    changes = {"outcome": "failed", "exit_code": 130, "risk": None, "error": error}
    assert json.loads(capfd.readouterr().out) == SUMMARY | NOTHING_RAN | changes


def test_endless_output_ends_in_events_but_the_numbers_have_no_gap(capfd: pytest.CaptureFixture[str]) -> None:
    lines = JsonLines()
    for _ in range(DELTAS_MAX + 5):
        lines(OutputArrived("c", "stdout", b""))
    lines(Notice("warning", "the end"))
    last = json.loads(capfd.readouterr().out.splitlines()[-1])
    assert last == {"type": "warning", "seq": DELTAS_MAX + 1, "message": "the end"}


@pytest.mark.parametrize(("verdict", "denied"), [("denied", True), ("not_denied", False), ("unknown", None)])
def test_what_nobody_can_tell_is_null(verdict: Any, denied: bool | None) -> None:
    assert attempt_json(ATTEMPT.but(denial=DenialReport(verdict)))["denied"] is denied


def test_what_a_model_adds_is_told_with_the_names_that_tools_know(capfd: pytest.CaptureFixture[str]) -> None:
    """Required: no words of a model but in the question's own risk."""
    lines = JsonLines()
    risk = RiskAssessment("Writes. A model says: x.", "high", source="both", prompt_version="1")
    lines(RiskLatency("c", 12))
    lines(RiskAssessed("c", "success", 12, "1", "high", ("compliance", "data_deletion"), "r"))
    lines(ApprovalUpdated("r", risk))
    lines(RiskAssessed("d", "timeout", 5000, "1"))
    latency, assessed, updated, late = map(json.loads, capfd.readouterr().out.splitlines())
    assert latency == {"type": "sandbox_assessment_latency", "seq": 1, "call_id": "c", "duration_ms": 12}
    assert assessed == {
        "type": "sandbox_assessment", "seq": 2, "approval_id": "r", "call_id": "c", "status": "success",
        "risk_level": "high", "risk": updated["risk"],
        "risk_categories": "compliance, data_deletion", "duration_ms": 12, "prompt_version": "1",
    }  # fmt: skip
    assert (updated["type"], updated["request_id"]) == ("approval_request_updated", "r")
    assert (updated["risk"]["source"], updated["risk"]["prompt_version"]) == ("both", "1")
    assert "risk_level" not in late
    assert late["risk_categories"] == ""
