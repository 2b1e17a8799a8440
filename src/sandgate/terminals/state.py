"""Names what a live command is doing, from what the kernel says about its terminal.

Seven words that a model can act on. No prompt is read and no program is known by name: a shell at its prompt is told
from a script that asks a question by what it does with signals, which a shell that runs jobs must do and a script does
not. Where that is not enough, shell integration knows more and may say so.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from sandgate.kernel.foreground import Foreground

    ProcessState = Literal[
        "running", "idle", "waiting_for_input", "waiting_for_secret", "waiting_for_approval", "stopped", "exited"
    ]

_STOPPED = "Tt"
_DEAD = "ZX"


def process_state(found: Foreground | None, *, exited: bool = False, at_prompt: bool | None = None) -> ProcessState:
    """The state of a command; `found` is None where it has no terminal, and then no process can wait for one.

    `at_prompt` is what shell integration knows of the shell: True between two commands, False inside one, else None.

    - `waiting_for_secret`: a process waits for a line that the terminal would not show.
    - `idle`: the shell that leads the session waits for its next command.
    - `waiting_for_input`: a process waits for another line, or the shell on behalf of a command such as `read`.
    - `waiting_for_approval`: a call of it waits until somebody has answered; not told here (`activity.py`).
    - `stopped`: every process in the foreground is stopped, so nothing goes on before a SIGCONT.
    """
    if exited:
        return "exited"
    if found is None:
        return "running"
    alive = [member for member in found.members if member.state not in _DEAD]
    if alive and all(member.state in _STOPPED for member in alive):
        return "stopped"
    waiting = [member for member in alive if member.waits_for_terminal]
    if not waiting:
        return "running"
    leads = [member for member in waiting if member.pid == found.session]
    if at_prompt and leads:
        return "idle"  # also where a command has left the echo off
    if found.canonical and not found.echo:
        return "waiting_for_secret"
    if at_prompt is None and any(member.controls_jobs for member in leads):
        return "idle"
    return "waiting_for_input"
