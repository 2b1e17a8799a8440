"""Asks the kernel what a live command is doing, and whether there is anything left to wait for."""

from __future__ import annotations

from sandgate.terminals.state import process_state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.terminals.interfaces import Live
    from sandgate.terminals.state import ProcessState

WAITING = ("idle", "waiting_for_input", "waiting_for_secret")


def state_of(terminal: Live) -> ProcessState:
    """What it is doing now. A command without a terminal is running until it has exited, whatever it waits for."""
    if terminal.held is not None and not terminal.exited:
        return "waiting_for_approval"
    return process_state(terminal.look(), exited=terminal.exited)


def is_settled(terminal: Live) -> bool:
    """The foreground process waits for input, everything typed has been read, and so has all that was printed."""
    if terminal.unwritten_bytes:
        return False
    found = terminal.look()
    if found is None or found.pending_input or process_state(found) not in WAITING:
        return False
    # Asked last: what it printed before it began to wait may still be on its way to us.
    return not terminal.has_unread_output
