"""The words of an approval prompt: pure text, nothing is printed here.

Order: why it is asked, reason, what was denied, risk with its reasons, then the command with its
directory, what would keep it from being asked again, then one key per choice. A high risk takes capital keys, so
that a habit cannot approve it; Enter never answers.
"""

from __future__ import annotations

from sandgate.approvals.places import is_about_places
from sandgate.approvals.prompts.asked_again import again_lines, why_line
from sandgate.approvals.prompts.risk_lines import risk_lines
from sandgate.commandline.words import joined, program_name
from sandgate.display import BOLD, RESET, one_line, visible
from sandgate.protocol.decisions import RETRY_REASONS
from sandgate.protocol.permissions import ESCALATE, names_a_host
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from sandgate.protocol.decisions import Amendment, ApprovalRequest, ReviewDecision, Stage
    from sandgate.protocol.denials import Denial
    from sandgate.protocol.permissions import Grant

COMMAND_LINES_MAX = 10  # lines of a command shown before it is folded
PATCH_LINES_MAX = 40  # the same of a patch
DENIALS_SHOWN_MAX = 8
FILES_SHOWN_MAX = 6
COLUMNS_DEFAULT = 80
CONTINUATION = "      ┆ "
IN_SANDBOX = "run it in the sandbox"
NO_SANDBOX = "run it; this policy has NO sandbox"
APPLY = "apply it"
TYPE = "type it"
INPUT_FAMILY = "stdin"  # as gate/input_review.py has it
CHANGING = "approve-session-changing"
COVERS_RETRY = " (if blocked, once more with what it lacked in the workspace)"
WAITS = "it has stopped at this very call; a yes carries the call out, and the command goes on from there"
REFUSALS: dict[Stage, str] = {
    "initial": "no",
    "held": "no, the call fails and the command goes on",
    "retry": "no, keep the result as it is",
}
REASON_CHARACTERS_MAX = 500
LINE_CHARACTERS_MAX = 400
NAME_CHARACTERS_MAX = 40  # of a name that is only an example
SHELLS = ("bash", "sh", "zsh", "dash")  # their scripts are shown line by line, not as one quoted word
COLOURS = {"low": "\033[32m", "medium": "\033[36m", "high": "\033[31m"}


class Choice(Record):
    """One key and what it means."""

    key: str
    name: str  # where there are no keys
    label: str
    decision: ReviewDecision
    grants: tuple[Grant, ...] = ()
    amendment: Amendment | None = None
    changing: bool = False  # an answer for the session that holds also when what is executed changes


def choices(request: ApprovalRequest) -> tuple[Choice, ...]:
    """The choices of one request, most careful approval first, refusals last."""
    given = request.grants
    what = what_a_yes_does(request)
    yes = Choice("y", "approve", f"yes, once: {what}", "approved", given)
    offered = [yes, *(_for_session(request, what) if request.lasting else ())]
    if request.amendment is not None and not is_high(request):
        offered.append(_saving(request, request.amendment, what))
    if request.may_escalate and ESCALATE not in given:
        offered.append(Choice("u", "approve-unsandboxed", "yes, once, WITHOUT the sandbox", "approved", (ESCALATE,)))
    if is_high(request):
        offered = [choice.but(key=choice.key.upper()) for choice in offered]
    refuse = REFUSALS[request.stage]
    offered.append(Choice("n", "deny", refuse, "denied"))
    offered.append(Choice("q", "abort", "no, and stop everything", "abort"))
    return tuple(offered)


def _for_session(request: ApprovalRequest, what: str) -> Iterator[Choice]:
    files, given = executed_names(request), request.grants
    same = f", while {files} {_stays(request)}" if files and not is_about_places(request, given) else ""
    label = f"yes, for this session{same}: {what}{_beyond(request)}"
    yield Choice("a", "approve-session", label, "approved_for_session", given)
    if request.may_change:
        beyond = _beyond(request)
        label = f"yes, for this session, also when {files} changes (it stays in the sandbox): {what}{beyond}"
        yield Choice("c", CHANGING, label, "approved_for_session", given, changing=True)


