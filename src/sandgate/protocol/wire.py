"""Values of this package as JSON has them, for every surface that writes JSON.

Names are those that clients of the lineage know.
"""

from __future__ import annotations

from sandgate.protocol.implied_grants import names_with
from sandgate.protocol.permissions import sandbox_mode
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.protocol.decisions import Amendment, ApprovalRequest, Decision, HeldQuestion
    from sandgate.protocol.denials import Denial
    from sandgate.protocol.held_calls import PerformedCall
    from sandgate.protocol.patches import FileChange
    from sandgate.protocol.permissions import Grant, SandboxPolicy
    from sandgate.protocol.risk import RiskAssessment

    Json = dict[str, Any]


def decided_risk_json(request: ApprovalRequest, decision: Decision) -> Json:
    """What was known of the risk when it was decided, and by whom: for what is kept of a decision."""
    advice, risk = decision.advice, request.risk
    level, source = (None, None) if risk is None else (risk.risk_level, risk.source)
    if advice is not None and advice.risk_level is not None:
        level, source = advice.risk_level, advice.source
    return {
        "risk_level": level,
        "risk_source": source,
        "assessment_status": "static" if advice is None else advice.status,
        "prompt_version": "" if advice is None else advice.prompt_version,
    }


def plain(value: object) -> Any:
    """Records, tuples and mappings as JSON values."""
    if isinstance(value, Record):
        return {name: plain(item) for name, item in value.fields().items()}
    if isinstance(value, tuple | list | frozenset | set):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {str(name): plain(item) for name, item in value.items()}
    return value


def grant_json(grant: Grant) -> Json:
    """A grant; with `beside`, a pattern, where what it makes brings names with it."""
    beside = names_with(grant)
    return {**grant.fields(), "beside": beside} if beside else dict(grant.fields())


def grants_json(grants: tuple[Grant, ...]) -> list[Json]:
    """Each of them."""
    return [grant_json(each) for each in grants]


def denial_json(denial: Denial) -> Json:
    """One entry of `denials[]`."""
    fields = {**denial.fields(), "grant": grant_json(denial.grant) if denial.grant else None}
    fields["also"] = grants_json(denial.also)
    return {name: value for name, value in fields.items() if value or name not in {"what", "why", "also"}}


def held_json(held: HeldQuestion) -> Json:
    """A call that waited while somebody was asked about it, and what came of that."""
    decision = held.decision
    return {
        "number": held.number,
        "denial": denial_json(held.denial),
        "other_path": held.other_path,
        "waited_ms": held.waited_ms,
        "decision": decision.decision,
        "source": decision.source,
        "grants": grants_json(decision.grants),
    }


def performed_json(performed: PerformedCall) -> Json:
    """A call that the supervisor carried out, and on whose word."""
    return {name: value for name, value in performed.fields().items() if value != "" or name != "beside"}


def risk_json(risk: RiskAssessment) -> Json:
    """A risk on the wire; an empty category list is omitted."""
    fields: Json = {
        "risk_level": risk.risk_level,
        "risk_categories": list(risk.risk_categories),
        "description": risk.description,
        "source": risk.source,
        "reasons": list(risk.reasons),
        "confidence": risk.confidence,
    }
    if risk.prompt_version:
        fields["prompt_version"] = risk.prompt_version
    if not risk.risk_categories:
        del fields["risk_categories"]
    return fields


def amendment_json(amendment: Amendment) -> Json:
    """A decision that saves a rule, as the lineage has it."""
    return {"approved_execpolicy_amendment": {"proposed_execpolicy_amendment": list(amendment.prefix)}}


def available_decisions(request: ApprovalRequest) -> list[str | Json]:
    """What may be answered, most careful approval first. A rule about places has a name: the lineage knows none."""
    amendment = request.amendment
    saving: list[str | Json] = [] if amendment is None else [amendment_json(amendment)]
    if amendment is not None and amendment.places:
        saving = ["approved_with_amendment"]
    changing: list[str | Json] = ["approved_for_session_changing"] if request.may_change else []
    return ["approved", "approved_for_session", *changing, *saving, "denied", "abort"]


def accepts_amendment(answer: object, amendment: Amendment | None) -> bool:
    """Whether an answer in that form is about exactly this rule."""
    return amendment is not None and not amendment.places and answer == amendment_json(amendment)


def sandbox_json(policy: SandboxPolicy) -> Json:
    """A sandbox policy in the lineage's core form."""
    return {"mode": sandbox_mode(policy), **plain(policy)}


def change_json(change: FileChange) -> Json:
    """A change on the wire."""
    if change.kind == "update":
        return {"type": "update", "unified_diff": change.unified_diff, "move_path": change.move_path}
    return {"type": change.kind, "content": change.content}


def sendable(value: Any) -> Any:
    """JSON values with what UTF-8 cannot hold (bytes of file names, half surrogate pairs) as visible escapes."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {sendable(name): sendable(item) for name, item in value.items()}
    return [sendable(item) for item in value] if isinstance(value, list) else value
