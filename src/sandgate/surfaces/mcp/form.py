"""An approval as a form that a client shows, and what its answers mean.

The form's words and data are `runtime.inbox`'s; here they get the shape of an elicitation. Accepted answers are the
protocol's `{action, content}` and the lineage's `{decision}` (protocol.md section 4.3); whatever is neither is a no.
"""

from __future__ import annotations

from sandgate.runtime.inbox import ALWAYS, offers, refuses, saves, takes_care

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.runtime.inbox import Approval, Question

    Json = dict[str, Any]

DECISION, REASON = "decision", "reason"
REASON_CHARS_MAX = 500
YES, NO, STOP = "approve", "deny", "abort"
TITLED_SINCE = (
    "2025-11-25"  # the first protocol version whose choices have titles; before, names and titles are two lists
)
MALFORMED = "the client's answer was malformed, which counts as a no"
NOT_A_CHOICE = "the client's answer was none of the choices, which counts as a no"
UNCHOSEN = "the client's answer named no decision, and the form's default is a no"
REJECTED = "rejected by the user"
REJECTED_AND_STOP = "rejected by the user, who wants you to stop"
EXPLICIT = "a high risk takes an explicit decision, and the client's answer had none"


def elicitation(question: Question, *, version: str, tool_call_id: str) -> Json:
    """The parameters of `elicitation/create`; names that begin with `codex_` are the lineage's."""
    found: Json = {"mode": "form"} if version >= TITLED_SINCE else {}
    found |= {"message": question.form.message, "requestedSchema": schema(question, version=version)}
    return found | lineage_fields(question, tool_call_id=tool_call_id)


def lineage_fields(question: Question, *, tool_call_id: str) -> Json:
    """What programs read beside the message."""
    approval = question.approval
    return {
        **question.form.details,
        "codex_mcp_tool_call_id": tool_call_id,
        "codex_event_id": approval.approval_id,
        "codex_call_id": question.request.call_id,
        "sandgate_approval_id": approval.approval_id,
        "sandgate_expires_at": int(approval.expires_at),
    }


def schema(question: Question, *, version: str) -> Json:
    """One choice and an optional word about it; only flat fields are allowed in a form."""
    choices = question.form.choices
    decision: Json = {"type": "string", "title": "Decision", "default": NO}
    if version >= TITLED_SINCE:
        decision["oneOf"] = [{"const": name, "title": label} for name, label in choices]
    else:
        decision |= {"enum": [name for name, _label in choices], "enumNames": [label for _name, label in choices]}
    reason = {"type": "string", "title": "Reason (optional)", "maxLength": REASON_CHARS_MAX}
    return {"type": "object", "properties": {DECISION: decision, REASON: reason}, "required": [DECISION]}


def normal(answer: object) -> object:
    """The lineage's short answer in the protocol's form; everything else as it is."""
    if isinstance(answer, dict) and "action" not in answer and isinstance(answer.get(DECISION), str | dict):
        decision = answer[DECISION]
        # A form holds only flat values, so what is none is carried as text; `_accepted` reads it.
        return {"action": "accept", "content": {DECISION: decision if isinstance(decision, str) else _text(decision)}}
    return answer


def answered(approval: Approval, answer: object) -> tuple[str, str]:
    """The name of the choice, and why. Never an approval that was not said."""
    answer = normal(answer)
    match answer:
        case {"action": "decline"}:
            return NO, ""
        case {"action": "cancel"}:
            return STOP, REJECTED_AND_STOP
        case {"action": "accept", **rest}:
            return _accepted(approval, rest.get("content"))
        case _:
            return NO, MALFORMED


def _accepted(approval: Approval, content: object) -> tuple[str, str]:
    if content is None:  # accepting the question itself is a plain yes
        return (NO, EXPLICIT) if takes_care(approval) else (YES, "")
    if not isinstance(content, dict):
        return NO, MALFORMED
    name, reason = content.get(DECISION), content.get(REASON)
    said = reason[:REASON_CHARS_MAX] if isinstance(reason, str) else ""
    if name is None:
        return NO, UNCHOSEN
    if saves(approval, _value(name)):
        return ALWAYS, said
    if not isinstance(name, str) or not offers(approval, name):
        return NO, NOT_A_CHOICE
    return name, _told(name, said)


def _text(decision: Json) -> str:
    import json

    return json.dumps(decision)


def _value(name: object) -> object:
    """A decision that came as an object, or as the text of one."""
    if not isinstance(name, str) or name[:1] != "{":
        return name
    import json

    try:
        return json.loads(name)
    except (ValueError, RecursionError):
        return name


def _told(name: str, said: str) -> str:
    """What goes with the answer; a model that is refused must be able to tell who said so."""
    if not refuses(name):
        return said
    return ": ".join(filter(None, (REJECTED_AND_STOP if name == STOP else REJECTED if said else "", said)))