def _saving(request: ApprovalRequest, amendment: Amendment, what: str) -> Choice:
    """Yes, and a rule for all commands of that beginning; the rule itself stands above the choices."""
    if amendment.places:
        shown = visible(joined(amendment.prefix), limit=LINE_CHARACTERS_MAX)
        label = f"yes, and always for commands starting with `{shown}`: {what}"
        return Choice("p", "approve-always", label, "approved_with_amendment", request.grants, amendment)
    kind = "always run WITHOUT the sandbox all" if amendment.sandbox == "bypass" else "always allow"
    shown = visible(joined(amendment.prefix), limit=LINE_CHARACTERS_MAX)
    which = f"commands starting with `{shown}`" if not amendment.exact else f"runs of exactly `{shown}`"
    files = executed_names(request)
    if files:
        which += f", while {files} {_stays(request)}" if amendment.same_content else f", also when {files} changes"
    if amendment.sandbox == "keep" and request.confined and _names_places_outside(request):
        which += ", in the sandbox, which opens nothing outside the workspace for them"
    label = f"yes, and {kind} {which} (now: {what})"
    return Choice("p", "approve-always", label, "approved_with_amendment", request.grants, amendment)


def _names_places_outside(request: ApprovalRequest) -> bool:
    """Whether its words say that it changes something there: what a rule allows is to start, and no place."""
    inside = (request.command.cwd.rstrip("/") + "/", "/tmp/", "/dev/")
    facts = request.risk.facts if request.risk is not None else ()
    changed = [each.target for each in facts if each.kind in ("writes", "deletes") and each.target[:1] == "/"]
    return not all(f"{place}/".startswith(inside) for place in changed)


def _stays(request: ApprovalRequest) -> str:
    return "stays as it is" if len(request_files(request)) == 1 else "stay as they are"


def what_a_yes_does(request: ApprovalRequest) -> str:
    """What is given, or done without anything being given."""
    return grants_text(request.grants) or _plain_yes(request) + (COVERS_RETRY if request.covers_retry else "")


def _plain_yes(request: ApprovalRequest) -> str:
    """What a yes does that gives nothing beyond the policy."""
    if request.changes:
        return APPLY
    if is_input(request):
        return TYPE
    return IN_SANDBOX if request.confined else NO_SANDBOX


def _beyond(request: ApprovalRequest) -> str:
    """What an answer for the session covers beside this very question."""
    if request.changes:
        return ", and any other change of these files"
    if is_about_places(request, request.grants):
        return ", any command"
    return ", and whatever else is typed into this command" if is_input(request) else ""


def is_input(request: ApprovalRequest) -> bool:
    """The question is about something to be typed into a live command."""
    return any(key.family == INPUT_FAMILY for key in request.keys)


def is_high(request: ApprovalRequest) -> bool:
    """Whether approving takes a deliberate key."""
    return request.risk is not None and request.risk.risk_level == "high"


def grants_text(grants: tuple[Grant, ...]) -> str:
    """What a yes gives, in one phrase; empty when it gives nothing beyond the policy."""
    return ", ".join(map(grant_text, grants))


def grant_text(grant: Grant) -> str:
    """One grant in words."""
    value = visible(grant.value, limit=LINE_CHARACTERS_MAX)
    match grant.kind:
        case "write_root":
            return f"may write below {value}"
        case "write_path":
            return f"may write {value}"
        case "new_entry":
            return f"may make {value}, which is new, and what is below it{_beside(grant.value)}"
        case "remove":
            return f"may remove {value} and what is below it, or move it away"
        case "metadata":
            return f"may change the mode, times and attributes of {value}"
        case "read_path":
            return f"may read {value}"
        case "host":
            if grant.value == "*":
                return "may use the network"
            named = names_a_host(grant.value)
            return f"may look up {value} and connect to its public addresses" if named else f"may connect to {value}"
        case "unix_socket":
            return f"may use the socket {value}"
        case _:
            return "run it WITHOUT the sandbox"


def _beside(made: str) -> str:
    """The names that a new file brings along (`protocol.names_beside.extends_name`); none go on from a dot."""
    name = made.rstrip("/").rpartition("/")[2]
    return "" if name.startswith(".") else f" or goes on from its name ({visible(name, limit=NAME_CHARACTERS_MAX)}-…)"


