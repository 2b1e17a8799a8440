"""An approval as a form that a client shows, and what its answers mean.

The form's words and data are `serving.inbox`'s; here they get the shape of an elicitation: words and two buttons where
a button is a careful enough answer, else a list of choices of which none is chosen yet. Accepted answers are the
protocol's `{action, content}` and the lineage's `{decision}`; whatever is neither is a no.
"""

from __future__ import annotations

from sandgate.serving.inbox import ALWAYS, offers, refuses, saves, takes_care

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.serving.inbox import Approval, Question

    Json = dict[str, Any]

DECISION, REASON = "decision", "reason"
REASON_CHARS_MAX = 500
YES, NO, STOP = "approve", "deny", "abort"
TITLED_SINCE = (
    "2025-11-25"  # the first protocol version whose choices have titles; before, names and titles are two lists
)
MALFORMED = "the client's answer was malformed, which counts as a no"
NOT_A_CHOICE = "the client's answer was none of the choices, which counts as a no"
REJECTED = "rejected by the user"
REJECTED_AND_STOP = "rejected by the user, who wants you to stop"
CUT = "the command is longer than the form may have shown, so it takes a choice, and the client's answer had none"
CHOOSE = "Accept sends the choice that you make below; there is none yet"
ELSEWHERE = "Longer than this form may show: `sandgate approvals list` has all of it. Choose below"
BUTTONS: Json = {"type": "object", "properties": {}}  # a form with nothing to fill in
EXPLICIT = "a high risk takes an explicit decision, and the client's answer had none"


def elicitation(question: Question, *, version: str, tool_call_id: str, chooses: bool) -> Json:
    """The parameters of `elicitation/create`; names that begin with `codex_` are the lineage's.

    `chooses`: the client shows all of a question, and a list of choices so that it is usable (`clients.shows_choices`).
    """
    careful = takes_care(question.approval) or not question.brief.whole
    found: Json = {"mode": "form"} if version >= TITLED_SINCE else {}
    lines = [] if chooses else [*_first_lines(question, careful=careful), ""]
    found["message"] = "\n".join([*lines, question.form.message])
    found["requestedSchema"] = form_schema(question.approval, version=version) if chooses or careful else BUTTONS
    return found | lineage_fields(question, tool_call_id=tool_call_id)


def _first_lines(question: Question, *, careful: bool) -> list[str]:
    """What a client shows that cuts the rest: three lines, and the fourth for one that does not."""
    brief, answer = question.brief, f"sandgate approvals resolve {question.approval.approval_id}"
    if not brief.whole:
        return [brief.command, brief.against, ELSEWHERE]
    if careful:
        return [brief.command, brief.against, CHOOSE]
    more = [name for name, _label in question.approval.choices if name != YES and not refuses(name)]
    lines = [brief.command, brief.against, brief.accept]
    return [*lines, f"Or, in a terminal: {answer} {'|'.join(more)}"] if more else lines


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


def form_schema(approval: Approval, *, version: str) -> Json:
    """One choice that has to be made. At high risk a no comes first: some clients take the first one for chosen."""
    choices = approval.choices
    if takes_care(approval):
        choices = tuple(sorted(choices, key=lambda choice: not refuses(choice[0])))
    decision: Json = {"type": "string", "title": "Decision"}
    if version >= TITLED_SINCE:
        decision["oneOf"] = [{"const": name, "title": label} for name, label in choices]
    else:
        decision |= {"enum": [name for name, _label in choices], "enumNames": [label for _name, label in choices]}
    return {"type": "object", "properties": {DECISION: decision}, "required": [DECISION]}


def normal(answer: object) -> object:
    """The lineage's short answer in the protocol's form; everything else as it is."""
    if isinstance(answer, dict) and "action" not in answer and isinstance(answer.get(DECISION), str | dict):
        decision = answer[DECISION]
        # A form holds only flat values, so what is none is carried as text; `_accepted` reads it.
        return {"action": "accept", "content": {DECISION: decision if isinstance(decision, str) else _text(decision)}}
    return answer


def chosen_answer(approval: Approval, answer: object, *, whole: bool = True) -> tuple[str, str]:
    """The name of the choice, and why. Never an approval that was not said, nor one by a button when not `whole`.

    `whole`: the person who answered has surely seen the whole command.
    """
    answer = normal(answer)
    match answer:
        case {"action": "decline"}:
            return NO, ""
        case {"action": "cancel"}:
            return STOP, REJECTED_AND_STOP
        case {"action": "accept", **rest}:
            return _accepted(approval, rest.get("content"), whole=whole)
        case _:
            return NO, MALFORMED


def _accepted(approval: Approval, content: object, *, whole: bool) -> tuple[str, str]:
    content = {} if content is None else content
    if not isinstance(content, dict):
        return NO, MALFORMED
    name, reason = content.get(DECISION), content.get(REASON)
    said = reason[:REASON_CHARS_MAX] if isinstance(reason, str) else ""
    if name is None:  # accepting the question itself is a plain yes
        if takes_care(approval):
            return NO, EXPLICIT
        return (YES, said) if whole else (NO, CUT)
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
