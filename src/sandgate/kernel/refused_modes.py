"""Modes that nothing new may have: set-id bits, and kinds that are devices.  open(2), mknod(2)

A file that runs as its owner would do so on the host too, long after the sandbox. Such a call is held for the record
alone: the mode lies in a register that was copied with the call, and nothing here lets the kernel go on with it. The
same as native/refusals.c, but for `chmod`, which `metadata_calls` sees.
"""

from __future__ import annotations

import errno
import os
import stat

from sandgate.kernel.call_rules import O_TMPFILE_BIT, SET_ID
from sandgate.kernel.places import MagicLink, OpenFile, find_place
from sandgate.kernel.target import AT_FDCWD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.kernel.waiting import Answer, WaitingCall

_PATH_OF = {"open": 0, "creat": 0, "mknod": 0, "openat": 1, "mknodat": 1}  # which argument; a directory is before it
_FLAGS_OF = {"open": 1, "openat": 2}  # the mode is next, and counts only when a file is made
_DEVICES = (stat.S_IFCHR, stat.S_IFBLK)


def has_refused_mode(name: str, arguments: tuple[int, ...]) -> bool:
    """Whether the call `name` with these arguments is one that must not go on."""
    if name in _FLAGS_OF:
        at = _FLAGS_OF[name]
        return bool(arguments[at] & (os.O_CREAT | O_TMPFILE_BIT)) and bool(arguments[at + 1] & SET_ID)
    if name not in _PATH_OF:
        return False
    mode = arguments[_PATH_OF[name] + 1]
    return bool(mode & SET_ID) or (name != "creat" and stat.S_IFMT(mode & 0xFFFFFFFF) in _DEVICES)


def refused_mode_call(call: WaitingCall) -> Answer:
    """Refuses it, with the place where that can be told."""
    at = _PATH_OF[call.name]
    try:
        dirfd = call.int32(0) if at else AT_FDCWD
        with find_place(call.target, dirfd, call.target.text_at(call.arguments[at]), follow=False) as place:
            path: str | None = place.path
    except (OSError, MagicLink, OpenFile):
        path = None
    call.confirm()
    return call.deny("other", path=path, code=errno.EPERM, layer="seccomp")