def denial_text(denial: Denial) -> str:
    """One denial: operation, object, who, and how sure we are."""
    who = f" by {visible(denial.program)}" if denial.program else ""
    doubt = "" if denial.certain else " (likely, judged from its output)"
    return f"{visible(denial.words, limit=LINE_CHARACTERS_MAX)}{who}{doubt}"


def prompt_lines(
    request: ApprovalRequest, *, colour: bool, position: str = "", columns: int = COLUMNS_DEFAULT, whole: bool = False
) -> list[str]:
    """Everything above the choices, no line wider than `columns`; `whole` where nothing can be unfolded later."""
    lines = [f"sandgate: approval needed{position}"]
    if request.changed:
        lines.append(f"  Asked again: {one_line(request.changed, limit=REASON_CHARACTERS_MAX)}")
    if request.asked_by:
        lines.append(f"  Asked by: {one_line(request.asked_by, limit=REASON_CHARACTERS_MAX)}")
    if why := why_line(request):
        lines.append(f"  Why: {why}")
    if request.reason and request.reason not in RETRY_REASONS:
        lines.append(f"  Reason: {one_line(request.reason, limit=REASON_CHARACTERS_MAX)}")
    if request.command.justification:
        said = one_line(request.command.justification, limit=REASON_CHARACTERS_MAX)
        lines.append(f"  Justification given: {said}")
    lines += _summary_lines(request)
    lines += _denied_lines(request)
    if request.stage == "held":
        lines.append(f"  Now: {WAITS}")
    lines += _risk_lines(request, colour=colour)
    lines += ["", *_shown_command(request, whole=whole)]
    lines += [f"  with {visible(name)}={visible(value)}" for name, value in request.command.set_variables]
    lines += [f"  in {visible(request.command.cwd)}", *_executed_lines(request), ""]
    if again := _again_lines(request, named=whole):
        lines += [*again, ""]
    return [piece for line in lines for piece in wrapped(line, columns)]


def _executed_lines(request: ApprovalRequest) -> list[str]:
    """The files that may be executed, found by their names alone: a yes is about what they hold now."""
    named = executed_names(request)
    return [f"  with {named} as {'it is' if len(request_files(request)) == 1 else 'they are'} now"] if named else []


def request_files(request: ApprovalRequest) -> tuple[str, ...]:
    """What commands may change and this one executes."""
    return () if request.binding is None else request.binding.files


def executed_names(request: ApprovalRequest) -> str:
    """The same in words, relative to the directory where they lie below it; "" for none."""
    files = request_files(request)
    below = request.command.cwd.rstrip("/") + "/"
    names = [visible(path.removeprefix(below).removeprefix("./"), limit=LINE_CHARACTERS_MAX) for path in files]
    shown = ", ".join(names[:FILES_SHOWN_MAX])
    return f"{shown} and {len(names) - FILES_SHOWN_MAX} more" if len(names) > FILES_SHOWN_MAX else shown


def _again_lines(request: ApprovalRequest, *, named: bool) -> list[str]:
    """Where there are no keys, answers are called by their names."""
    called = {choice.name: choice.name if named else choice.key for choice in choices(request)}
    found = again_lines(request, session=called.get("approve-session", ""), always=called.get("approve-always", ""))
    return [f"  Not again: {line}" for line in found]


def wrapped(line: str, columns: int) -> list[str]:
    """A line cut before the terminal would, each further piece behind a mark, so that none looks like a line of ours.

    Between words, where one ends in the second half; a piece that is full to its last cell was cut inside a word.
    """
    if "\033" in line or (line.isascii() and len(line) <= columns):
        return [line]
    pieces: list[str] = []
    room, mark = columns, ""
    while line or not pieces:
        size = _between_words(line, _fitting(line, room))
        pieces.append(mark + line[:size])
        line = line[size:]
        room, mark = columns - len(CONTINUATION) - 1, CONTINUATION  # some terminals draw the mark itself wide
    return pieces


