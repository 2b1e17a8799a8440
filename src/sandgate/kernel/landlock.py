"""Landlock: a thread gives up access to files, and what it starts inherits that.  landlock(7), Linux 5.13

A rule set lists what is handled (and so refused by default) and grants rights below directories. It only ever
adds: nothing below a granted directory can be taken back. Without Landlock in the kernel, or with it off at boot,
`supported_abi` is 0.
"""

from __future__ import annotations

import errno
import os
import stat
import struct

from sandgate.kernel.syscalls import caller

ABI_WANTED = 3  # Linux 6.2; before it O_RDONLY|O_TRUNC empties any file, with no rule to stop it
ABI_SCOPES = 6  # Linux 6.12: signals and abstract sockets stay inside

# <linux/landlock.h>, LANDLOCK_ACCESS_FS_*
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
MAKE_CHAR, MAKE_BLOCK = 1 << 6, 1 << 11
TRUNCATE, IOCTL_DEV = 1 << 14, 1 << 15
_FS_BITS_OF_ABI = {1: 13, 2: 14, 3: 15, 4: 15}  # from 5 on: 16
_NET_TCP = 0b11  # bind and connect, ABI 4
_SCOPES = 0b11  # abstract unix sockets and signals, ABI 6
_OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV  # the rest makes no sense on a file

_CREATE_VERSION = 1  # LANDLOCK_CREATE_RULESET_VERSION
_RULE_PATH_BENEATH = 1


def supported_abi() -> int:
    """The Landlock ABI this kernel offers; 0 when there is none (before 5.13, or not enabled at boot)."""
    try:
        return caller().call("landlock_create_ruleset", 0, 0, _CREATE_VERSION)
    except OSError as error:
        if error.errno in (errno.ENOSYS, errno.EOPNOTSUPP):
            return 0
        raise


def handled_rights(abi: int) -> int:
    """Every file right an ABI knows."""
    return int((1 << _FS_BITS_OF_ABI.get(abi, 16)) - 1)


def read_rights(abi: int) -> int:
    """Look, list, execute."""
    return (EXECUTE | READ_FILE | READ_DIR) & handled_rights(abi)


def write_rights(abi: int) -> int:
    """Everything but making devices."""
    return handled_rights(abi) & ~(MAKE_CHAR | MAKE_BLOCK)


def create_ruleset(abi: int, *, network: bool) -> int:
    """A descriptor of an empty rule set that refuses every file access, and TCP too unless `network`."""
    net = _NET_TCP if abi >= 4 and not network else 0
    scoped = _SCOPES if abi >= ABI_SCOPES else 0
    attributes = struct.pack("=QQQ", handled_rights(abi), net, scoped)
    known_bytes = 8 if abi < 4 else 16 if abi < ABI_SCOPES else 24
    return caller().call("landlock_create_ruleset", attributes[:known_bytes], known_bytes, 0)


def allow_path(ruleset: int, path: str, rights: int) -> tuple[int, int] | None:
    """Grants `rights` on a file, or on a directory and all below; its (device, inode), None if it is gone."""
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return None  # vanished since it was listed: no right is the safe answer
    try:
        return allow_open(ruleset, fd, rights)
    finally:
        os.close(fd)


def allow_open(ruleset: int, fd: int, rights: int) -> tuple[int, int] | None:
    """The same for what is already open (O_PATH will do); None for a symbolic link, which cannot carry a rule."""
    status = os.fstat(fd)
    if stat.S_ISLNK(status.st_mode):
        return None
    if not stat.S_ISDIR(status.st_mode):
        rights &= _OF_FILES
    caller().call("landlock_add_rule", ruleset, _RULE_PATH_BENEATH, struct.pack("=Qi", rights, fd), 0)
    return (status.st_dev, status.st_ino)


def restrict_self(ruleset: int) -> None:
    """Confines the calling thread and all it starts. Needs no_new_privs."""
    caller().call("landlock_restrict_self", ruleset, 0)
