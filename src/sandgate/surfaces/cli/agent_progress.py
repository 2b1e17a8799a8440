"""What a person at `sandgate agent` sees while it works: short lines on stderr, a fact each.

Everything that a model or a command wrote is made visible and stands behind a word of ours on its line, or behind `|`:
no output can look like a line of Sandgate. While a question is open at this terminal nothing is printed between it and
its answer; what happens meanwhile is held back and told afterwards.
"""

from __future__ import annotations

from sandgate.commandline.words import joined
from sandgate.display import BOLD, DIM, RESET, one_line, visible
from sandgate.protocol import events as told
from sandgate.protocol.decisions import RETRY_REASONS
from sandgate.surfaces.cli.approval_hints import allowing
from sandgate.surfaces.cli.narrate import grant_words
from sandgate.surfaces.cli.turn_outcome import APPROVED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.decisions import ApprovalRequest
    from sandgate.protocol.events import Event, EventMessage
    from sandgate.protocol.patches import FileChange
    from sandgate.protocol.usage import TokenUsage

LINE_CHARACTERS_MAX = 400
OUTPUT_LINES_MAX = 6  # the last ones of a command that failed
MESSAGE_LINES_MAX = 60  # of one message of the model
FILES_MAX = 20  # named of one patch
HELD_LINES_MAX = 2000  # while a question is open; more are counted
MARK = "  | "
ENDED_BY_US = (129, 137, 143)  # 128 + SIGHUP, SIGKILL, SIGTERM: what a command ends with that the session ends
HINTS = {"missing_key": "  set it to your key, or choose another provider: `model_provider` in config.toml, or `-c`"}
SHELLS = ("bash", "sh", "zsh", "dash")
RED, GREEN, CYAN = "\033[31m", "\033[32m", "\033[36m"
RISK_COLOURS = {"low": GREEN, "medium": CYAN, "high": RED}
LETTERS = {"add": "A", "delete": "D", "update": "M"}