def _between_words(line: str, size: int) -> int:
    """`size`, or less where that ends a word; its blank stays at the end, as nothing may be lost."""
    if line[size : size + 1] in ("", " "):
        return size
    after = line.rfind(" ", size // 2, size) + 1
    return after or size


def _fitting(line: str, room: int) -> int:
    """How many of its characters surely fit into `room` cells; at least one. Doubtful ones count as wide."""
    if line.isascii():
        return max(room, 1)
    from unicodedata import east_asian_width

    taken = 0
    for at, char in enumerate(line):
        taken += 2 if east_asian_width(char) in "WFA" else 1
        if taken > room:
            return max(at, 1)
    return len(line)


def choice_lines(request: ApprovalRequest, columns: int | None = None) -> list[str]:
    """The choices, one line each, and how they are answered. A grant may name a long path: see `wrapped`."""
    lines = [f"  [{choice.key}] {choice.label}" for choice in choices(request)]
    if is_high(request):
        lines.append("  (high risk: approving takes the capital letter)")
    return lines if columns is None else [piece for line in lines for piece in wrapped(line, columns)]


def question(request: ApprovalRequest) -> str:
    """The last line, which waits for a key."""
    return f"Your answer [{'/'.join(choice.key for choice in choices(request))}]: "


def _summary_lines(request: ApprovalRequest) -> list[str]:
    """What the command does, where that can be said in a few words."""
    if request.changes:
        return []
    from sandgate.approvals.prompts.summary_words import in_words

    words = in_words(request.command.argv)
    return [f"  Does: {words}"] if words else []


def _denied_lines(request: ApprovalRequest) -> list[str]:
    if request.denial is None:
        return []
    denials = request.denial.denials
    # A deletion is never folded away: it is what a reader most needs to see.
    late_deletions = [denial for denial in denials[DENIALS_SHOWN_MAX:] if denial.operation == "delete"]
    shown = [*denials[:DENIALS_SHOWN_MAX], *late_deletions]
    said = "Wants" if request.stage == "held" else "Denied"
    lines = [f"  {said}: {denial_text(denial)}" for denial in shown]
    more = len(denials) - len(shown) + request.denial.omitted
    return [*lines, f"  Denied: {more} more"] if more else lines


def _risk_lines(request: ApprovalRequest, *, colour: bool) -> list[str]:
    if request.risk is None:
        return []
    lines = risk_lines(request.risk)
    if not colour:
        return [f"  {line}" for line in lines]
    level = request.risk.risk_level
    painted = f"{BOLD}{COLOURS[level]}{level.upper()}{RESET}"
    return [f"  {line.replace(level.upper(), painted, 1) if line.startswith('Risk:') else line}" for line in lines]


def command_lines(request: ApprovalRequest) -> list[str]:
    """The whole command as it will run, made visible, one list entry a line; of a patch what it does."""
    if request.changes:
        from sandgate.approvals.prompts.patch_lines import change_lines

        return change_lines(request.changes)
    argv = request.command.argv
    if len(argv) == 3 and argv[1] in ("-c", "-lc") and program_name(argv[0]) in SHELLS and "\n" in argv[2]:
        return [visible(f"{argv[0]} {argv[1]} ↵"), *map(visible, argv[2].split("\n"))]
    return [visible(joined(argv))]


def whole_command_lines(request: ApprovalRequest, columns: int) -> list[str]:
    """All of it for a person who wants to see it, cut as in the prompt: no piece stands where words of ours do."""
    return [piece for line in _shown_command(request, whole=True) for piece in wrapped(line, columns)]


def is_folded(request: ApprovalRequest) -> bool:
    """Whether the prompt shows less than the whole command."""
    lines = command_lines(request)
    return len(lines) > _lines_max(request) or any(len(line) > LINE_CHARACTERS_MAX for line in lines)


def _shown_command(request: ApprovalRequest, *, whole: bool) -> list[str]:
    lines = command_lines(request)
    folds = not whole and is_folded(request)
    shown = [line[:LINE_CHARACTERS_MAX] for line in lines[: _lines_max(request)]] if folds else lines
    if folds:
        shown.append(f"({len(lines)} lines, {sum(map(len, lines))} characters: press v to see all of it)")
    if request.changes:
        return ["  $ apply_patch", *(f"    {line}" for line in shown)]
    return [f"  {'$' if number == 0 else ' '} {line}" for number, line in enumerate(shown)]


def _lines_max(request: ApprovalRequest) -> int:
    return PATCH_LINES_MAX if request.changes else COMMAND_LINES_MAX
