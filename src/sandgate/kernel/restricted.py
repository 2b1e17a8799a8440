"""A child under Landlock and seccomp, born of a thread that went there first.  landlock(7), seccomp(2)

Kernel restrictions belong to a thread and are inherited by what it starts, so nothing has to run between fork and
exec: a thread restricts itself and calls posix_spawn. It must be born for one child and never used again, start
nothing else, and stay until the child is gone, because a program that asks to be killed with its parent
(PR_SET_PDEATHSIG) means that thread. It shares our directory; the child gets its own from posix_spawn. It has its own
descriptors where `unshare` is not refused, as containers do; else the child gets its own of these, too, one step later.

When Sandgate is killed by SIGKILL, the listener closes: what is left of the command runs on inside Landlock and
seccomp, and every call that makes, opens for writing, moves or removes a file fails with ENOSYS.
"""

from __future__ import annotations

import _thread
import errno
import os
from contextlib import suppress

from sandgate.kernel import landlock
from sandgate.kernel.capabilities import drop_powers
from sandgate.kernel.child import Ended, ended_from
from sandgate.kernel.expected import exchanged
from sandgate.kernel.open_calls import SHARED_MEMORY
from sandgate.kernel.path_access import PathAccess
from sandgate.kernel.pidfd import reap
from sandgate.kernel.plain import Above2, PlainChild, open_directory
from sandgate.kernel.program import find_program
from sandgate.kernel.restriction import Restriction, may_take_over, reads_of
from sandgate.kernel.session_tree import SIGKILL, members, still_the_same
from sandgate.kernel.spawn import Spawn, spawn_missing
from sandgate.kernel.supervise import TREE_END_MS, Supervisor
from sandgate.kernel.syscalls import NUMBERS, caller, machine
from sandgate.kernel.waiting import Observed
from sandgate.protocol.confinement import ExecFailure, SetupFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandgate.kernel.child import Child
    from sandgate.kernel.held_calls import CallKeeper
    from sandgate.protocol.confinement import ConfinedCommand
    from sandgate.protocol.denials import Refused
    from sandgate.protocol.held_calls import FoundHost, HeldCall, PerformedCall
    from sandgate.protocol.permissions import Grant

LAYERS = ("landlock", "seccomp", "notify")
CLONE_FILES = 0x400  # <linux/sched.h>
DESCRIPTORS_END = 0xFFFFFFFF  # the last descriptor there can be, close_range(2)
CLOSE_MS = TREE_END_MS + 1000  # how long `close` waits for the tree to be gone


