"""A child without restrictions: its own session, only the three standard descriptors.  posix_spawn(3)

`danger-full-access` and approved escalations run like this, so it must cost next to nothing: no thread, no
ctypes while the command starts in our own directory. Another directory needs posix_spawn's `addfchdir`, which
Python does not offer; `kernel.spawn` does.

What does not hold: when Sandgate itself is killed by SIGKILL, this child lives on like any unconfined program.
"""

from __future__ import annotations

import errno
import fcntl
import os

from sandgate.kernel.child import Ended, HoldsNothing, ended_from
from sandgate.kernel.program import find_program
from sandgate.kernel.session_tree import PYTHON_IGNORES, SIGKILL, kill_sessions
from sandgate.protocol.confinement import ExecFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sandgate.protocol.confinement import ConfinedCommand, SetupFailure
    from sandgate.protocol.denials import Refused


EXIT_UNKNOWN = 255  # another part of this process reaped our child, its status is lost


class PlainChild(HoldsNothing):
    """One unconfined process. See `kernel.child.Child` for the contract."""

    refused_omitted = 0
    reported = False
    layers: tuple[str, ...] = ()

    def __init__(self, pid: int, failure: SetupFailure | ExecFailure | None = None) -> None:
        self.pid = pid
        self.ended: Ended | None = None
        self.failure = failure
        self.refused: list[Refused] = []
        self.locked: list[str] = []
        self.unserved: list[str] = []
        self.may_listen = True  # no record is told
        self._pidfd = os.pidfd_open(pid) if pid else -1

    def descriptors(self) -> tuple[int, ...]:
        return (self._pidfd,) if self._pidfd >= 0 and self.ended is None else ()

    def handle(self, fd: int) -> None:
        if fd == self._pidfd and self.ended is None:
            self._reap(os.WNOHANG)

    def signal_group(self, number: int) -> None:
        if self.pid and self.ended is None:
            try:
                os.killpg(self.pid, number)
            except (ProcessLookupError, PermissionError):
                return

    def kill_tree(self) -> None:
        if not self.pid:
            return
        if self.ended is None:
            self.signal_group(SIGKILL)
        elif _exists(self.pid):
            return  # the number was free and is in use again: no process of ours is left
        kill_sessions((self.pid,))

    def close(self) -> None:
        if self._pidfd < 0:
            return
        if self.ended is None:
            self.kill_tree()
            self._reap(0)
        os.close(self._pidfd)
        self._pidfd = -1

    def _reap(self, options: int) -> None:
        try:
            pid, status = os.waitpid(self.pid, options)
        except ChildProcessError:
            self.ended = Ended(exit_code=EXIT_UNKNOWN, signal=None)
            return
        if pid:
            self.ended = ended_from(status)


def start_plain(plan: ConfinedCommand, *, stdin: int, stdout: int, stderr: int) -> PlainChild:
    """Starts `plan` unconfined. A program or directory that cannot be used is the child's `failure`."""
    program = find_program(plan.argv[0], env=plan.env, cwd=plan.cwd)
    if program.errno:
        return _failed("program", program.errno)
    with Above2((stdin, stdout, stderr)) as stdio:
        if _is_our_directory(plan.cwd):
            return _spawn_here(program.path, plan, stdio)
        return _spawn_elsewhere(program.path, plan, stdio)


class Above2:
    """The three sources of a child's stdio, none of them in a slot that dup2 is about to overwrite."""

    def __init__(self, sources: Sequence[int]) -> None:
        self._sources = sources
        self._moved: list[int] = []

    def __enter__(self) -> tuple[int, int, int]:
        stdin, stdout, stderr = (self._move(source, slot) for slot, source in enumerate(self._sources))
        return stdin, stdout, stderr

    def __exit__(self, *_: object) -> None:
        for fd in self._moved:
            os.close(fd)

    def _move(self, source: int, slot: int) -> int:
        if source > 2 or source == slot:
            return source
        moved: int = fcntl.fcntl(source, fcntl.F_DUPFD_CLOEXEC, 3)
        self._moved.append(moved)
        return moved


