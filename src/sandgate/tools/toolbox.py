"""The tools of one session, put together: arguments become governed commands, and live commands are looked after.

Imported with the first live command, since a plain command does not need any of it.
"""

from __future__ import annotations

import os
import sys
from weakref import WeakKeyDictionary

from sandgate.commandline.patch_call import PatchCall, patch_call
from sandgate.commandline.words import quoted
from sandgate.display import visible
from sandgate.errors import (
    CommandRefused,
    PatchDoesNotFit,
    PatchError,
    RequestError,
    SandgateError,
    UnknownTerminal,
    VerificationFailed,
)
from sandgate.gate.input_review import InputReview
from sandgate.gate.patch_gate import PatchGate, unfit_patch
from sandgate.policy.tightness import confines_no_less
from sandgate.protocol.permissions import sandbox_mode
from sandgate.sandbox.missing_tmp_files import unseen_in
from sandgate.terminals.limits import exec_limits, with_background_limit
from sandgate.terminals.live_listing import live_commands
from sandgate.terminals.start import Shape
from sandgate.tools.answering import refused_answer
from sandgate.tools.answers import ANSWER_POLICY, ExecAnswer
from sandgate.tools.calls import ToolOutput, as_json, at_once, error_text, failed, guarded
from sandgate.tools.command_input import write_stdin
from sandgate.tools.command_start import await_command, start_command
from sandgate.tools.live_commands import LiveCommands
from sandgate.tools.patch_answer import MS_PER_S, PatchAnswer
from sandgate.tools.registry import definitions, tool_named
from sandgate.tools.script_shell import chosen_shell, login_wanted
from sandgate.tools.tool import Offer, ToolCall
from sandgate.tools.truncation import TruncationPolicy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from sandgate.gate.forecast import Forecast
    from sandgate.gate.patch_gate import PatchOutcome
    from sandgate.protocol.commands import CommandRequest, EscalationWish
    from sandgate.protocol.decisions import Passage
    from sandgate.protocol.permissions import SandboxPolicy
    from sandgate.protocol.trace import Recorder
    from sandgate.terminals.live_listing import LiveCommand
    from sandgate.terminals.terminal import Terminal
    from sandgate.terminals.waiting import Steps
    from sandgate.tools.arguments import ExecCommandArguments, WriteStdinArguments
    from sandgate.tools.interfaces import StartedCommand, ToolSession


# What makes output readable for a reader that is no terminal.
PLAIN_OUTPUT = {
    "NO_COLOR": "1",
    "TERM": "dumb",
    "LANG": "C.UTF-8",
    "LC_CTYPE": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "COLORTERM": "",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "GH_PAGER": "cat",
    "SANDGATE_CI": "1",
}
SCRIPT_BYTES_MAX = 131_071  # MAX_ARG_STRLEN, execve(2), without its zero byte
PROGRAMS = os.path.join(os.path.dirname(os.path.dirname(__file__)), "patch", "bin")
_WIRE_POLICY = {"untrusted": "UnlessTrusted", "on-failure": "OnFailure", "on-request": "OnRequest", "never": "Never"}

FREER = "nothing was typed: the command was started under `{older}` in {at}, which allows more than what holds now"
IMPLICIT_PATCH = 'patch detected without explicit call to apply_patch. Rerun as ["apply_patch", "<patch>"]'
USE_THE_TOOL = "apply_patch was requested via exec_command. Use the apply_patch tool instead of exec_command."