class RestrictedChild:
    """One confined process tree. See `kernel.child.Child` for the contract."""

    def __init__(self, plan: ConfinedCommand, restriction: Restriction, spawn: Spawn) -> None:
        self.pid = 0
        self.ended: Ended | None = None
        self._outcome: Ended | None = None  # the supervisor's word, taken over by `handle`
        self.failure: SetupFailure | ExecFailure | None = None
        self.layers: tuple[str, ...] = ()
        self._limits = plan.limits
        permissions = plan.permissions
        self._observed = Observed(
            PathAccess(permissions, restriction.rules.granted, restriction.rules.shown),
            network=permissions.network == "on",
            sockets=permissions.sockets,
            hosts=permissions.hosts,
        )
        self._observed.reads = reads_of(permissions)
        self._keeper: CallKeeper | None = None
        if may_take_over(plan):
            from sandgate.kernel.held_calls import CallKeeper

            self._keeper = CallKeeper(plan, self._observed.access, self._tell)
            self._observed.held_calls = self._keeper
        self._supervisor: Supervisor | None = None
        self._reaping = _thread.allocate_lock()
        self._reaped = False
        self._launched = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._news = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._done = _taken_lock()  # until the supervisor needs `_news` no more
        self._parked = _taken_lock()
        self._start(restriction, spawn)

    @property
    def refused(self) -> list[Refused]:
        return self._observed.refused

    @property
    def locked(self) -> list[str]:
        return self._observed.locked

    @property
    def unserved(self) -> list[str]:
        return []  # it has no loopback of its own

    @property
    def may_listen(self) -> bool:
        return True  # its supervisor does not hear of it

    @property
    def refused_omitted(self) -> int:
        return self._observed.omitted

    @property
    def reported(self) -> bool:
        return self._supervisor is not None and self._supervisor.complete

    @property
    def held(self) -> Sequence[HeldCall]:
        return () if self._keeper is None else self._keeper.held

    @property
    def let_go(self) -> Sequence[int]:
        return () if self._keeper is None else self._keeper.let_go

    @property
    def performed_calls(self) -> Sequence[PerformedCall]:
        return () if self._keeper is None else self._keeper.performed_calls

    @property
    def performed_omitted(self) -> int:
        return 0 if self._keeper is None else self._keeper.performed_omitted

    def descriptors(self) -> tuple[int, ...]:
        return (self._news,) if self._news >= 0 and self.pid and self.ended is None else ()

    def handle(self, fd: int) -> None:
        if fd == self._news:
            with suppress(BlockingIOError):
                os.eventfd_read(fd)
            self.ended = self._outcome

    def _tell(self) -> None:
        os.eventfd_write(self._news, 1)

    def signal_group(self, number: int) -> None:
        with self._reaping:
            if self.pid and not self._reaped:
                try:
                    os.killpg(self.pid, number)
                except (ProcessLookupError, PermissionError):
                    return

    def kill_tree(self) -> None:
        self.signal_group(SIGKILL)
        if self._supervisor is not None:
            self._supervisor.wake(kill_tree=True)

    def answer(self, number: int, grants: tuple[Grant, ...], _hosts: tuple[FoundHost, ...] = ()) -> None:
        if self._keeper is not None:
            self._keeper.order(number, grants)
            self._wake()

    def stop_holding(self) -> None:
        if self._keeper is not None:
            self._keeper.order_stop()
            self._wake()

    def _wake(self) -> None:
        if self._supervisor is not None:
            self._supervisor.wake()

    def processes(self) -> tuple[int, ...]:
        return tuple(members(still_the_same(self._observed.sessions)))

    def settle_in(self) -> None:
        return  # there is nothing to give up

    def close(self) -> None:
        if self._news < 0:
            return
        if self._supervisor is not None:
            self.kill_tree()
            if not self._done.acquire(timeout=CLOSE_MS / 1000):
                return  # the supervisor still needs it; a stuck kernel call is all that can keep it so long
        os.close(self._news)
        self._news = -1

    def _start(self, restriction: Restriction, spawn: Spawn) -> None:
        armed, attended, launched = _taken_lock(), _taken_lock(), _taken_lock()
        listener: list[int] = []
        _thread.start_new_thread(self._launch, ([restriction], spawn, listener, armed, attended, launched))
        armed.acquire()
        if listener:
            self._attend(listener[0], attended)
        launched.acquire()
        if self._supervisor is None:
            self._release()

    def _attend(self, listener: int, attended: _thread.LockType) -> None:
        """Without somebody who answers its calls nothing may be started: it would wait for ever."""
        try:
            self._supervisor = Supervisor(listener, self._observed, on_birth=self._limit)
        except OSError as error:
            os.close(listener)
            self._unattended(error)
            attended.release()
            return
        _thread.start_new_thread(self._supervise, (self._supervisor, attended))

    def _unattended(self, error: OSError) -> None:
        self.failure = SetupFailure("make the supervisor", errno.errorcode.get(error.errno or 0, "EIO"))

    def _launch(
        self,
        restriction: list[Restriction],
        spawn: Spawn,
        listener: list[int],
        armed: _thread.LockType,
        attended: _thread.LockType,
        launched: _thread.LockType,
    ) -> None:
        """The launcher thread. After `apply` it makes no call that its own filter would hold.

        The child gets a copy of this thread's descriptors. Its first call waits until the listener answers or is closed
        everywhere, so the listener is not among them: when Sandgate is killed, nothing waits for ever.
        """
        try:
            # Taken out, so that this thread is not the last to have it: what it closes then is not in its own table.
            listener.append(restriction.pop().apply())
        except OSError as error:
            self.failure = SetupFailure("restrict the launcher thread", errno.errorcode.get(error.errno or 0, "EIO"))
            armed.release()
            launched.release()
            return
        armed.release()
        attended.acquire()
        if self._supervisor is None:
            launched.release()
            return
        has_own = _unshare_descriptors()
        if has_own:
            os.close(listener[0])
        pid, failed = spawn.run()
        if failed:
            self.failure = ExecFailure("program", errno.errorcode.get(failed, str(failed)))
        else:
            self.layers = LAYERS
        self.pid = pid
        os.eventfd_write(self._launched, 1)
        if has_own:
            caller().call("close_range", 0, DESCRIPTORS_END, 0)  # or who waits for the end of a pipe would wait for us
        launched.release()
        self._parked.acquire()

    def _supervise(self, supervisor: Supervisor, attended: _thread.LockType) -> None:
        """The supervising thread, from before the first instruction of the child to after the last."""
        ended: Ended | None = None
        try:
            drop_powers(for_good=False)
        except OSError as error:
            supervisor.close()
            self._supervisor = None
            self._unattended(error)
            return
        finally:
            attended.release()
        try:
            supervisor.serve_until(self._launched)
            if self.pid:
                ended = self._serve_to_the_end(supervisor)
        finally:
            if self._parked.locked():
                self._parked.release()
            supervisor.close()
            self._release()
            if self.pid:
                self._outcome = ended or self._reap(kill=True)
            self._tell()
            self._done.release()

    def _serve_to_the_end(self, supervisor: Supervisor) -> Ended:
        pidfd = os.pidfd_open(self.pid)
        try:
            supervisor.serve_until(pidfd)
        finally:
            os.close(pidfd)
        ended = self._reap(kill=False)
        self._parked.release()  # the launcher's own hold on the filter would keep the listener from hanging up
        supervisor.end_tree()
        return ended

    def _reap(self, *, kill: bool) -> Ended:
        if kill:
            self.signal_group(SIGKILL)
        with self._reaping:
            self._reaped = True
            return ended_from(reap(self.pid))

    def _release(self) -> None:
        os.close(self._launched)
        self._observed.close()
        for name, identity in self._observed.shared.items():
            _remove_if_same(f"{SHARED_MEMORY}/{name}", identity)

    def _limit(self, pid: int) -> None:
        """Applied from outside to the half-born child: it waits for leave to call setsid, before exec."""
        import resource

        limits = self._limits
        for which, value in (
            (resource.RLIMIT_CORE, limits.core_bytes),
            (resource.RLIMIT_NOFILE, limits.open_files),
            (resource.RLIMIT_NPROC, limits.processes),
            (resource.RLIMIT_FSIZE, limits.file_bytes),
            (resource.RLIMIT_AS, limits.memory_bytes),
        ):
            if value is not None:
                hard = resource.prlimit(pid, which)[1]
                bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
                resource.prlimit(pid, which, (bound, bound))


