"""The commands of one session as events: what begins, prints, is typed into, goes on and ends, and what the model read.

The end of a command is known a moment before the answer that tells it to the model. So it is kept back until that
answer is there: `formatted_output` is then what the model reads, to the letter. An end that no call waits for is told
at once, with the output.
"""

from __future__ import annotations

from sandgate.commandline.summary import summaries_json
from sandgate.protocol.events import (
    ExecCommandBegin,
    ExecCommandContinues,
    ExecCommandEnd,
    ExecCommandOutputDelta,
    TerminalInteraction,
)
from sandgate.protocol.trace import OutputArrived, TerminalBegan, TerminalEnded, TerminalInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.decisions import Passage
    from sandgate.protocol.events import EventMessage
    from sandgate.tools.calls import ToolOutput

    AboutCommands = TerminalBegan | TerminalInput | TerminalEnded | OutputArrived

NEVER_RAN = -1  # instead of an exit code
OUTPUT_BYTES_MAX = 1024 * 1024  # of one command, in the event of its end


class CommandEvents:
    """Belongs to one event loop. `tell` gets the call that began the command, and what happened to it."""

    def __init__(self, tell: Callable[[str, EventMessage], object], turn_of: Callable[[str], str]) -> None:
        self._tell = tell
        self._turn_of = turn_of
        self._commands: dict[str, CommandRequest] = {}  # that have begun and not ended, by their calls
        self._numbers: dict[int, str] = {}  # of those that live on: their calls
        self._readers: dict[str, int] = {}  # calls whose answers are on their way, by the command's call
        self._kept_back: dict[str, ExecCommandEnd] = {}  # until the answer is there
        self.users: set[str] = set()  # calls whose commands a person asked for
        self._read: dict[str, str] = {}  # the answer that told an end, until the end is told here

    def has_begun(self, call_id: str) -> bool:
        """Whether the command of that call has begun, and not ended."""
        return call_id in self._commands

    def call_of(self, process_id: int) -> str:
        """The call that began what runs under this number; "" when nothing does."""
        return self._numbers.get(process_id, "")

    def reads(self, call_id: str) -> None:
        """An answer is on its way to the model that may tell how the command of that call ended."""
        self._readers[call_id] = self._readers.get(call_id, 0) + 1

    def has_read(self, call_id: str, output: ToolOutput | None) -> None:
        """That answer; None: there is none."""
        left = self._readers.pop(call_id) - 1
        if left:
            self._readers[call_id] = left
        told = {} if output is None else output.structured or {}
        ended = self._kept_back.pop(call_id, None)
        if ended is not None:
            self._tell(call_id, ended if output is None else ended.but(formatted_output=output.text))
        elif output is not None and call_id in self._commands and told.get("exit_code") is not None:
            self._read[call_id] = output.text
        elif output is not None and told.get("session_id") is not None:
            turn, number = self._turn_of(call_id), str(told["session_id"])
            self._tell(call_id, ExecCommandContinues(call_id, turn, number, output.text))

    def take(self, record: AboutCommands) -> None:
        """What the gate tells."""
        call_id = record.call_id
        match record:
            case TerminalBegan():
                self._numbers[record.process_id] = call_id
                self.begin(call_id, record.command, str(record.process_id))
            case OutputArrived():
                self._tell(call_id, ExecCommandOutputDelta(call_id, record.chunk, record.stream))
            case TerminalInput():
                turn = self._turn_of(call_id)
                self._tell(call_id, TerminalInteraction(call_id, turn, str(record.process_id), record.stdin))
            case TerminalEnded() if call_id in self._commands:
                if self._numbers.get(record.process_id) == call_id:
                    del self._numbers[record.process_id]
                self._end(_terminal_end(record, self._commands.pop(call_id), self._turn_of(call_id)))

    def begin(self, call_id: str, command: CommandRequest, process_id: str | None = None) -> None:
        """A command is about to start."""
        self._commands[call_id] = command
        parsed, turn = summaries_json(command.argv), self._turn_of(call_id)
        begin = ExecCommandBegin(call_id, turn, command.argv, command.cwd, parsed, call_id in self.users, process_id)
        self._tell(call_id, begin)

    def over(self, call_id: str, command: CommandRequest, became: Passage | str) -> None:
        """A command that does not live on is over, or never was: its passage, or why there is none."""
        if call_id not in self._commands:
            self.begin(call_id, command)
        del self._commands[call_id]
        self.users.discard(call_id)
        self._end(_one_shot_end(call_id, command, self._turn_of(call_id), became))

    def _end(self, ended: ExecCommandEnd) -> None:
        call_id = ended.call_id
        if call_id in self._readers:
            self._kept_back[call_id] = ended
            return
        text = self._read.pop(call_id, None)
        self._tell(call_id, ended if text is None else ended.but(formatted_output=text))


def _terminal_end(record: TerminalEnded, command: CommandRequest, turn: str) -> ExecCommandEnd:
    """Its terminal, or its pipe, is one for both streams."""
    text = told_output(record.output, record.omitted_bytes)
    return ExecCommandEnd(
        call_id=record.call_id,
        turn_id=turn,
        command=command.argv,
        cwd=command.cwd,
        aggregated_output=text,
        exit_code=None if record.status == "declined" else record.exit_code,
        duration_ms=record.duration_ms,
        formatted_output=record.message or text,
        status=record.status,
        process_id=str(record.process_id),
        error=record.message or None,
    )


def _one_shot_end(call_id: str, command: CommandRequest, turn: str, became: Passage | str) -> ExecCommandEnd:
    where = (call_id, turn, command.argv, command.cwd)
    if isinstance(became, str):
        return ExecCommandEnd(*where, "", NEVER_RAN, 0, became, "failed", error=became)
    result = became.result
    if result is None:
        why = "" if became.refusal is None else became.refusal.why
        return ExecCommandEnd(*where, "", None, 0, why, "declined", error=why or None)
    text = told_output(result.aggregated, result.stdout_omitted_bytes + result.stderr_omitted_bytes)
    status, lasted_ms = ("completed" if result.exit_code == 0 else "failed"), result.duration_ms
    return ExecCommandEnd(
        *where,
        text,
        result.exit_code,
        lasted_ms,
        text,
        status,  # type: ignore[arg-type]
        stdout=told_output(result.stdout, result.stdout_omitted_bytes),
        stderr=told_output(result.stderr, result.stderr_omitted_bytes),
    )


def told_output(output: bytes, omitted: int) -> str:
    """Its two ends when it is too long, with how much is missing between them; also where something is missing."""
    half = OUTPUT_BYTES_MAX // 2
    if len(output) > OUTPUT_BYTES_MAX:
        omitted += len(output) - 2 * half
        output = output[:half] + f"\n... {omitted} bytes omitted ...\n".encode() + output[-half:]
    elif omitted:
        middle = len(output) // 2
        output = output[:middle] + f"\n... {omitted} bytes omitted ...\n".encode() + output[middle:]
    return output.decode("utf-8", "replace")
