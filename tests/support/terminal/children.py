"""A plain child for tests of the driver: no sandbox, no launcher thread, and the contract of `kernel.child.Child`.

It is as small as a real one can be: `posix_spawn`, a session of its own, a pidfd.
"""

from __future__ import annotations

import os
import shutil
import signal
from typing import TYPE_CHECKING

from sandgate.kernel.child import Ended
from sandgate.protocol.confinement import ConfinedCommand, ExecFailure
from sandgate.protocol.permissions import EffectivePermissions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sandgate.protocol.denials import Refused
    from sandgate.protocol.held_calls import HeldCall, PerformedCall
    from sandgate.protocol.permissions import Grant

# Opening the terminal by name makes it the session's own; posix_spawn has no step for that, nor for a directory.
_ENTER = 'cd -- "$0" && exec "$@"'
_ENTER_WITH_TERMINAL = 'exec <"$(tty)"; ' + _ENTER


class PlainChild:
    """A command in a session of its own."""

    held: Sequence[HeldCall] = ()
    let_go: Sequence[int] = ()
    performed_calls: Sequence[PerformedCall] = ()
    performed_omitted = 0

    def __init__(self, pid: int, failure: ExecFailure | None = None) -> None:
        self.pid = pid
        self.failure = failure
        self.refused: list[Refused] = []
        self.locked: list[str] = []
        self.unserved: list[str] = []
        self.may_listen = True
        self.refused_omitted = 0
        self.reported = False
        self.layers: tuple[str, ...] = ()
        self.ended: Ended | None = None
        self._pidfd = os.pidfd_open(pid) if pid else None

    def descriptors(self) -> tuple[int, ...]:
        return () if self._pidfd is None or self.ended is not None else (self._pidfd,)

    def handle(self, fd: int) -> None:
        assert fd == self._pidfd
        self._reap(os.WNOHANG)

    def signal_group(self, number: int) -> None:
        self._signal(number)

    def kill_tree(self) -> None:
        self._signal(signal.SIGKILL)

    def answer(self, _number: int, _grants: tuple[Grant, ...]) -> None:
        return  # nothing is held here

    def stop_holding(self) -> None:
        return

    def settle_in(self) -> None:
        return

    def close(self) -> None:
        if self._pidfd is None:
            return
        if self.ended is None:
            self.kill_tree()
            self._reap(0)
        os.close(self._pidfd)
        self._pidfd = None

    def _signal(self, number: int) -> None:
        try:
            os.killpg(self.pid, number)
        except ProcessLookupError:
            return

    def _reap(self, options: int) -> None:
        pid, status = os.waitpid(self.pid, options)
        if pid:
            code = os.waitstatus_to_exitcode(status)
            self.ended = Ended(code, None) if code >= 0 else Ended(128 - code, -code)


def start_plain(
    plan: ConfinedCommand, *, stdin: int, stdout: int, stderr: int, helper: str | None = None
) -> PlainChild:
    """A `Starter`; it has no use for a helper."""
    del helper
    if not os.path.isdir(plan.cwd):
        return PlainChild(0, ExecFailure("directory", "ENOENT"))
    program = shutil.which(plan.argv[0], path=plan.env["PATH"])
    if program is None:
        return PlainChild(0, ExecFailure("program", "ENOENT"))
    enter = _ENTER_WITH_TERMINAL if plan.tty else _ENTER
    pid = os.posix_spawn(
        "/bin/sh",
        ["sh", "-c", enter, plan.cwd, *plan.argv],
        dict(plan.env),
        file_actions=[(os.POSIX_SPAWN_DUP2, fd, number) for number, fd in enumerate((stdin, stdout, stderr))],
        setsid=True,
        setsigmask=[],
        setsigdef=[signal.SIGINT, signal.SIGPIPE, signal.SIGQUIT, signal.SIGXFSZ],
    )
    return PlainChild(pid)


def plan(*argv: str, cwd: str = "/", env: Mapping[str, str] | None = None, tty: bool = False) -> ConfinedCommand:
    """An unconfined plan with a small environment, in which a shell keeps no history."""
    return ConfinedCommand(
        backend="none",
        argv=argv,
        cwd=cwd,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C", "HISTFILE": "/dev/null"} if env is None else env,
        permissions=EffectivePermissions(confined=False),
        tty=tty,
    )


def shell(script: str, *, tty: bool = False) -> ConfinedCommand:
    """A plan for `sh -c script`."""
    return plan("/bin/sh", "-c", script, tty=tty)
