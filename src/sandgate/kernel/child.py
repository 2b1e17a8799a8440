"""The contract of a started command, by whatever it was started, and how one ends."""

from __future__ import annotations

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    from sandgate.protocol.confinement import ExecFailure, SetupFailure
    from sandgate.protocol.denials import Refused
    from sandgate.protocol.held_calls import FoundHost, HeldCall, PerformedCall
    from sandgate.protocol.permissions import Grant

    class Child(Protocol):
        """One command and everything it starts. Nothing here waits, but `close`.

        The owner polls `descriptors()` for reading and passes each ready one to `handle`; the other members are
        what has been seen so far. Exactly one of `ended` and `failure` is set in the end.
        """

        @property
        def pid(self) -> int:
            """The process to be reaped: the command itself or the one that supervises it."""
            ...

        @property
        def ended(self) -> Ended | None: ...

        @property
        def failure(self) -> SetupFailure | ExecFailure | None: ...

        @property
        def refused(self) -> list[Refused]: ...

        @property
        def locked(self) -> list[str]:
            """Files outside the writable places on which the command took a lock: seen, not refused."""
            ...

        @property
        def unserved(self) -> list[str]:
            """Addresses of its own loopback that it connected to and where no process listened, one for each port."""
            ...

        @property
        def may_listen(self) -> bool:
            """Whether a process of it may listen on a TCP port, as far as refused calls are reported."""
            ...

        @property
        def refused_omitted(self) -> int: ...

        @property
        def held(self) -> Sequence[HeldCall]:
            """The calls that were held so far, in their order; those that were answered stay among them."""
            ...

        @property
        def let_go(self) -> Sequence[int]:
            """The numbers of held calls that no caller waits for any more: their caller was killed or interrupted."""
            ...

        @property
        def performed_calls(self) -> Sequence[PerformedCall]:
            """What the supervisor carried out, as far as it is told one by one."""
            ...

        @property
        def performed_omitted(self) -> int: ...

        @property
        def reported(self) -> bool:
            """The enforcing layer watched to the end: silence means that nothing was refused."""
            ...

        @property
        def layers(self) -> tuple[str, ...]: ...

        def descriptors(self) -> tuple[int, ...]:
            """One while it runs, none once it is over: whoever was told of the end need not look for others."""
            ...

        def handle(self, fd: int) -> None: ...

        def answer(self, number: int, grants: tuple[Grant, ...], hosts: tuple[FoundHost, ...] = (), /) -> None:
            """The command has these grants from now on, and all held calls within them are carried out. A name of a
            host among them is given with its addresses in `hosts`.

            The call `number` fails as it would have without being held where it is not within them; no grants are a no.
            """
            ...

        def stop_holding(self) -> None:
            """Whatever is held now, or refused later, fails at once."""
            ...

        def signal_group(self, number: int) -> None:
            """Delivers a signal to the command's process group."""
            ...

        def kill_tree(self) -> None:
            """SIGKILL to everything the command has started."""
            ...

        def processes(self) -> tuple[int, ...]:
            """What the command has started and is found, itself among it; none of ours."""
            ...

        def settle_in(self) -> None:
            """It will live for long: gives up what is only kept so that the next start is cheaper."""
            ...

        def close(self) -> None:
            """Releases the descriptors; whatever is still alive is killed and reaped. May be repeated."""
            ...


class HoldsNothing:
    """The part of a child whose refused calls fail at once, which nobody stops for a question, and which keeps nothing
    that it could give up."""

    held: Sequence[HeldCall] = ()
    let_go: Sequence[int] = ()
    performed_calls: Sequence[PerformedCall] = ()
    performed_omitted = 0

    def answer(self, _number: int, _grants: tuple[Grant, ...], _hosts: tuple[FoundHost, ...] = ()) -> None:
        return

    def stop_holding(self) -> None:
        return

    def processes(self) -> tuple[int, ...]:
        return ()

    def settle_in(self) -> None:
        return


class Ended(Record):
    """A command that is over and reaped."""

    exit_code: int  # its own, or 128+N after signal N
    signal: int | None


def ended_from(wait_status: int) -> Ended:
    """Reads a status as wait(2) gives it."""
    number = wait_status & 0x7F
    return Ended(128 + number, number) if number else Ended(wait_status >> 8 & 0xFF, None)