def _exchanged(plan: ConfinedCommand, directory: int, program: str) -> ExecFailure | None:
    if plan.bound is None:
        return None
    from sandgate.kernel.expected import exchanged

    return exchanged(plan.bound, directory, program)


def _exchanged_here(plan: ConfinedCommand, program: str) -> ExecFailure | None:
    if plan.bound is None:
        return None
    here = open_directory(".")
    try:
        return _exchanged(plan, here, program)
    finally:
        os.close(here)


def _spawn_here(path: str, plan: ConfinedCommand, stdio: tuple[int, int, int]) -> PlainChild:
    if what := _exchanged_here(plan, path):
        return PlainChild(0, what)
    actions = _terminal_or_dup(stdio[0], tty=plan.tty)
    actions += [(os.POSIX_SPAWN_DUP2, source, slot) for slot, source in enumerate(stdio) if slot]
    actions += [(os.POSIX_SPAWN_CLOSE, fd) for fd in inheritable_descriptors()]
    try:
        pid = os.posix_spawn(
            path,
            plan.argv,
            _plain(plan.env),
            file_actions=actions,
            setsid=True,
            setsigmask=(),  # a signal that this thread blocks would survive the exec
            setsigdef=PYTHON_IGNORES,
        )
    except OSError as error:
        return _failed("program", error.errno or errno.EIO)
    return PlainChild(pid)


def _spawn_elsewhere(path: str, plan: ConfinedCommand, stdio: tuple[int, int, int]) -> PlainChild:
    from sandgate.kernel.spawn import Spawn

    try:
        directory = open_directory(plan.cwd)
    except OSError as failure:
        return _failed("directory", failure.errno or errno.EIO)
    try:
        if what := _exchanged(plan, directory, path):
            return PlainChild(0, what)
        terminal = os.ttyname(stdio[0]) if plan.tty else None
        pid, error = Spawn(path, plan.argv, plan.env, stdio=stdio, directory=directory, terminal=terminal).run()
    finally:
        os.close(directory)
    return _failed("program", error) if error else PlainChild(pid)


def open_directory(path: str) -> int:
    """A handle on a directory, above 2 even when our own stdio is closed."""
    low = os.open(path, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    if low > 2:
        return low
    try:
        return int(fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, 3))
    finally:
        os.close(low)


def _terminal_or_dup(stdin: int, *, tty: bool) -> list[tuple[int, ...] | tuple[int, int, str, int, int]]:
    # A session leader without a terminal gets the first one it opens; a descriptor it inherits does not count.
    if tty:
        return [(os.POSIX_SPAWN_OPEN, 0, os.ttyname(stdin), os.O_RDWR, 0)]
    return [(os.POSIX_SPAWN_DUP2, stdin, 0)]


def inheritable_descriptors() -> list[int]:
    """Our descriptors above 2 that an exec would pass on: the ones a child must not see."""
    found = []
    for entry in os.listdir("/proc/self/fd"):
        try:
            if int(entry) > 2 and os.get_inheritable(int(entry)):
                found.append(int(entry))
        except OSError:
            continue  # closed since it was listed, like the listing's own descriptor
    return found


def _is_our_directory(cwd: str) -> bool:
    try:
        return os.path.samestat(os.stat(cwd), os.stat("."))
    except OSError:
        return False


def _plain(env: Mapping[str, str]) -> dict[str, str]:
    return env if type(env) is dict else dict(env)


def _exists(pid: int) -> bool:
    return os.path.exists(f"/proc/{pid}")


def _failed(what: str, code: int) -> PlainChild:
    name = errno.errorcode.get(code, str(code))
    return PlainChild(0, ExecFailure("directory" if what == "directory" else "program", name))