class Toolbox:
    """Made by `Runtime` on first use."""

    def __init__(self, runtime: ToolSession, live: LiveCommands) -> None:
        self._runtime = runtime
        self.live = live
        self.patches = PatchGate(
            runtime.gate, runtime.policies, runtime.confinement, runtime.record, runtime.new_id, runtime.environ
        )
        # Live commands of an earlier policy: that, and its directory.
        self._older: WeakKeyDictionary[Terminal, tuple[SandboxPolicy, str]] = WeakKeyDictionary()

    def outlive(self, sandbox: SandboxPolicy, directory: str) -> None:
        """From now on another policy holds; what lives was started under this one, or an older one."""
        for terminal in self.live.table.terminals():
            self._older.setdefault(terminal, (sandbox, directory))

    def begin(self, arguments: ExecCommandArguments, *, call_id: str = "") -> StartedCommand | ExecAnswer:
        """The blocking half of `exec_command`. What needs no waiting is answered at once: a refusal, and a patch.

        Raises VerificationFailed for a patch that is none, and what `Runtime.run` raises.
        """
        unfit = self.unfit(arguments.sandbox_permissions)
        if unfit:
            return refused_answer(unfit)
        command = self.command(arguments)
        intercepted = self._intercepted(command, call_id)
        if intercepted is not None:
            return intercepted
        limits = self.live.limits
        rows, columns = arguments.rows or limits.terminal_rows, arguments.columns or limits.terminal_columns
        try:
            return start_command(
                self.live, command, Shape(tty=arguments.tty, rows=rows, columns=columns), call_id=call_id
            )
        except CommandRefused as refused:
            return refused_answer(refused.what)

    def finish(
        self, arguments: ExecCommandArguments, started: StartedCommand | ExecAnswer, *, ends_with_caller: bool = False
    ) -> Steps[ExecAnswer]:
        """The waiting half. `ends_with_caller`: a command goes when this is closed before its answer."""
        if isinstance(started, ExecAnswer):
            return started
        steps = self._finished(arguments, started)
        return (yield from _ending(started, steps) if ends_with_caller else steps)

    def _finished(self, arguments: ExecCommandArguments, started: StartedCommand) -> Steps[ExecAnswer]:
        answer = yield from await_command(
            self.live,
            started,
            yield_time_ms=arguments.yield_time_ms,
            max_output_tokens=arguments.max_output_tokens,
            notices=(*filter(None, (chosen_shell(arguments.shell).notice, not_retried(started.passage))),),
        )
        said = unseen_in(started.passage) if answer.exit_code else ""  # it may have ended after its passage
        return answer.but(notices=(*answer.notices, said)) if said else answer

    def definitions(self) -> tuple[dict[str, Any], ...]:
        """What there is to call, for a model of the caller's: name, description, schemas of arguments and answers."""
        return definitions(Offer("client", login_allowed=self._runtime.settings.allow_login_shell))

    @property
    def directory(self) -> str:
        """Where the session stands."""
        return self._runtime.directory

    def patch(self, text: str, *, call_id: str = "") -> PatchAnswer:
        """Applies a patch, which blocks. Raises VerificationFailed."""
        return self._apply(text, cwd=self._runtime.directory, call_id=call_id)

    def patched(self, text: str) -> PatchAnswer:
        """The same, where a patch that is none or does not fit is an answer."""
        try:
            return self._apply(text, cwd=self._runtime.directory)
        except VerificationFailed as problem:
            outcome = unfit_patch(text, str(problem), cwd=self._runtime.directory, call_id=self._runtime.new_id())
            return self._answer(outcome)

    def review_input(self, arguments: WriteStdinArguments) -> ExecAnswer | None:
        """The blocking half of `write_stdin`: a reviewer may have to see the input. An answer is a refusal."""
        try:
            terminal = self.live.table.get(arguments.session_id)
            self._review(terminal, arguments.sent)
            self.live.asks_for_caller(terminal)
        except UnknownTerminal:
            return None  # the other half says so
        except CommandRefused as refused:
            return refused_answer(refused.what)
        return None

    def _review(self, terminal: Terminal, text: str) -> None:
        """Raises CommandRefused unless the text may be typed: what it says is done with the rights of that command."""
        runtime = self._runtime
        older, now = self._older.get(terminal), runtime.policies.sandbox
        if text and older is not None and not (confines_no_less(older[0], now) and _is_in(older[1], runtime.directory)):
            raise CommandRefused(FREER.format(older=sandbox_mode(older[0]), at=visible(older[1])))
        review = InputReview(
            runtime.gate,
            runtime.settings.review_input,
            runtime.settings.approval,
            confines=runtime.policies.confines,
            new_id=runtime.new_id,
        )
        review.check(terminal, text)

    def write(self, arguments: WriteStdinArguments, reviewed: ExecAnswer | None) -> Steps[ExecAnswer]:
        """The waiting half."""
        if reviewed is not None:
            return reviewed
        return (yield from write_stdin(self.live, arguments))

    def call(
        self, name: str, arguments: str | Mapping[str, Any], *, ends_with_caller: bool = False, call_id: str = ""
    ) -> Steps[ToolOutput]:
        """A call as a model makes it: the blocking half now, the waiting half in what is returned. Raises nothing.

        `ends_with_caller`: a command goes when the waiting half is closed before its answer.
        `call_id`: its name in what is told about it.
        """
        tool = tool_named(name)
        if tool is None or tool.run is None:
            return at_once(ToolOutput(f"unsupported call: {name}", success=False))
        sent = arguments if isinstance(arguments, str) else as_json(arguments)
        try:
            steps = tool.run(self, tool.parse(sent), ToolCall(call_id, ends_with_caller))
        except SandgateError as error:
            return at_once(failed(error_text(name, error, starts_process=tool.starts_process), error))
        return guarded(name, steps, starts_process=tool.starts_process)

    def foresee(self, arguments: ExecCommandArguments) -> Forecast:
        """What would become of a command. Raises what `Runtime.forecast` raises."""
        return self._runtime.forecast(self.command(arguments))

    def list_live(self) -> tuple[LiveCommand, ...]:
        """The live commands of this session, oldest first."""
        return live_commands(self.live.table.terminals())

    def terminate(self, session_id: int) -> bool:
        """Ends a live command, politely at first; False when there is none of that number."""
        return self.live.terminate(session_id)

    def command(self, arguments: ExecCommandArguments) -> CommandRequest:
        """The command that a call stands for."""
        runtime = self._runtime
        if len(os.fsencode(arguments.cmd)) > SCRIPT_BYTES_MAX:
            raise RequestError(
                "the command is too long",
                why=f"the kernel takes a script of at most {SCRIPT_BYTES_MAX} bytes as an argument",
                hint="write it to a file and run that",
            )
        login = login_wanted(arguments.login, allowed=runtime.settings.allow_login_shell, usual=runtime.login_is_usual)
        directory = os.path.normpath(os.path.join(runtime.directory, arguments.workdir or "."))
        command = runtime.request(
            chosen_shell(arguments.shell).argv(arguments.cmd, login=login),
            cwd=directory,
            escalate=arguments.sandbox_permissions == "require_escalated",
            justification=arguments.justification,
            tty=arguments.tty,
        )
        # The schema offers it with that wish alone; elsewhere its reader would not see why it is there.
        wished = arguments.prefix_rule if command.wish == "require_escalated" else ()
        return command.but(env=tool_environment(command.env, login=login), timeout_ms=None, prefix_rule=wished)

    def _intercepted(self, command: CommandRequest, call_id: str) -> ExecAnswer | None:
        """A patch that was handed to a shell is applied as a patch."""
        answer = self.patch_in_command(command, USE_THE_TOOL, call_id)
        if answer is None:
            return None
        return ExecAnswer(wall_time_seconds=0.0, output=answer.body(), state="exited")

    def patch_in_command(self, command: CommandRequest, advice: str, call_id: str = "") -> PatchAnswer | None:
        """What became of the patch that a command consists of; None when it is another command.

        Raises VerificationFailed.
        """
        call = patch_call(command.argv)
        if call is None:
            return None
        if not isinstance(call, PatchCall):
            raise VerificationFailed(IMPLICIT_PATCH)
        directory = os.path.normpath(os.path.join(command.cwd, call.directory or "."))
        if not os.path.isdir(directory) or (call.directory and command.env.get("CDPATH")):
            return None  # `cd` would fail, or may lead somewhere else than it reads: the shell finds out
        self.live.warn(advice)
        return self._apply(call.patch, cwd=directory, call_id=call_id)

    def _apply(self, text: str, *, cwd: str, call_id: str = "") -> PatchAnswer:
        try:
            return self._answer(self.patches.apply(text, cwd=cwd, call_id=call_id))
        except OSError as problem:  # something changed under our feet
            raise VerificationFailed(f"apply_patch verification failed: {problem.strerror}") from problem
        except PatchError as problem:
            raise VerificationFailed(f"apply_patch verification failed: {problem.tool_text}") from problem
        except PatchDoesNotFit as problem:
            raise VerificationFailed(f"apply_patch verification failed: {problem}") from problem

    def _answer(self, done: PatchOutcome) -> PatchAnswer:
        refused = done.exit_code is None
        attempts = done.passage.attempts
        notices = (*(done.warnings if done.exit_code == 0 else ()), not_retried(done.passage))
        return PatchAnswer(
            call_id=done.call_id,
            wall_time_seconds=done.duration_ms / MS_PER_S,
            output="" if refused else done.output,
            exit_code=done.exit_code,
            changes=done.changes,
            passage=done.passage,
            denials=done.closed or (attempts[-1].denial.denials if attempts else ()),
            notices=tuple(filter(None, notices)),
            refused=done.output if refused else "",
            budget=self.live.truncation,
        )

    def unfit(self, wish: EscalationWish, verb: str = "cannot") -> str:
        """Why the call is refused before anything is judged, in words models know; "" when it is not."""
        policy = self._runtime.policies.name
        if wish != "require_escalated" or policy == "on-request":
            return ""
        name = _WIRE_POLICY.get(policy, policy)
        return (
            f"approval policy is {name}; reject command — you {verb} ask for escalated permissions if the "
            f"approval policy is {name}"
        )


