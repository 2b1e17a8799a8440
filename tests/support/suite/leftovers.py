"""Nothing that a run of the tests has started outlives it, however it ends: tests do not tidy up behind SIGKILL.

The process that was asked for the tests becomes the outermost of three. It waits, and passes on what it is told. Below
it a keeper adopts every process whose parent has ended, and below that one the tests run. When either the outermost or
the tests have ended, the keeper ends all that is left.
"""

from __future__ import annotations

import ctypes
import os
import signal
import threading
import time
from contextlib import suppress
from pathlib import Path

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
"""<linux/prctl.h>"""

PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
ABANDONED = signal.SIGUSR2
"""What the kernel tells the keeper when the outermost process is gone."""

WATCHED = {signal.SIGCHLD, ABANDONED, *PASSED_ON}
ENDS_S = 10
"""So long the keeper waits for what it has killed."""


def leave_none() -> None:
    """Goes on in the process of the tests; both of the others end here. To be called before there are threads."""
    if threading.active_count() > 1:
        return  # a fork would lose them: another program runs the tests, and sees to its children itself
    before = signal.pthread_sigmask(signal.SIG_BLOCK, WATCHED)
    outermost = os.getpid()
    if keeper := os.fork():
        _end_as(_attend(keeper))
    _prctl(PR_SET_CHILD_SUBREAPER, 1)
    _prctl(PR_SET_PDEATHSIG, ABANDONED)
    if os.getppid() != outermost:
        os._exit(1)
    own = os.getpid()
    if tests := os.fork():
        os.setpgid(0, 0)  # whoever kills the group of the tests does not kill what sees to the rest
        status = _attend(tests)
        _end_all()
        _end_as(status)
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != own:
        os._exit(1)
    signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _prctl(option: int, value: int) -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl")


def _attend(child: int) -> int:
    """The status with which the child ended; also when nobody waits for it any more."""
    while True:
        told = signal.sigwaitinfo(WATCHED)
        if told.si_signo == ABANDONED:
            return signal.SIGKILL
        if told.si_signo == signal.SIGCHLD:
            with suppress(ChildProcessError):
                while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                    if ended[0] == child:
                        return ended[1]
        elif told.si_pid:  # a terminal tells everybody itself
            os.kill(child, told.si_signo)


def _end_all() -> None:
    """Kills the children, and theirs as they come to be ours, until none is left."""
    end = time.monotonic() + ENDS_S
    while (left := Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()) and time.monotonic() < end:
        for pid in left:
            with suppress(PermissionError):  # it has become somebody else
                os.kill(int(pid), signal.SIGKILL)
        signal.sigtimedwait({signal.SIGCHLD}, ENDS_S)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def _end_as(status: int) -> None:
    """As the tests did, but without a second dump of memory."""
    number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    os._exit(128 + number if number else os.WEXITSTATUS(status))
