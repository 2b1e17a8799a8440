"""What `write_stdin` does: types into a live command, or only looks, and answers with what it printed since.

Calls on the same command take turns, so that no two of them share an answer between them. A call comes back as soon as
the command waits for input again; what it typed where nothing is echoed is told nowhere.
"""

from __future__ import annotations

from time import monotonic

from sandgate.errors import InputNotTaken, StdinClosed, UnknownTerminal
from sandgate.patterns.wanted import Wanted
from sandgate.terminals.activity import is_settled
from sandgate.terminals.terminal import SIGINT, STDIN_CLOSED
from sandgate.terminals.waiting import Settling, collect
from sandgate.terminals.watching import patterns_for
from sandgate.tools.answering import answer, last_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.patterns.wanted import Match
    from sandgate.terminals.terminal import Terminal
    from sandgate.terminals.waiting import Steps
    from sandgate.tools.answers import ExecAnswer
    from sandgate.tools.arguments import WriteStdinArguments
    from sandgate.tools.interfaces import Host

INTERRUPT = "\x03"


def write_stdin(host: Host, arguments: WriteStdinArguments) -> Steps[ExecAnswer]:
    """One call. Raises UnknownTerminal, StdinClosed, InputNotTaken, TerminalFailed."""
    try:
        terminal, awaiting = host.table.wait_on(arguments.session_id)
    except UnknownTerminal:
        stone = host.table.tombstone(arguments.session_id)
        if stone is None:
            raise
        return last_words(host, stone, max_output_tokens=arguments.max_output_tokens)
    turn = terminal.turns.enter()
    try:
        yield from terminal.turns.wait(turn)
        # The call before may have told its end, and the number may be another command's by now.
        if host.table.get(arguments.session_id) is not terminal:
            raise UnknownTerminal(f"Unknown process id {arguments.session_id}")
        return (yield from _in_turn(host, terminal, arguments))
    finally:
        terminal.turns.leave(turn)
        host.answered(awaiting)


def _in_turn(host: Host, terminal: Terminal, arguments: WriteStdinArguments) -> Steps[ExecAnswer]:
    text = arguments.sent
    watch = _Watch(terminal, arguments) if arguments.wait_for else None
    secret = bool(text) and terminal.hides_input
    into_none = bool(text) and terminal.exited
    if text:
        _type(terminal, text)
    if not into_none:  # told before what it leads to
        host.typed(terminal, text, secret=secret)
    began_s = monotonic()
    yield from collect(
        terminal,
        yield_s=host.limits.yield_for_write(arguments.yield_time_ms, empty=not text) / 1000,
        settling=None if watch else Settling(is_settled, needs_output=not text),
        pause=host.pause,
        enough=watch.found if watch else None,
    )
    waited_s = monotonic() - began_s
    return answer(
        host,
        terminal,
        waited_s=waited_s,
        max_output_tokens=arguments.max_output_tokens,
        matched=watch.match.text if watch and watch.match else None,
    )


def _type(terminal: Terminal, text: str) -> None:
    if terminal.exited:
        return  # the answer says so
    if not terminal.tty:
        if text != INTERRUPT:
            raise StdinClosed(STDIN_CLOSED)
        terminal.signal(SIGINT)
        return
    try:
        terminal.write(text.encode("utf-8", "surrogateescape"))
    except InputNotTaken:
        if not terminal.exited:
            raise


class _Watch:
    """Follows the output for the patterns of one call, from what no call has answered with yet."""

    def __init__(self, terminal: Terminal, arguments: WriteStdinArguments) -> None:
        self._terminal = terminal
        self._patterns = patterns_for([Wanted(each.text, each.regex) for each in arguments.wait_for])
        self._offset = terminal.output.taken_bytes
        self.match: Match | None = None

    def found(self) -> bool:
        piece = self._terminal.read(self._offset)
        self._offset = piece.end
        self.match = self.match or self._patterns.feed(piece.data)
        return self.match is not None
