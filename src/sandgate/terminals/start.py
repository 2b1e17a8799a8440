"""Starts a plan as a live command: its connection, its process, and who looks after both."""

from __future__ import annotations

from errno import EMFILE, ENFILE, ENOSPC

from sandgate.errors import TerminalLimitReached
from sandgate.record import Record
from sandgate.terminals.lines import COLUMNS, ROWS, open_line, open_pipe
from sandgate.terminals.terminal import Terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.execution.held_calls import Ask
    from sandgate.execution.start import Starter
    from sandgate.terminals.identity import TerminalIdentity, Watcher
    from sandgate.terminals.limits import ExecLimits
    from sandgate.terminals.lines import Line
    from sandgate.terminals.output import Listener
    from sandgate.terminals.pump import Pump

CAUSES = {
    EMFILE: ("this process has no descriptor left", "raise it with `ulimit -n`, or close terminals"),
    ENFILE: ("this machine has no descriptor left", "close terminals, here or in other programs"),
    ENOSPC: ("this machine has no terminal left", "raise `kernel.pty.max`, or close terminals"),
}


class Shape(Record):
    """What kind of connection a live command gets."""

    tty: bool = False
    rows: int = ROWS
    columns: int = COLUMNS
    pinned: bool = False  # held by a program, see TerminalTable.add
    post_processing: bool = True  # off: lines end in `\n` alone, which the kernel passes on far faster


def start_terminal(
    identity: TerminalIdentity,
    shape: Shape,
    *,
    starter: Starter,
    helper: str | None,
    pump: Pump,
    limits: ExecLimits,
    watcher: Watcher,
    listeners: tuple[Listener, ...] = (),
    ask: Ask | None = None,
) -> Terminal:
    """A live command that carries out `identity.plan`; `ask` is put the calls that are held.

    A program that cannot be started is the terminal's `failure`. Raises TerminalLimitReached when no connection is to
    be had, ConfinementError when the plan's backend cannot be used.
    """
    line = _connect(shape)
    try:
        stdin, stdout, stderr = line.ends
        try:
            child = starter(identity.plan, stdin=stdin, stdout=stdout, stderr=stderr, helper=helper)
        finally:
            line.close_lent()
    except OSError as error:
        line.close()
        raise _no_room(error) from error
    except BaseException:
        line.close()
        raise
    sized = identity.but(rows=shape.rows, columns=shape.columns) if shape.tty else identity
    terminal = Terminal(sized, line, child, pump, limits, watcher)
    terminal.output.listeners = listeners
    if ask is not None:
        from sandgate.terminals.questions import Questions

        terminal.questions = Questions(ask, terminal, child, pump)
    try:
        terminal.attend()
    except BaseException:
        # No thread would read it or see its end: the session is being closed, or the kernel watches no more
        # descriptors.
        for fd in (line.fd, *child.descriptors()):
            pump.forget(fd)
        child.close()
        line.close()
        raise
    return terminal


def _connect(shape: Shape) -> Line:
    try:
        if not shape.tty:
            return open_pipe()
        return open_line(rows=shape.rows, columns=shape.columns, post_processing=shape.post_processing)
    except OSError as error:
        raise _no_room(error) from error


def _no_room(error: OSError) -> TerminalLimitReached:
    why, hint = CAUSES.get(error.errno or 0, (error.strerror or str(error), "see `sandgate doctor`"))
    return TerminalLimitReached("cannot open a terminal for the command", why=why, hint=hint)
