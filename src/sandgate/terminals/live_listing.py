"""What there is to say about the live commands of a session."""

from __future__ import annotations

from time import monotonic_ns

from sandgate.commandline.words import joined
from sandgate.kernel.process_tree import descendants, listening_ports, usage
from sandgate.protocol.commands import NS_PER_MS
from sandgate.record import Record
from sandgate.terminals.activity import state_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from sandgate.terminals.state import ProcessState
    from sandgate.terminals.terminal import Terminal

SHELL_WORDS = ("-c", "-lc")


class LiveCommand(Record):
    """One live command, as it is now."""

    session_id: int  # what `write_stdin` takes
    item_id: str  # the call that started it
    command: str  # without the shell around it
    cwd: str
    tty: bool
    state: ProcessState
    exit_code: int | None
    started_ms_ago: int
    last_used_ms_ago: int
    total_bytes: int  # printed so far
    omitted_bytes: int  # of these, no longer kept
    backend: str
    network: str
    listening: tuple[int, ...]  # TCP ports, in its own network
    cpu_ms: int
    rss_bytes: int
    os_pid: int | None  # of ours that it hangs on; None once it is over


def live_commands(terminals: Iterable[Terminal]) -> tuple[LiveCommand, ...]:
    """In the order given. Each look costs some milliseconds at most; times are told as of the first."""
    now_ns = monotonic_ns()
    return tuple([_live_command(terminal, now_ns) for terminal in terminals])


def _live_command(terminal: Terminal, now_ns: int) -> LiveCommand:
    identity = terminal.identity
    pids = () if terminal.exited else (terminal.pid, *descendants(terminal.pid))
    cpu_ms, rss_bytes = usage(pids)
    return LiveCommand(
        session_id=identity.terminal_id,
        item_id=identity.call_id,
        command=display(identity.command.argv),
        cwd=identity.command.cwd,
        tty=terminal.tty,
        state=state_of(terminal),
        exit_code=terminal.exit_code,
        started_ms_ago=(now_ns - terminal.started_ns) // NS_PER_MS,
        last_used_ms_ago=(now_ns - terminal.last_used_ns) // NS_PER_MS,
        total_bytes=terminal.total_bytes,
        omitted_bytes=terminal.output.omitted_bytes,
        backend=identity.plan.backend,
        network=identity.plan.permissions.network,
        listening=listening_ports(pids),
        cpu_ms=cpu_ms,
        rss_bytes=rss_bytes,
        os_pid=pids[0] if pids else None,
    )


def display(argv: tuple[str, ...]) -> str:
    """The script that a shell was given, or the command as a shell would take it."""
    if len(argv) == 3 and argv[1] in SHELL_WORDS:
        return argv[2]
    return joined(argv)
