"""Judges a command before it runs, by what it says and what its targets are. No model, no disk, no clock.

Whose state would help is asked of the facts, which somebody else looks up. A command is walked with a stack of things
still to look at, so that nesting costs steps and not the interpreter's stack. The result is advice: it names the worst
thing found and the facts behind it, and it says when it could not be sure.
"""

from __future__ import annotations

from sandgate.assessment.conclusion import conclusion
from sandgate.assessment.expansion import Arg, Shell, Value, expand
from sandgate.assessment.findings import (
    EXFILTRATION,
    EXHAUSTION,
    HIGH,
    NETWORK,
    PRIVILEGE,
)
from sandgate.assessment.frames import Frame, Pipeline
from sandgate.assessment.inquiry import MAX_STEPS, Call, Inquiry, is_local
from sandgate.assessment.judges.builtins import judge_loop
from sandgate.assessment.judges.common import emptied
from sandgate.assessment.judges.feeding import narrows
from sandgate.assessment.judges.files import PASSING, fills_disk, output_never_ends, says_nothing
from sandgate.assessment.judges.loops import judge_looped
from sandgate.assessment.judges.network import private_input
from sandgate.assessment.judges.revealing import judge_shown
from sandgate.assessment.judges.spoken import echo_output, spoken
from sandgate.assessment.judges.variables import judge_assignment
from sandgate.assessment.program import judge_call
from sandgate.assessment.repeating import JudgedCalls
from sandgate.assessment.stopped import denial_findings, denial_sentence
from sandgate.assessment.wording import worded
from sandgate.commandline.grammar import SCRIPT_BYTES_MAX
from sandgate.commandline.respelling import plainer
from sandgate.commandline.script import loose_word, rough_commands
from sandgate.commandline.walk import script
from sandgate.protocol.risk import RiskAssessment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.assessment.facts import AssessmentFacts
    from sandgate.assessment.inquiry import Flow
    from sandgate.commandline.script import SimpleCommand, Word
    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.denials import DenialReport
    from sandgate.protocol.permissions import EffectivePermissions

    State = tuple[str | None, int, int]

MAX_DEPTH = 16  # scripts and wrappers inside one another; nothing honest needs more
REMEMBERED_FROM = 12  # calls; a line of fewer hardly repeats itself
APPENDING = (">>", "&>>")


def assess(
    command: CommandRequest,
    *,
    facts: AssessmentFacts,
    denial: DenialReport | None = None,
    permissions: EffectivePermissions | None = None,
) -> RiskAssessment | None:
    """What running `command` could do; None when there is nothing to judge. `denial`: what a sandbox has stopped."""
    if not command.argv or not command.argv[0]:
        return None
    if permissions is not None:
        roots = dict.fromkeys((*facts.writable_roots, *permissions.writable))
        facts = facts.but(writable_roots=tuple(roots))
    inquiry = _inquire(command, facts)
    findings = [*inquiry.findings, *denial_findings(denial, facts, inquiry.findings)]
    return conclusion(findings, inquiry.doubts, denial_sentence(denial))


def work(command: CommandRequest, facts: AssessmentFacts) -> int:
    """How many calls and scripts judging `command` looks at: its cost, countable."""
    return _inquire(command, facts).steps


def _inquire(command: CommandRequest, facts: AssessmentFacts) -> Inquiry:
    inquiry = Inquiry(facts)
    shell = Shell(command.cwd or facts.cwd, facts.home, facts.environment or command.env)
    args = [_direct(text, shell) for text in command.argv]
    first = Call(command.argv[0], args[1:], shell, 0)
    _Walk(inquiry).run(first)
    return inquiry


def _direct(text: str, shell: Shell) -> Arg:
    """An argument that no shell expands, judged as if one might: `~` in an argv is meant as the home directory."""
    return expand(loose_word(text), shell, direct=text or " ")[0] if text else Arg("")


