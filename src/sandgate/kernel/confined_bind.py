"""bind(2) of another process's unix socket to the path *it* wrote, and to no other place.  unix(7)

The text given to bind is what getsockname tells forever after, so it should be the caller's own. But a text can be
led astray by a link swapped in after we looked. So the call is made by a thread of its own, which has given up
every file right but "make a socket below the directory we resolved": the kernel then refuses a detour. Landlock cannot
take away what lies below that directory. Where something does that the command may not change, only a text without
links on its way is used: the directories on it hold that, too, and so have no other name as long as the command runs.
"""

from __future__ import annotations

import _thread
import errno
import os

from sandgate.kernel import landlock
from sandgate.kernel.places import path_of
from sandgate.kernel.socket_address import UNIX_PATH_MAX, unix_address
from sandgate.kernel.syscalls import caller

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.kernel.path_access import PathAccess
    from sandgate.kernel.places import OpenPlace
    from sandgate.kernel.socket_address import SocketAddress

CLONE_FS = 0x200  # <linux/sched.h>
PR_SET_NO_NEW_PRIVS = 38  # <linux/prctl.h>
MAKE_SOCK = 1 << 9  # LANDLOCK_ACCESS_FS_MAKE_SOCK


def bind_at(socket: int, address: SocketAddress, place: OpenPlace, access: PathAccess, *, cwd: int | None) -> None:
    """Binds `socket` to `place`, as which `address` was resolved; `cwd` is where a relative one started.

    By its very words if that is safe, else by the whole path, or by the name alone if that is too long.
    """
    raw, base = address.raw, cwd
    if access.holds_closed(place.directory) and not _is_plain_way(address.path, place, cwd):
        fits = len(os.fsencode(place.path)) <= UNIX_PATH_MAX
        raw, base = unix_address(place.path if fits else place.name), None if fits else place.parent
    bind_below(socket, raw, directory=place.parent, base=base)


def _is_plain_way(text: str, place: OpenPlace, cwd: int | None) -> bool:
    """Whether `text` leads to `place` through nothing but the directories of its canonical path."""
    start = "/" if cwd is None else path_of(cwd)
    return ".." not in text.split("/") and os.path.normpath(os.path.join(start, text)) == place.path


def bind_below(socket: int, raw: bytes, *, directory: int, base: int | None) -> None:
    """Binds `socket` to the address `raw`, whose name must come to lie in or below `directory`.

    `base` is where a relative path starts. OSError as bind gives it; EACCES for a path that led elsewhere.
    """
    outcome: list[OSError | None] = []
    done = _thread.allocate_lock()
    done.acquire()

    def deed() -> None:
        try:
            _bind(socket, raw, directory, base)
            outcome.append(None)
        except OSError as error:
            outcome.append(error)
        finally:
            done.release()

    _thread.start_new_thread(deed, ())
    done.acquire()
    failed = outcome[0] if outcome else OSError(errno.EIO, os.strerror(errno.EIO))
    if failed is not None:
        raise failed


def _bind(socket: int, raw: bytes, directory: int, base: int | None) -> None:
    calls = caller()
    if base is not None:
        calls.call("unshare", CLONE_FS)
        os.fchdir(base)
    ruleset = landlock.create_ruleset(landlock.supported_abi(), network=True)
    try:
        landlock.allow_open(ruleset, directory, MAKE_SOCK)
        calls.call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        landlock.restrict_self(ruleset)
    finally:
        os.close(ruleset)
    calls.call("bind", socket, raw, len(raw))
