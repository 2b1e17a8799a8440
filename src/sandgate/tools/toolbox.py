"""The tools of one session, put together: arguments become governed commands, and live commands are looked after.

Imported with the first live command, since a plain command does not need any of it.
"""

from __future__ import annotations

import os
import sys

from sandgate.commandline.patch_call import PatchCall, patch_call
from sandgate.commandline.words import quoted
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
from sandgate.gate.patch_gate import PatchGate, unfit
from sandgate.sandbox.unseen import unseen_in
from sandgate.terminals.limits import exec_limits, with_background_limit
from sandgate.terminals.start import Shape
from sandgate.tools.answering import refusal
from sandgate.tools.answers import ANSWER_POLICY, ExecAnswer
from sandgate.tools.arguments import exec_command_arguments, write_stdin_arguments
from sandgate.tools.calls import ToolOutput, as_json, at_once, error_text, failed, patch_in, told
from sandgate.tools.exec_command import await_command, start_command
from sandgate.tools.inspection import INSPECTIONS, inspected
from sandgate.tools.live import LiveCommands
from sandgate.tools.patch_answer import MS_PER_S, PatchAnswer
from sandgate.tools.schema import (
    apply_patch_freeform_tool,
    apply_patch_function_tool,
    exec_answer_schema,
    exec_command_tool,
    write_stdin_tool,
)
from sandgate.tools.script_shell import chosen_shell, login_wanted
from sandgate.tools.truncation import TruncationPolicy
from sandgate.tools.write_stdin import write_stdin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from sandgate.gate.patch_gate import PatchOutcome
    from sandgate.protocol.commands import CommandRequest, EscalationWish
    from sandgate.protocol.decisions import Passage
    from sandgate.protocol.trace import Recorder
    from sandgate.terminals.terminal import Terminal
    from sandgate.terminals.waiting import Steps
    from sandgate.tools.arguments import ApplyPatchArguments, ExecCommandArguments, WriteStdinArguments
    from sandgate.tools.host import StartedCommand, ToolSession


# unified_exec.md section 5: what makes output readable for somebody who is no terminal.
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
        self._review = InputReview(
            runtime.gate,
            runtime.settings.review_input,
            runtime.settings.approval,
            confines=runtime.policies.confines,
            new_id=runtime.new_id,
        )

    def begin(self, arguments: ExecCommandArguments, *, call_id: str = "") -> StartedCommand | ExecAnswer:
        """The blocking half of `exec_command`. What needs no waiting is answered at once: a refusal, and a patch.

        Raises VerificationFailed for a patch that is none, and what `Runtime.run` raises.
        """
        unfit = self.unfit(arguments.sandbox_permissions)
        if unfit:
            return refusal(unfit)
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
            return refusal(refused.what)

    def finish(self, arguments: ExecCommandArguments, started: StartedCommand | ExecAnswer) -> Steps[ExecAnswer]:
        """The waiting half."""
        if isinstance(started, ExecAnswer):
            return started
        answer = yield from await_command(
            self.live,
            started,
            yield_time_ms=arguments.yield_time_ms,
            max_output_tokens=arguments.max_output_tokens,
            notices=(*filter(None, (chosen_shell(arguments.shell).notice, not_retried(started.passage))),),
        )
        said = unseen_in(started.passage) if answer.exit_code else ""  # it may have ended after its passage
        return answer.but(notices=(*answer.notices, said)) if said else answer

    def definitions(self, *, freeform_patch: bool = False) -> tuple[dict[str, Any], ...]:
        """What a model is told about the tools, as JSON Schema; `freeform_patch`: for models that write by grammar."""
        patch = apply_patch_freeform_tool() if freeform_patch else apply_patch_function_tool()
        login = self._runtime.settings.allow_login_shell
        return (
            {**exec_command_tool(extended=True, login_allowed=login), "output_schema": exec_answer_schema()},
            {**write_stdin_tool(extended=True), "output_schema": exec_answer_schema()},
            patch,
        )

    def apply_patch(self, arguments: ApplyPatchArguments) -> PatchAnswer:
        """`apply_patch`, which blocks. Raises VerificationFailed."""
        return self._apply(arguments.input, cwd=self._runtime.directory)

    def patched(self, text: str) -> PatchAnswer:
        """The same, where a patch that is none or does not fit is an answer."""
        try:
            return self._apply(text, cwd=self._runtime.directory)
        except VerificationFailed as problem:
            outcome = unfit(text, str(problem), cwd=self._runtime.directory, call_id=self._runtime.new_id())
            return self._answer(outcome)

    def review_input(self, arguments: WriteStdinArguments) -> ExecAnswer | None:
        """The blocking half of `write_stdin`: somebody may have to see the input. An answer is a refusal."""
        try:
            self._review.check(self.live.table.get(arguments.session_id), arguments.sent)
        except UnknownTerminal:
            return None  # the other half says so
        except CommandRefused as refused:
            return refusal(refused.what)
        return None

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
        arguments = arguments if isinstance(arguments, str) else as_json(arguments)
        try:
            match name:
                case "exec_command":
                    command = exec_command_arguments(arguments, extended=True)
                    started = self.begin(command, call_id=call_id)
                    steps = self.finish(command, started)
                    return told(name, _ending(started, steps) if ends_with_caller else steps)
                case "write_stdin":
                    typed = write_stdin_arguments(arguments, extended=True)
                    return told(name, self.write(typed, self.review_input(typed)))
                case "apply_patch":
                    return at_once(
                        _patch_output(self._apply(patch_in(arguments), cwd=self._runtime.directory, call_id=call_id))
                    )
                case _ if name in INSPECTIONS:
                    return at_once(inspected(self, self._runtime, name, arguments))
                case _:
                    return at_once(ToolOutput(f"unsupported call: {name}", success=False))
        except SandgateError as error:
            return at_once(failed(error_text(name, error), error))

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
        # The schema offers it with that wish alone; elsewhere nobody would see why it is there.
        wished = arguments.prefix_rule if command.wish == "require_escalated" else ()
        return command.but(env=tool_environment(command.env, login=login), timeout_ms=None, prefix_rule=wished)

    def _intercepted(self, command: CommandRequest, call_id: str) -> ExecAnswer | None:
        """A patch that was handed to a shell is applied as a patch; apply_patch.md section 7."""
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


def _patch_output(answer: PatchAnswer) -> ToolOutput:
    return ToolOutput(answer.text(), success=answer.exit_code == 0, structured=answer.structured())


def _ending(started: StartedCommand | ExecAnswer, steps: Steps[ExecAnswer]) -> Steps[ExecAnswer]:
    """What `steps` lead to; nobody waits for the answer any more: the command is ended."""
    try:
        return (yield from steps)
    except GeneratorExit:
        terminal = None if isinstance(started, ExecAnswer) else started.terminal
        if terminal is not None:
            terminal.terminate()
        raise


def not_retried(passage: Passage) -> str:
    """Why a command that was held back was not run again, where that is news to whoever called it."""
    last = passage.decisions[-1] if passage.decisions else None
    if last is None or last.approved or last.stage != "retry":
        return ""
    said_no = "the user said no, and wants you to stop" if last.decision == "abort" else "the user said no"
    return f"not run again with more freedom: {last.reason or said_no}"


def remarks(passage: Passage) -> tuple[str, ...]:
    """What whoever called a command has to know beside its output."""
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
