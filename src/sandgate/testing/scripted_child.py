"""A command without a process: keeps the contract of `kernel.child.Child` by printing what a script says.

It works on the loop of whoever looks after it: one descriptor is readable for as long as there is something to print or
to tell, so nothing here waits, and there is no thread. What it is refused is held as its plan says, and only told.
"""

from __future__ import annotations

import errno
import os
import signal
from _thread import allocate_lock

from sandgate.kernel.child import Ended, HoldsNothing
from sandgate.kernel.path_access import PathAccess
from sandgate.protocol.denials import Refused
from sandgate.protocol.held_calls import WITHIN_EARLIER, FoundHost, HeldCall, PerformedCall
from sandgate.protocol.implied_grants import implies
from sandgate.protocol.permissions import Grant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.protocol.confinement import ConfinedCommand
    from sandgate.protocol.denials import Operation
    from sandgate.testing.script import CommandScript, ScriptedCommand

REFUSED_EXIT_CODE = 1  # of a command that says nothing of its own
SIGNAL_EXIT_BASE = 128
PIECE_BYTES = 65_536  # printed at once; a pipe takes no more
ENDING = frozenset((signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGKILL, signal.SIGTERM))
LOOPBACKS = ("127.", "[::1]:")


class ScriptedChild(HoldsNothing):
    """One run of a scripted command."""

    pid = 0  # there is none
    failure = None
    refused_omitted = 0
    reported = True
    may_listen = False
    layers: tuple[str, ...] = ()  # nothing was built

    def __init__(
        self,
        plan: ConfinedCommand,
        command: ScriptedCommand,
        *,
        stdout: int,
        stderr: int,
        went: Callable[[], None] = lambda: None,
    ) -> None:
        """`went` is told that it was refused nothing, once that is known."""
        self.ended: Ended | None = None
        self.refused: list[Refused] = []
        self.held = self._held = list[HeldCall]()
        self.performed_calls = self._performed = list[PerformedCall]()
        self.locked: list[str] = []
        self.unserved: list[str] = []
        self._command = command
        self._went = went
        self._left = refusals(plan, command)  # what it will want and is refused, unless it is given meanwhile
        self._holds = plan.holds_calls
        self._given = plan.supervised_grants
        self._exit_code: int | None = None  # unknown while a call of it waits
        # Pieces that are still to be printed, by copies of the descriptors: the caller closes its own.
        self._unprinted = [(os.dup(fd), b"") for fd in (stdout, stderr)]
        for fd, _ in self._unprinted:
            os.set_blocking(fd, False)
        self._news: int | None = os.eventfd(1, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._signal = 0
        self._guard = allocate_lock()  # of the descriptor: signals come from other threads
        self._go_on(WITHIN_EARLIER)

    def descriptors(self) -> tuple[int, ...]:
        return () if self._news is None else (self._news,)

    def handle(self, fd: int) -> None:
        assert fd == self._news
        if self._signal:
            self._end(Ended(SIGNAL_EXIT_BASE + self._signal, self._signal))
        elif self._exit_code is not None and self._unprinted:
            self._print()
        elif self._exit_code is not None and (self.refused or not self._command.endless):
            self._end(Ended(self._exit_code, None))
        else:
            os.eventfd_read(fd)  # nothing more to tell until an answer or a signal comes

    def signal_group(self, number: int) -> None:
        if number not in ENDING:
            return
        with self._guard:
            self._signal = number
            if self._news is not None:
                os.eventfd_write(self._news, 1)

    def kill_tree(self) -> None:
        self.signal_group(signal.SIGKILL)

    def answer(self, number: int, grants: tuple[Grant, ...], _hosts: tuple[FoundHost, ...] = ()) -> None:
        if self._exit_code is not None or number != len(self.held):
            return
        self._given += grants
        if not self._is_given(self._left[0]):
            del self._left[1:]
        self._holds = self._holds and self._is_given(self._left[0])
        self._go_on(number)

    def stop_holding(self) -> None:
        self._holds = False
        if self._exit_code is None:
            self._go_on(WITHIN_EARLIER)

    def close(self) -> None:
        if self.ended is None:
            self._end(Ended(SIGNAL_EXIT_BASE + signal.SIGKILL, signal.SIGKILL))

    def _go_on(self, number: int) -> None:
        """Up to the next call that waits, or all that it says; `number` is that of the call that was answered."""
        while self._left and self._is_given(first := self._left[0]):
            self._performed.append(PerformedCall(number, first.operation, first.path or ""))
            del self._left[0]
            number = WITHIN_EARLIER
        if self._left and self._holds and self._left[0].path is not None:
            self._held.append(HeldCall(len(self._held) + 1, self._left[0]))
        else:
            self.refused += self._left[:1]  # then it has failed
            self._exit_code, texts = _said(self._command, self.refused)
            self._unprinted = [(fd, text.encode()) for (fd, _), text in zip(self._unprinted, texts, strict=True)]
            if not self.refused:
                self._went()
        with self._guard:
            if self._news is not None:
                os.eventfd_write(self._news, 1)

    def _is_given(self, refused: Refused) -> bool:
        wanted = Grant("new_entry" if refused.operation == "create" else "write_path", refused.path or "")
        return any(implies(each, wanted) for each in self._given)

    def _print(self) -> None:
        """A piece, to a reader who is there or has gone."""
        fd, left = self._unprinted[0]
        try:
            written = os.write(fd, left[:PIECE_BYTES]) if left else 0
        except BlockingIOError:
            return  # it is read on the same loop
        except BrokenPipeError:
            written = len(left)
        self._unprinted[0] = fd, left[written:]
        if written == len(left):
            os.close(fd)
            del self._unprinted[0]

    def _end(self, ended: Ended) -> None:
        self.ended = ended
        for fd, _ in self._unprinted:
            os.close(fd)
        self._unprinted.clear()
        with self._guard:
            if self._news is not None:
                os.close(self._news)
                self._news = None


def start_scripted(plan: ConfinedCommand, script: CommandScript, *, stdout: int, stderr: int) -> ScriptedChild:
    """What the script says of this plan. Raises NotInScript."""
    command = script.next(plan.argv)
    return ScriptedChild(plan, command, stdout=stdout, stderr=stderr, went=lambda: script.went(plan.argv))


def refusals(plan: ConfinedCommand, command: ScriptedCommand) -> list[Refused]:
    """What the plan's sandbox does not let it do, as the kernel would report it, in order."""
    if not plan.confined:
        return []
    program = os.path.basename(plan.argv[0])
    opened = PathAccess(plan.permissions, {}, {})
    written = [os.path.realpath(os.path.join(plan.cwd, name)) for name in command.writes]
    carried = [each.value for each in plan.supervised_grants]  # a supervisor would do it in its stead
    refused = [_unwritten(path, plan, program) for path in written if path not in carried and not opened.writable(path)]
    reached = [_unreached(address, program) for address in command.connects if not _may_connect(plan, address)]
    return refused + reached


def _may_connect(plan: ConfinedCommand, address: str) -> bool:
    permissions = plan.permissions
    return permissions.network == "on" or address in permissions.hosts or address.startswith(LOOPBACKS)


def _unwritten(path: str, plan: ConfinedCommand, program: str) -> Refused:
    operation: Operation = "write" if os.path.lexists(path) else "create"
    if plan.permissions.may_write(path):  # a name in there that must not come to exist
        return Refused(operation, "openat", path, errno="EACCES", layer="seccomp", program=program)
    return Refused(operation, "openat", path, program=program)


def _unreached(address: str, program: str) -> Refused:
    return Refused("connect", "connect", address=address, errno="EPERM", layer="network", program=program)


def _said(command: ScriptedCommand, refused: list[Refused]) -> tuple[int, tuple[str, str]]:
    """The exit code, and what goes to the two streams."""
    if not refused:
        return command.exit_code, (command.output, command.errors)
    (first,) = refused
    why = os.strerror(getattr(errno, first.errno))
    return command.exit_code or REFUSED_EXIT_CODE, ("", f"{first.program}: {first.path or first.address}: {why}\n")