class _Walk:
    """The one loop. A frame is a script half read; calls wait on the inquiry's list."""

    def __init__(self, inquiry: Inquiry) -> None:
        self.inquiry = inquiry
        self.frames: list[Frame] = []
        self.functions: frozenset[str] = frozenset()
        self.judged = JudgedCalls(inquiry)

    def run(self, first: Call) -> None:
        self.judge(first)
        self.drain()
        while self.frames:
            self.next_command()

    def next_command(self) -> None:
        frame = self.frames[-1]
        if frame.index >= len(frame.commands) or self.inquiry.steps > MAX_STEPS:
            self.frames.pop()
            return
        kind = next(frame.kinds, None)
        if kind is not None:
            self.pipeline(*kind, frame)
            return
        frame.index += 1
        self.command(frame.commands[frame.index - 1], frame)

    def pipeline(self, kind: int, length: int, frame: Frame) -> None:
        """Judge a whole pipeline; nothing new is found when the same one was judged while all was as it is now."""
        inquiry = self.inquiry
        state, (judged_in, steps) = self.state(frame), frame.said.get(kind, (None, 0))
        if state is not None and state == judged_in and inquiry.steps + steps <= MAX_STEPS:
            inquiry.steps += steps
            frame.index += length
            return
        before = inquiry.steps
        for _ in range(length):
            if inquiry.steps > MAX_STEPS:
                return
            frame.index += 1
            self.command(frame.commands[frame.index - 1], frame)
        if state is not None and state == self.state(frame):
            frame.said[kind] = state, inquiry.steps - before

    def state(self, frame: Frame) -> State | None:
        """What a judgement depends on beside the words; None when that is more than is worth comparing."""
        shell, inquiry = frame.caller.shell, self.inquiry
        if shell.variables:
            return None
        return shell.cwd, inquiry.downloads.changes, inquiry.written.changes

    def drain(self) -> None:
        """Judge the calls that the last one started; scripts become frames."""
        inquiry = self.inquiry
        scripts: list[tuple[str, Call]] = []
        while inquiry.pending:
            waiting, inquiry.pending = inquiry.pending, []
            for item in waiting:
                if isinstance(item, tuple):
                    scripts.append(item)
                else:
                    self.judge(item)
        for text, caller in reversed(scripts):
            self.enter(text, caller)

    def judge(self, call: Call) -> None:
        if self.inquiry.steps > MAX_STEPS:
            return
        self.inquiry.steps += 1
        if self.inquiry.steps > MAX_STEPS:
            self.inquiry.give_up()
            return
        if call.depth > MAX_DEPTH:
            self.inquiry.doubt("commands are nested too deeply to be judged", level=HIGH)
            return
        key = self.judged.key(call, self.functions) if self.inquiry.steps > REMEMBERED_FROM else None
        if key is None or not self.judged.repeat(call, key):
            given, shell = call.args, call.shell
            judge_call(call, self.inquiry, self.functions)
            if key is not None and call.shell is shell:
                self.judged.remember(call, key, given)
        if key is not None:
            self.judged.number(call, key)

    def enter(self, text: str, caller: Call) -> None:
        """Begin a script. A text the grammar cannot read is judged twice: by what was read, and word by word."""
        if not text.strip():
            return
        if caller.depth > MAX_DEPTH or len(text) > SCRIPT_BYTES_MAX:
            self.inquiry.doubt("the script is too long or too deep to be judged", level=HIGH)
            return
        inner = caller.inside(caller.program, ())
        found = script(plainer(text))
        if not found.complete:
            self.inquiry.doubt("part of the script could not be read")
            self.frames.append(Frame(rough_commands(text), inner))
        self.frames.append(Frame(found.commands, inner, found.kinds))

    def command(self, command: SimpleCommand, frame: Frame) -> None:
        shell = frame.shell_of(command)
        inflow = frame.inflow.pop(command.number, {})
        flowing = tuple(inflow.items())
        words: list[Arg] = []
        for word in command.words:
            made = expand(word, shell, flowing if flowing and _substitutes(word) else ())
            if len(made) > 1 and not self.inquiry.affords(len(made) - 1):
                return
            words += made
        call = frame.caller.inside(words[0].text if words else "", words[1:])
        call.depth, call.shell = frame.caller.depth, shell
        since = len(self.inquiry.findings)
        call.function, call.looped, call.background = command.function, command.looped, command.background
        call.spinning = command.spinning
        call.inherited = frame.caller
        if command.stdin_text is not None:
            call.stdin_text = command.stdin_text
        if words and words[0].carries:  # `$X`, where X holds what was downloaded
            inflow = {**inflow, **dict(words[0].carries)}
        self.functions = frame.functions
        self.connect(call, command, frame, inflow)
        if command.assignments:
            self.assign(command, call, shell, flowing)
        if command.redirections:
            self.redirect(command, call, "<")
        if words:
            self.note_variables(words)
            self.judge(call)
            self.drain_here()
            if command.looped and (command.background or command.spinning):
                judge_loop(command, self.inquiry)
        else:
            self.drain_here()
            if command.spinning and command.assignments:
                said = "Takes all of the processor, and does not stop by itself"
                self.inquiry.add(HIGH, "runs", "?", "repeats without end or rest", said, "", (EXHAUSTION,))
        if command.redirections:
            self.redirect(command, call, ">")
        if command.looped:
            judge_looped(command, frame.loops(), self.inquiry, since)
        self.flow_on(call, command, frame)

    def drain_here(self) -> None:
        """What a call starts belongs to its place in the pipeline, so it is judged before the next stage.

        Scripts in scripts meet here again; `MAX_DEPTH` bounds how often.
        """
        if not self.inquiry.pending:
            return
        outer, self.frames = self.frames, []
        functions = self.functions
        self.drain()
        while self.frames:
            self.next_command()
        self.frames, self.functions = outer, functions

    def connect(self, call: Call, command: SimpleCommand, frame: Frame, inflow: Flow) -> None:
        """What reaches the command through pipes, variables and substitutions."""
        upstream = {**frame.caller.upstream, **inflow}
        feeder = frame.caller.feeder if not command.pipes else None
        for number, position in command.pipes:
            pipeline = frame.pipelines.setdefault(number, Pipeline())
            pipeline.enter(position)
            upstream.update(pipeline.before)
            feeder = pipeline.feeder or feeder
        for arg in call.args:
            if arg.carries:
                upstream.update(arg.carries)
        call.upstream, call.feeder = upstream, feeder

    def flow_on(self, call: Call, command: SimpleCommand, frame: Frame) -> None:
        if not command.pipes and command.substituted_into is None:
            if "secret" in call.outflow and not any(">" in each.operator for each in command.redirections):
                judge_shown(call, self.inquiry)
            return
        out: Flow = {**call.upstream, **call.outflow}
        if "processes" in out and narrows(call):
            out["processes"] = "some"
        if output_never_ends(call):
            out["endless"] = call.program
        elif "endless" in out and call.program not in PASSING:
            del out["endless"]
        for number, _ in command.pipes:
            pipeline = frame.pipelines[number]
            pipeline.current.update(out)
            pipeline.last = call
        if command.substituted_into is not None:
            said = spoken(call)
            if said is not None:
                out["said"] = said
            frame.inflow.setdefault(command.substituted_into, {}).update(out)

    def assign(self, command: SimpleCommand, call: Call, shell: Shell, flowing: tuple[tuple[str, str], ...]) -> None:
        """Remember what variables hold. A prefix assignment is only for its command, but keeping it does no harm."""
        for each in command.assignments:
            values = [arg for word in each.values for arg in expand(word, shell, flowing if _substitutes(word) else ())]
            judge_assignment(each.name, values, call, self.inquiry)
            carries = tuple(pair for arg in values for pair in arg.carries)
            texts = tuple(arg.text for arg in values)
            known = bool(values) and all(arg.known for arg in values)
            if (each.values and not command.words) or call.program in {
                "export",
                "local",
                "declare",
                "typeset",
                "readonly",
            }:
                shell.variables[each.name] = Value(texts or ("",), known or not texts, carries)

    def redirect(self, command: SimpleCommand, call: Call, direction: str) -> None:
        inquiry = self.inquiry
        for each in command.redirections:
            inward = each.operator.startswith("<") and each.operator != "<>"
            if inward != (direction == "<"):
                continue
            for arg in expand(each.target, call.shell):
                if arg.text.startswith(("/dev/tcp/", "/dev/udp/")):
                    _socket_redirection(arg.text, call, inquiry)
                elif inward:
                    inquiry.read(arg, call)
                    call.upstream.update({tag: what for tag, what in call.outflow.items() if tag in {"file", "secret"}})
                else:
                    self.output(arg, call, appends=each.operator in APPENDING)

    def output(self, arg: Arg, call: Call, *, appends: bool) -> None:
        inquiry = self.inquiry
        inquiry.write(arg, call, verb="Appends to" if appends else "Writes")
        if not appends and says_nothing(call):
            emptied(arg, call, inquiry)
        path, _ = call.paths(arg)
        if path is None:
            return
        if "network" in call.outflow or "network" in call.upstream:
            inquiry.downloads[path] = call.outflow.get("network") or call.upstream["network"]
        self.remember_text(path, call)
        goes_on = output_never_ends(call) or ("endless" in call.upstream and call.program in PASSING)
        if (goes_on or call.spinning) and (not path.startswith("/dev/") or path.startswith("/dev/shm/")):
            fills_disk(path, inquiry)
        elif goes_on and path == "/dev/null":
            inquiry.add(HIGH, "runs", call.program, "works without end for nothing",
                        "Keeps a processor busy until somebody stops it", "", (EXHAUSTION,))  # fmt: skip

    def remember_text(self, path: str, call: Call) -> None:
        """`echo … > x.sh; sh x.sh`: what is written here may be run a moment later."""
        text = call.stdin_text if call.program == "cat" else None
        if call.program in {"echo", "printf"}:
            text = echo_output(call)
        if text is not None:
            before = self.inquiry.written.get(path, "")
            if len(before) + len(text) <= SCRIPT_BYTES_MAX:
                self.inquiry.written[path] = f"{before}\n{text}" if before else text

    def note_variables(self, words: list[Arg]) -> None:
        for arg in words:
            if arg.note and arg.note not in self.inquiry.doubts:
                self.inquiry.doubts.append(arg.note)


def _substitutes(word: Word) -> bool:
    return any(piece.kind != "text" for piece in word.pieces)


def _socket_redirection(text: str, call: Call, inquiry: Inquiry) -> None:
    host = ":".join(text.split("/")[3:5])
    inquiry.contact(host, call)
    waits = call.program == "exec" and is_local(text.split("/")[3])  # for a server of one's own, most often
    if call.program in {"bash", "sh", "zsh", "exec"} and not waits:
        said = f"Gives {worded(host)} control of this account"
        why = "hands a shell to another machine"
        inquiry.add(HIGH, "contacts", host, why, said, "", (PRIVILEGE, EXFILTRATION, NETWORK))
    private = private_input(call)
    if private is not None or "file" in call.outflow or "secret" in call.outflow:
        inquiry.send(private or "the content of files", host)
