"""A question in three lines, for clients that show no more: the command, what speaks against it, what yes gives. Pure.

Some clients cut what they are given (Claude Code shows three lines of four or more), and a yes must be to something
that was seen. So each line says what comes first of its kind, and `Brief.whole` whether the command is all there.
"""

from __future__ import annotations

from sandgate.approvals.prompts.prompt import SHELLS, choices, command_lines, denial_text
from sandgate.display import one_line, visible
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.decisions import ApprovalRequest

COMMAND_CELLS_MAX = 74  # of a command that a terminal of 80 columns shows within a frame
USUAL_SHELLS = tuple(f"{place}/{shell}" for place in ("/bin", "/usr/bin") for shell in SHELLS)
LINE_CHARS_MAX = 200  # of the other lines; what is cut there stands further down


class Brief(Record):
    """The lines, and whether the first one is all that would run."""

    command: str
    against: str
    accept: str  # what a plain yes gives
    whole: bool


def brief_of(request: ApprovalRequest) -> Brief:
    """The question's three lines."""
    shown = _command(request)
    label = next(choice.label for choice in choices(request) if choice.name == "approve")
    return Brief(
        f"$ {visible(shown, limit=COMMAND_CELLS_MAX)}",
        one_line(_against(request), limit=LINE_CHARS_MAX),
        f"Accept: {label}",
        whole=not request.changes
        and not request.command.set_variables
        and _fits(shown)
        and len(label) < LINE_CHARS_MAX,
    )


def _command(request: ApprovalRequest) -> str:
    """A shell's script by itself, everything else as it would be typed; of a patch its first line."""
    argv = request.command.argv
    if request.changes:
        return f"apply_patch: {len(request.changes)} file(s), {command_lines(request)[0]}"
    if len(argv) == 3 and argv[1] in ("-c", "-lc") and argv[0] in USUAL_SHELLS:
        return argv[2]
    return "\n".join(command_lines(request))


def _fits(shown: str) -> bool:
    """Whether all of it is seen. A wide character takes two cells."""
    cells = len(visible(shown)) * (1 if shown.isascii() else 2)
    return "\n" not in shown and cells <= COMMAND_CELLS_MAX


def _against(request: ApprovalRequest) -> str:
    risk = request.risk
    found = [f"Risk: {risk.risk_level.upper()}"] if risk is not None else []
    if request.denial is not None and request.denial.denials:
        more = len(request.denial.denials) - 1 + request.denial.omitted
        found.append(f"denied: {denial_text(request.denial.denials[0])}" + (f" and {more} more" if more else ""))
    elif risk is not None and risk.reasons:
        found.append(risk.reasons[0])
    if request.changed:
        found.append(f"asked again: {request.changed}")
    return "; ".join(found) or "Risk: not known"
