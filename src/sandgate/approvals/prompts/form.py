"""A question as a client or another terminal shows it: as text with named answers, and as data for programs.

The same words as at the terminal (`prompt.py`). What is shown has a digest, so that an answer can be held to exactly
this question. Field names of the data are the lineage's, because clients know them.
"""

from __future__ import annotations

import json

from sandgate.approvals.prompts.asked_again import saved_as
from sandgate.approvals.prompts.prompt import choices, prompt_lines
from sandgate.commandline.summary import summaries_json
from sandgate.protocol.decisions import Decision
from sandgate.protocol.wire import change_json, denial_json, grants_json, risk_json, sendable
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.protocol.decisions import ApprovalRequest
    from sandgate.protocol.patches import FileChange

    Json = dict[str, Any]

LINE_COLUMNS = 4_000  # wider than any terminal: the client that shows the lines breaks them
MESSAGE_CHARS_MAX = 20_000  # of a form; a longer command is refused rather than shown in part
# What clients of the lineage answer, beside the names of the choices.
ALIASES = {
    "approved": "approve",
    "approved_for_session": "approve-session",
    "approved_for_session_changing": "approve-session-changing",
    "approved_with_amendment": "approve-always",
    "denied": "deny",
}


class Form(Record):
    """What is shown of one question."""

    message: str
    choices: tuple[tuple[str, str], ...]  # name and label, most careful approval first
    details: Json

    @property
    def digest(self) -> str:
        """SHA-256 over everything shown, in hexadecimal."""
        from hashlib import sha256

        canonical = json.dumps([self.message, self.choices, self.details], sort_keys=True, separators=(",", ":"))
        return sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def too_long(self) -> bool:
        """Longer than a person would read, so no person may be asked to approve it."""
        return len(self.message) > MESSAGE_CHARS_MAX


def form_of(request: ApprovalRequest) -> Form:
    """Everything a reviewer needs, whole: nothing is folded where it cannot be unfolded."""
    lines = prompt_lines(request, colour=False, columns=LINE_COLUMNS, whole=True)
    named = tuple((choice.name, choice.label) for choice in choices(request))
    return Form("\n".join(lines), named, sendable(_details(request)))


def chosen(
    request: ApprovalRequest, name: str, *, reason: str = "", until: str = "", uses: int | None = None
) -> Decision | None:
    """What the choice of that name decides, with its end if it has one; None when it was not offered."""
    name = ALIASES.get(name, name)
    choice = next((each for each in choices(request) if each.name == name), None)
    if choice is None:
        return None
    amendment = choice.amendment
    if amendment is not None:
        amendment = amendment.but(until=until, uses=uses)
    return Decision(
        request.stage,
        choice.decision,
        "user",
        choice.grants,
        reason,
        amendment=amendment,
        until=until,
        uses=uses,
        changing=choice.changing,
    )


def _details(request: ApprovalRequest) -> Json:
    command = request.command
    found: Json = {
        "codex_elicitation": "patch-approval" if request.changes else "exec-approval",
        "sandgate_stage": request.stage,
        "sandgate_grants": grants_json(request.grants),
    }
    if request.changes:
        found["codex_changes"] = _changes_json(request.changes)
    else:
        found["codex_command"] = list(command.argv)
        found["codex_cwd"] = command.cwd
        found["codex_parsed_cmd"] = list(summaries_json(command.argv))
    if request.reason:
        found["codex_reason"] = request.reason
    if command.set_variables:
        found["sandgate_variables"] = dict(command.set_variables)
    if command.justification:
        found["sandgate_justification"] = command.justification
    if request.binding is not None:  # an answer that comes after a restart is about these very objects
        found["sandgate_bound"] = [[seen.kind, seen.path, seen.state] for seen in request.binding.places if seen.exists]
    if request.changed:
        found["sandgate_changed"] = request.changed
    if request.why:
        found["sandgate_why"] = request.why
    if request.amendment is not None:
        if not request.amendment.places:
            found["codex_proposed_execpolicy_amendment"] = list(request.amendment.prefix)
        found["sandgate_rule"] = saved_as(request.amendment)
    if request.risk is not None:
        found["codex_risk"] = risk_json(request.risk)
    if request.denial is not None:
        found["sandgate_denials"] = [denial_json(denial) for denial in request.denial.denials]
    return found


def _changes_json(changes: tuple[FileChange, ...]) -> Json:
    """By path. Names of odd bytes may look alike once they can be sent; none pushes another out."""
    found: Json = {}
    for change in changes:
        name = sendable(change.path)
        while name in found:
            name += "'"
        found[name] = change_json(change)
    return found
