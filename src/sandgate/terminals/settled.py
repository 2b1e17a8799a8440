"""Asks the kernel what a live command is doing, and whether there is anything left to wait for."""

from __future__ import annotations

from sandgate.terminals.state import classify

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.terminals.state import ProcessState
    from sandgate.terminals.terminal import Terminal

WAITING = ("idle", "waiting_for_input", "waiting_for_secret")


def state_of(terminal: Terminal) -> ProcessState:
    """What it is doing now. A command without a terminal is running until it has exited, whatever it waits for."""
    return classify(terminal.look(), exited=terminal.exited)


def is_settled(terminal: Terminal) -> bool:
    """Whoever is in the foreground waits for input, and everything typed so far has been read."""
    if terminal.unwritten_bytes:
        return False
    found = terminal.look()
    return found is not None and not found.pending_input and classify(found) in WAITING