class AgentProgress:
    """Turns events into text for stderr: whole lines, or nothing.

    `tells_all`: also the last message, which otherwise goes to stdout when the turn is over.
    """

    def __init__(self, *, colour: bool, asks_a_person: bool, tells_all: bool = False) -> None:
        self._colour = colour
        self._asks_a_person = asks_a_person
        self._tells_all = tells_all
        self._numbers: dict[str, int] = {}  # of the calls that were shown, by id
        self._living: set[str] = set()  # calls of commands that were said to run on
        self._questions: dict[str, tuple[ApprovalRequest, list[str]]] = {}  # and what is still to be told of them
        self._last_message = ""  # shown when it turns out not to be the last
        self._held: list[str] = []
        self._held_more = 0
        self._cwd = ""
        self._turn_is_over = False
        self._usage: TokenUsage | None = None

    def __call__(self, event: Event) -> str:
        """What to print now."""
        lines = self._lines(event.msg)
        if self._questions and self._asks_a_person and not isinstance(event.msg, told.ShutdownComplete):
            room = max(0, HELD_LINES_MAX - len(self._held))
            self._held += lines[:room]
            self._held_more += max(0, len(lines) - room)
            return ""
        held, self._held = self._held, []
        if self._held_more:
            held.append(f"({self._held_more} more lines)")
            self._held_more = 0
        return "".join(f"{line}\n" for line in held + lines)

    def _lines(self, message: EventMessage) -> list[str]:
        match message:
            case told.SessionConfigured():
                self._cwd = message.cwd
                facts = f"model {message.model}, approvals {message.approval_policy}, in {message.cwd}"
                return [self._painted(DIM, _shown(f"session {message.session_id}: {facts}"))]
            case told.TaskStarted():
                self._turn_is_over = False
                return []
            case told.AgentMessage():
                earlier, self._last_message = self._earlier(), message.message
                return earlier
            case told.TaskComplete() | told.TurnAborted():
                return self._turn_ended(message)
            case told.TokenCount() if message.info is not None:
                self._usage = message.info.total
                return []
            case told.PlanUpdate():
                return self._earlier() + [f"plan: {_mark(each.status)} {_shown(each.step)}" for each in message.plan]
            case _:
                return self._about_calls(message) or self._remarks(message)

    def _about_calls(self, message: EventMessage) -> list[str]:
        match message:
            case told.ExecCommandBegin():
                where = "" if message.cwd == self._cwd else f"  (in {message.cwd})"
                line = f"$ {_shown(_command(message.command) + where)}"
                return [*self._earlier(), f"[{self._number(message.call_id)}] {self._painted(BOLD, line)}"]
            case told.ExecCommandContinues():
                return self._runs_on(message)
            case told.TerminalInteraction() if message.stdin:
                return [*self._earlier(), f"[{self._number(message.call_id)}] typed: {_shown(message.stdin)}"]
            case told.ExecCommandEnd():
                return [*self._earlier(), *self._command_ended(message)]
            case told.PatchApplyBegin():
                line = f"patch: {_files(message.changes, self._cwd)}"
                return [*self._earlier(), f"[{self._number(message.call_id)}] {line}"]
            case told.PatchApplyEnd():
                return self._patch_ended(message)
            case told.McpToolCallBegin():
                name = _shown(f"{message.server}.{message.tool}")
                return [*self._earlier(), f"[{self._number(message.call_id)}] tool {name}"]
            case told.McpToolCallEnd() if message.declined:
                return self._declined(message)
            case told.McpToolCallEnd():
                said = "done" if message.success else f"failed: {_shown(message.error or 'it said so')}"
                return [f"[{self._number(message.call_id)}] {said}"]
            case told.ExecApprovalRequest() | told.ApplyPatchApprovalRequest():
                return self._asked(message)
            case told.ApprovalResolved():
                return self._answered(message)
            case told.AutomaticReview() if message.status != "in_progress":
                risk = f", {message.risk_level} risk" if message.risk_level else ""
                said = f"automatic review: {message.status.replace('_', ' ')}{risk}"
                return [*self._earlier(), _shown(f"{said}{_behind(message.rationale)}")]
            case _:
                return []

    def _remarks(self, message: EventMessage) -> list[str]:
        match message:
            case told.Failed():
                hints = [HINTS[message.code]] if message.code in HINTS else []
                return [*self._earlier(), self._painted(RED, f"error: {_shown(message.message)}"), *hints]
            case told.StreamError():
                why = f" ({_shown(message.additional_details)})" if message.additional_details else ""
                return [f"retry: {_shown(message.message)}{why}"]
            case told.Warned():
                first, _, rest = message.message.partition("\n")
                return [f"warning: {_shown(first)}", *_quoted(rest, OUTPUT_LINES_MAX)]
            case told.DeprecationNotice():
                return [f"warning: {_shown(' '.join(filter(None, (message.summary, message.details))))}"]
            case told.BackgroundEvent():
                return [self._painted(DIM, f"note: {_shown(message.message)}")]
            case told.DelegateBegin():
                return [*self._earlier(), f"sub-agent starts: {one_line(message.prompt, limit=LINE_CHARACTERS_MAX)}"]
            case told.DelegateEnd():
                return [*self._earlier(), f"sub-agent: {message.status.replace('_', ' ')}"]
            case told.ContextCompacted():
                return ["the conversation was too long and has been summed up"]
            case told.UndoCompleted():
                return [f"undo: {'done' if message.success else 'failed'}{_behind(message.message)}"]
            case _:
                return []

    def _number(self, call: str) -> int:
        return self._numbers.setdefault(call, len(self._numbers) + 1)

    def _earlier(self) -> list[str]:
        """The message that was not the last one."""
        text, self._last_message = self._last_message, ""
        return _quoted(text, MESSAGE_LINES_MAX) if text else []

    def _turn_ended(self, message: told.TaskComplete | told.TurnAborted) -> list[str]:
        lines = self._earlier() if self._tells_all or isinstance(message, told.TurnAborted) else []
        self._last_message = ""
        self._questions.clear()
        self._turn_is_over = True
        if isinstance(message, told.TurnAborted):
            lines.append(self._painted(RED, f"the turn was ended: {message.reason.replace('_', ' ')}"))
        if self._usage is not None:
            used = self._usage
            counts = f"{used.input_tokens} in, {used.cached_input_tokens} of them cached; {used.output_tokens} out"
            lines.append(self._painted(DIM, f"tokens: {used.blended} new ({counts})"))
        return lines

    def _runs_on(self, message: told.ExecCommandContinues) -> list[str]:
        """Once for each command."""
        if message.call_id in self._living:
            return []
        self._living.add(message.call_id)
        return [*self._earlier(), f"[{self._number(message.call_id)}] runs on, as process {message.process_id}"]

    def _command_ended(self, end: told.ExecCommandEnd) -> list[str]:
        number = f"[{self._number(end.call_id)}]"
        if end.status == "declined":
            refused = self._painted(RED, f"refused: {_shown(_command(end.command))}")
            return [f"{number} {refused}", *_quoted(end.formatted_output, OUTPUT_LINES_MAX)]
        if end.error is not None:
            return [f"{number} {self._painted(RED, 'failed')}", *_quoted(end.error, OUTPUT_LINES_MAX)]
        took = f"{end.duration_ms / 1000:.1f} s"
        if self._turn_is_over and end.exit_code in ENDED_BY_US:
            return [f"{number} ended with the turn, after {took}"]
        colour = RED if end.exit_code else GREEN
        line = f"{number} {self._painted(colour, f'exit {end.exit_code}')}, {took}"
        return [line, *(_tail(end.aggregated_output) if end.exit_code else [])]

    def _patch_ended(self, end: told.PatchApplyEnd) -> list[str]:
        number = f"[{self._number(end.call_id)}]"
        if end.success:
            return [f"{number} {self._painted(GREEN, 'applied')}"]
        word = "refused" if end.status == "declined" else "failed, and nothing was changed"
        return [f"{number} {self._painted(RED, word)}", *_tail(end.stderr or end.stdout)]

    def _declined(self, end: told.McpToolCallEnd) -> list[str]:
        refused = self._painted(RED, f"refused: {_shown(f'{end.server}.{end.tool}')}")
        return [f"[{self._number(end.call_id)}] {refused}", *_quoted(end.error or "", OUTPUT_LINES_MAX)]

    def _asked(self, question: told.ExecApprovalRequest | told.ApplyPatchApprovalRequest) -> list[str]:
        request = question.request
        about = _files(request.changes, self._cwd) if request.changes else f"$ {_shown(_command(request.command.argv))}"
        whose = " of a sub-agent" if question.delegate else ""
        lines = [f"question{whose}: {about}{_behind(_reason(request))}"]
        if request.why:
            lines.append(f"  asked because: {one_line(request.why, limit=LINE_CHARACTERS_MAX)}")
        if request.risk is not None:
            level = self._painted(RISK_COLOURS.get(request.risk.risk_level, ""), request.risk.risk_level.upper())
            lines.append(f"  risk {level}: {one_line(request.risk.description, limit=LINE_CHARACTERS_MAX)}")
        if len(self._questions) >= HELD_LINES_MAX:
            return lines
        # A person reads the question at the terminal; only if another reviewer answers has it to be told here.
        kept = lines if self._asks_a_person else []
        self._questions[question.approval_id] = request, kept
        return [] if self._asks_a_person else lines

    def _answered(self, answer: told.ApprovalResolved) -> list[str]:
        request, question = self._questions.pop(answer.approval_id, (None, []))
        if answer.source == "user":
            question = []
        if answer.source != "none":
            word = answer.decision.replace("_", " ")
            colour = GREEN if answer.decision in APPROVED else RED
            return [*question, f"  {self._painted(colour, _shown(word))} by {_shown(answer.source.replace('_', ' '))}"]
        refused = self._painted(RED, "refused: nobody could be asked")
        hints = allowing(request) if request is not None else ()
        return [*question, f"  {refused}", *(f"  it would be allowed by: {_shown(hint)}" for hint in hints)]

    def _painted(self, colour: str, text: str) -> str:
        return f"{colour}{text}{RESET}" if self._colour and colour else text