def _is_in(directory: str, place: str) -> bool:
    return directory == place or directory.startswith(place.rstrip("/") + "/")


def _ending(started: StartedCommand, steps: Steps[ExecAnswer]) -> Steps[ExecAnswer]:
    """What `steps` lead to; no caller waits for the answer any more: the command is ended."""
    try:
        return (yield from steps)
    except GeneratorExit:
        if started.terminal is not None:
            started.terminal.terminate()
        raise


def not_retried(passage: Passage) -> str:
    """Why a command that was held back got no further, where that is news to the caller."""
    last = passage.decisions[-1] if passage.decisions else None
    if last is None or last.approved or last.stage == "initial":
        return ""
    if last.stage == "held":  # a no that somebody gave is told with what was refused
        return f"what it wanted was not carried out: {last.reason}" if last.source == "none" and last.reason else ""
    said_no = "the user said no, and wants you to stop" if last.decision == "abort" else "the user said no"
    return f"not run again with more freedom: {last.reason or said_no}"


def remarks(passage: Passage) -> tuple[str, ...]:
    """What the caller of a command has to know beside its output."""
    return tuple(filter(None, (not_retried(passage), unseen_in(passage))))


def open_live(runtime: ToolSession, record: Recorder, *, heard: bool) -> LiveCommands:
    """What the live commands of `runtime` share. Raises ConfigError for limits that do not fit together."""
    settings = runtime.settings
    return LiveCommands(
        runtime.gate,
        runtime.confinement,
        record,
        with_background_limit(exec_limits(runtime.environ), settings.longest_poll_ms),
        ANSWER_POLICY if settings.output_tokens is None else TruncationPolicy("tokens", settings.output_tokens),
        heard=heard,
        ends_on_network_denial=settings.on_network_denial == "terminate",
    )


def open_terminal(live: LiveCommands, command: CommandRequest, shape: Shape) -> Terminal:
    """A live command for a program. Raises CommandRefused when it did not run."""
    terminal = start_command(live, command, shape).terminal
    assert terminal is not None  # start_command has seen to it
    return terminal


def tool_environment(env: Mapping[str, str], *, login: bool) -> dict[str, str]:
    """What a tool's command sees: readable output, and `apply_patch` wherever it looks for programs first.

    A login shell may set PATH anew, so there it is a function as well, in the form in which bash passes them on.
    """
    path = env.get("PATH", os.defpath)
    more = {"PATH": f"{PROGRAMS}:{path}", "SANDGATE_PATCH_PYTHON": sys.executable}
    if login:
        program = quoted(os.path.join(PROGRAMS, "apply_patch"))
        more |= {f"BASH_FUNC_{name}%%": f'() {{ {program} "$@"; }}' for name in ("apply_patch", "applypatch")}
    return {**env, **PLAIN_OUTPUT, **more}