def start_restricted(plan: ConfinedCommand, *, stdin: int, stdout: int, stderr: int) -> Child:
    """Starts `plan` under Landlock and seccomp. What is missing for that is the child's `failure`; nothing ran."""
    missing = _missing()
    if missing:
        return PlainChild(0, SetupFailure(missing, "ENOSYS"))
    program = find_program(plan.argv[0], env=plan.env, cwd=plan.cwd)
    if program.errno:
        return PlainChild(0, ExecFailure("program", errno.errorcode[program.errno]))
    try:
        directory = open_directory(plan.cwd)
    except OSError as error:
        return PlainChild(0, ExecFailure("directory", errno.errorcode.get(error.errno or 0, "EIO")))
    terminal = os.ttyname(stdin) if plan.tty else None
    try:
        with Above2((stdin, stdout, stderr)) as stdio:
            restriction = Restriction(plan, landlock.supported_abi(), terminal)
            spawn = Spawn(program.path, plan.argv, plan.env, stdio=stdio, directory=directory, terminal=terminal)
            if plan.bound is not None and (what := exchanged(plan.bound, directory, program.path)):
                return PlainChild(0, what)
            return RestrictedChild(plan, restriction, spawn)
    finally:
        os.close(directory)


def _missing() -> str:
    """What this host lacks for the backend; "" when it can be tried."""
    if machine() not in NUMBERS:
        return f"system call table for {machine()}"
    if landlock.supported_abi() < landlock.ABI_WANTED:
        return f"landlock ABI {landlock.ABI_WANTED}"
    return spawn_missing()


def _unshare_descriptors() -> bool:
    """The calling thread has a table of descriptors of its own from now on; False where a container refuses that."""
    try:
        caller().call("unshare", CLONE_FILES)
    except OSError:
        return False
    return True


def _taken_lock() -> _thread.LockType:
    lock = _thread.allocate_lock()
    lock.acquire()
    return lock


def _remove_if_same(path: str, identity: tuple[int, int]) -> None:
    try:
        status = os.lstat(path)
        if (status.st_dev, status.st_ino) == identity:
            os.unlink(path)
    except OSError:
        return