def _shown(text: str) -> str:
    return visible(text, limit=LINE_CHARACTERS_MAX)


def _behind(reason: str | None) -> str:
    return f" ({one_line(reason, limit=LINE_CHARACTERS_MAX)})" if reason else ""


def _reason(request: ApprovalRequest) -> str:
    """Of a denial, what a yes gives: the words that clients know it by say something else."""
    gives = f"a yes gives {', '.join(map(grant_words, request.grants))}" if request.grants else ""
    if request.stage == "held" and gives:
        return f"it waits at a call that the sandbox refuses; {gives}"
    if request.reason not in RETRY_REASONS or not gives:
        return request.reason
    return f"the sandbox stopped it; {gives}"


def _command(argv: tuple[str, ...]) -> str:
    """As a person would type it; the shell that only carries a script is left out."""
    carried = len(argv) == 3 and argv[1] in ("-c", "-lc") and argv[0].rpartition("/")[2] in SHELLS
    return argv[2] if carried else joined(argv)


def _files(changes: tuple[FileChange, ...], cwd: str) -> str:
    below = f"{cwd}/"
    named = [f"{LETTERS[change.kind]} {_shown(change.path.removeprefix(below))}" for change in changes[:FILES_MAX]]
    more = len(changes) - len(named)
    return ", ".join(named) + (f" and {more} more" if more else "")


def _mark(status: str) -> str:
    return {"completed": "[x]", "in_progress": "[>]"}.get(status, "[ ]")


def _tail(output: str) -> list[str]:
    """The last lines of an output, each behind the mark."""
    lines = [line for line in output[-OUTPUT_LINES_MAX * LINE_CHARACTERS_MAX * 4 :].splitlines() if line.strip()]
    return [MARK + _shown(line.expandtabs()) for line in lines[-OUTPUT_LINES_MAX:]]


def _quoted(text: str, lines_max: int) -> list[str]:
    lines = text.splitlines()
    more = [f"{MARK}({len(lines) - lines_max} more lines)"] if len(lines) > lines_max else []
    return [MARK + _shown(line.expandtabs()) for line in lines[:lines_max]] + more
