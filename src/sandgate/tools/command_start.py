"""What `exec_command` does: starts a command and answers with what it printed within the time the caller gives it.

In two parts. Starting goes through the gate and blocks, since a reviewer may have to be asked. Waiting is a generator,
so that an event loop can wait for many commands at once.
"""

from __future__ import annotations

from time import monotonic

from sandgate.errors import CommandRefused
from sandgate.terminals.activity import is_settled
from sandgate.terminals.waiting import Settling, collect
from sandgate.tools.answering import answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.commands import CommandRequest
    from sandgate.terminals.start import Shape
    from sandgate.terminals.waiting import Steps
    from sandgate.tools.answers import ExecAnswer
    from sandgate.tools.interfaces import Host, StartedCommand

NS_PER_S = 1_000_000_000


def start_command(host: Host, command: CommandRequest, shape: Shape, *, call_id: str = "") -> StartedCommand:
    """Passes it through the gate, as `call_id` in the trail.

    Raises CommandRefused when it did not run, and what `Runtime.run` raises.
    """
    started = host.start(command, shape, call_id=call_id)
    refusal = started.passage.refusal
    if refusal is not None:
        raise CommandRefused(refusal.why)
    if started.terminal is None:
        raise AssertionError("a command that was not refused was started")
    return started


def await_command(
    host: Host,
    started: StartedCommand,
    *,
    yield_time_ms: float | None = None,
    max_output_tokens: int | None = None,
    notices: tuple[str, ...] = (),
) -> Steps[ExecAnswer]:
    """Waits and answers: at its end, when it waits for input, or when the time is up."""
    try:
        return (yield from _awaited(host, started, yield_time_ms, max_output_tokens, notices))
    finally:
        if started.awaiting is not None:
            host.answered(started.awaiting)


def _awaited(
    host: Host,
    started: StartedCommand,
    yield_time_ms: float | None,
    max_output_tokens: int | None,
    notices: tuple[str, ...],
) -> Steps[ExecAnswer]:
    terminal = started.terminal
    assert terminal is not None  # start_command has seen to it
    # From its start on: a short command is over before a caller begins to wait for it here.
    began_s = terminal.started_ns / NS_PER_S
    waited_before_s = monotonic() - began_s
    yield from collect(
        terminal,
        yield_s=host.limits.yield_for_exec(yield_time_ms) / 1000 - waited_before_s,
        settling=Settling(is_settled),
        pause=host.pause,
    )
    waited_s = (terminal.ended_ns / NS_PER_S if terminal.exited else monotonic()) - began_s
    return answer(
        host,
        terminal,
        waited_s=waited_s,
        max_output_tokens=max_output_tokens,
        notices=(*notices, *crowd_notice(host, terminal.exited)),
    )


def crowd_notice(host: Host, exited: bool) -> tuple[str, ...]:
    """What the model has to know when many commands are open."""
    limit, count = host.limits.warn_processes, host.table.unpinned
    if exited or count < limit:
        return ()
    return (
        f"The maximum number of unified exec processes you can keep open is {limit} and you currently have {count} "
        "processes open. Reuse older processes or close them to prevent automatic pruning of old processes.",
    )
