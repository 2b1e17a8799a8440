"""A question as a client shows it that has one field for all words, and what the name of an answer decides.

The command and its directory are shown by the client itself; here is the rest that a person has to know: why it is
asked, what speaks against it, what a yes gives.
"""

from __future__ import annotations

from sandgate.approvals.prompts.brief import brief_of
from sandgate.approvals.prompts.form import chosen, form_of
from sandgate.approvals.prompts.prompt import choices, is_input
from sandgate.display import visible
from sandgate.protocol.decisions import RETRY_REASONS, Decision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from sandgate.protocol.decisions import ApprovalRequest

YES, YES_FOR_SESSION, YES_ALWAYS, NO, STOP = "approve", "approve-session", "approve-always", "deny", "abort"
BULLET = "\N{BULLET}"  # between the parts of a question
REASON_CHARS_MAX = 2_000  # of all words; the command is not among them
NOT_OFFERED = "the answer was none of the choices, which counts as a no"


def question_words(request: ApprovalRequest) -> str:
    """Parts of one line, because clients leave out the ends of lines; first why it is asked, last what a yes gives.

    No part has the bullet that stands between them, whoever's words it is.
    """
    return f" {BULLET} ".join(part.replace(BULLET, "*") for part in _parts(request))[:REASON_CHARS_MAX]


def offered_answers(request: ApprovalRequest) -> tuple[str, ...]:
    """The names of the answers, most careful approval first."""
    return tuple(choice.name for choice in choices(request))


def labelled_answers(request: ApprovalRequest) -> tuple[tuple[str, str], ...]:
    """The same with what each of them means, in words."""
    return tuple((choice.name, choice.label) for choice in choices(request))


def whole_question(request: ApprovalRequest) -> str | None:
    """Everything that stands above the choices at a terminal; None where that is more than a person would read."""
    form = form_of(request)
    return None if form.too_long else form.message


def decision_named(request: ApprovalRequest, name: str, *, reason: str = "") -> Decision:
    """What that answer decides; a no where it was not offered."""
    decision = chosen(request, name, reason=reason)
    return Decision(request.stage, "denied", "user", reason=NOT_OFFERED) if decision is None else decision


def refused_by_nobody(request: ApprovalRequest, why: str) -> Decision:
    """A refusal that no person gave."""
    return Decision(request.stage, "denied", "none", reason=why)


def _parts(request: ApprovalRequest) -> Iterator[str]:
    brief, risk = brief_of(request), request.risk
    if request.asked_by:
        yield f"Asked by {visible(request.asked_by)}"
    if request.reason and request.reason not in RETRY_REASONS:
        yield visible(request.reason)
    if request.command.justification and request.command.justification != request.reason:
        yield visible(request.command.justification)
    if is_input(request):
        yield f"It is to be typed into this command: {brief.command}"
    yield brief.against
    if risk is not None and risk.description:
        yield visible(risk.description)
    yield brief.accept.replace("Accept: ", "A yes means: ")
