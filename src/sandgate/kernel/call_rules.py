"""Which system calls a command under Landlock may make, may not make, and has to leave to the supervisor.

Which calls exist at all is said in `call_groups`. Here is what depends on arguments, what this backend refuses besides,
having no namespaces, and what Landlock either cannot judge or judges too coarsely (handed to `kernel.supervise`).
"""

from __future__ import annotations

import errno
import os

from sandgate.kernel.call_groups import GROUPS
from sandgate.kernel.seccomp import ALLOW, NOTIFY, CallRule, Test, refuse, rules
from sandgate.kernel.syscalls import NUMBERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Reads = Literal["kernel", "directories", "all"]  # which opens for reading the supervisor must see

_EPERM = refuse(errno.EPERM)
_ENOSYS = refuse(errno.ENOSYS)
_DONE = refuse(0)  # answered with success, and not made

# The priority of the process, group or user that the two first arguments name; 0 is the caller.
SCHEDULING = "sched_setscheduler sched_setattr sched_setparam sched_setaffinity"
PRIORITY = (("setpriority", 2), ("ioprio_set", 3))  # each with its word for "all processes of the user"

# <linux/sched.h>: CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET; NEWTIME shares its bit with
# clone's exit signal and exists for unshare alone
NEW_NAMESPACES = 0x7E020000
NEW_TIME = 0x80

TIOCSTI, TIOCLINUX = 0x5412, 0x541C  # type into, and paste into, the terminal that we were started from
TIOCGPTPEER = 0x5441  # open the other end of a pseudo-terminal, which no rule can name beforehand
SET_INODE_FLAGS = (0x40086602, 0x40046602, 0x401C5820)  # FS_IOC_SETFLAGS, _32, FSSETXATTR: metadata by ioctl

# What changes or locks files whatever the view and Landlock say of their place, on a descriptor that may only read.
# <linux/fscrypt.h>, <linux/fsverity.h>: SET_ENCRYPTION_POLICY, ADD_ and REMOVE_ENCRYPTION_KEY, the same for all users,
# ENABLE_VERITY
FILE_KEYS = (0x800C6613, 0xC0506617, 0xC0406618, 0xC0406619, 0x40806685)
# All of btrfs and bcachefs, by the byte that says whose a request is: an owner's snapshot of a subvolume shows all
# that is hidden in it. Three of the first byte belong to every file system, <linux/fs.h>: FICLONE, FICLONERANGE and
# FIDEDUPERANGE
SUBVOLUMES, REQUEST_OWNER_MASK = (0x9400, 0xBC00), 0xFF00
SHARED_CONTENT = (0x40049409, 0x4020940D, 0xC0189436)

# A lease makes writers outside wait, a notification tells of others' files. <linux/fcntl.h>
F_SETLEASE, F_NOTIFY, F_SETDELEG = 1024, 1026, 1040  # the last is a lease on a directory, Linux 6.19

LOCK_UN = 8  # gives a lock back, flock(2)

ADDR_NO_RANDOMIZE = 0x40000
QUERY_PERSONALITY = 0xFFFFFFFF

O_TMPFILE_BIT = 0o20000000
WRITE_INTENT = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | O_TMPFILE_BIT

SET_ID = 0o6000  # S_ISUID and S_ISGID, <linux/stat.h>

BY_NAME = (
    "creat mkdir mkdirat mknod mknodat unlink unlinkat rmdir rename renameat renameat2 link linkat symlink "
    "symlinkat truncate"
)
METADATA = (
    "chmod fchmod fchmodat fchmodat2 chown lchown fchown fchownat utime utimes futimesat utimensat setxattr lsetxattr "
    "fsetxattr removexattr lremovexattr fremovexattr"
)

AF_UNIX, AF_INET, AF_INET6, AF_VSOCK = 1, 2, 10, 40
_SOCK_TYPE_MASK = 0xF
_SOCK_DGRAM, _SOCK_RAW = 2, 3
_INTERNET_LEVELS = (0, 6, 17, 41)  # SOL_IP, SOL_TCP, SOL_UDP, SOL_IPV6 of setsockopt(2)


# Refused by their arguments, and held for the record alone, as refused groups are.
TOLD = "unshare clone fcntl personality"
# Held likewise, and answered as by a kernel that does not know it, as other such calls are without being told.
MISSED = "openat2"


def call_rules(*, network: bool, reads: Reads) -> tuple[CallRule, ...]:
    """The rules for one command."""
    return (
        *rules(SCHEDULING, _EPERM, Test(0, "not_equal", 0)),
        *(CallRule(call, _EPERM, (Test(0, "equal", whole_user),)) for call, whole_user in PRIORITY),
        *(CallRule(call, _EPERM, (Test(1, "not_equal", 0),)) for call, _whole_user in PRIORITY),
        *rules("prlimit64", _EPERM, Test(0, "not_equal", 0)),  # 0 is the caller; any process of the user would do
        *rules("clone", NOTIFY, Test(0, "any_bit", NEW_NAMESPACES)),
        *rules("unshare", NOTIFY, Test(0, "any_bit", NEW_NAMESPACES | NEW_TIME)),
        *(
            CallRule("ioctl", NOTIFY, (Test(1, "equal", request),))
            for request in (TIOCSTI, TIOCLINUX, *SET_INODE_FLAGS)
        ),
        *(CallRule("ioctl", NOTIFY, (Test(1, "equal", request),)) for request in FILE_KEYS),
        *(CallRule("ioctl", ALLOW, (Test(1, "equal", request),)) for request in SHARED_CONTENT),
        *(CallRule("ioctl", NOTIFY, (Test(1, "equal", owner, REQUEST_OWNER_MASK),)) for owner in SUBVOLUMES),
        *rules("ioctl", NOTIFY, Test(1, "equal", TIOCGPTPEER)),
        *(CallRule("fcntl", NOTIFY, (Test(1, "equal", command),)) for command in (F_SETLEASE, F_NOTIFY, F_SETDELEG)),
        *(CallRule("personality", ALLOW, (Test(0, "equal", p),)) for p in (0, ADDR_NO_RANDOMIZE, QUERY_PERSONALITY)),
        *rules("personality", NOTIFY),
        *_set_id_rules(),  # what else makes a file is held anyway
        *_open_rules(reads),
        *rules(BY_NAME, NOTIFY),
        *rules(METADATA, NOTIFY),
        *rules(f"setsid {MISSED}", NOTIFY),
        *rules("flock", NOTIFY, Test(1, "not_equal", LOCK_UN)),
        *_socket_rules(network=network),
    )


def group_actions(machine: str) -> dict[int, int]:
    """What happens to each call of `machine`, by its number, when no rule above has a word on it.

    What is refused is held for the record alone: the supervisor refuses it, too (`refused_call`).
    """
    actions = {"allow": ALLOW, "EPERM": NOTIFY, "ENOSYS": _ENOSYS}
    numbers = NUMBERS[machine]
    return {
        numbers[call]: actions[group.answer_with(namespaces=False)]
        for group in GROUPS
        for call in group.calls
        if call in numbers
    }


def _set_id_rules() -> tuple[CallRule, ...]:
    """Held, to be refused by `refused_modes`, also where opens that write are the kernel's to judge."""
    of_open = (("open", 1), ("openat", 2))  # the flags; the mode comes next, and counts only when a file is made
    return tuple(
        CallRule(call, NOTIFY, (Test(at, "any_bit", os.O_CREAT | O_TMPFILE_BIT), Test(at + 1, "any_bit", SET_ID)))
        for call, at in of_open
    )


def seen_of_opens(reads: Reads) -> int:
    """The flags of an open of which one is enough for the supervisor to look at it; -1: none is needed."""
    return -1 if reads == "all" else WRITE_INTENT | (os.O_DIRECTORY if reads == "directories" else 0)


def _open_rules(reads: Reads) -> tuple[CallRule, ...]:
    seen = seen_of_opens(reads)
    if seen < 0:
        return rules("open openat", NOTIFY)
    return (*rules("open", NOTIFY, Test(1, "any_bit", seen)), *rules("openat", NOTIFY, Test(2, "any_bit", seen)))


def _socket_rules(*, network: bool) -> tuple[CallRule, ...]:
    # A datagram unix socket can be pointed at any path by sendmsg, whose address lies in memory: none may exist.
    unix = Test(0, "equal", AF_UNIX)
    datagram = tuple(Test(1, "equal", kind, _SOCK_TYPE_MASK) for kind in (_SOCK_DGRAM, _SOCK_RAW))
    no_datagram = [CallRule(call, NOTIFY, (unix, kind)) for call in ("socket", "socketpair") for kind in datagram]
    mediated = rules("connect bind", NOTIFY)
    if network:
        return (*no_datagram, *rules("socket", NOTIFY, Test(0, "equal", AF_VSOCK)), *mediated)
    return (
        *no_datagram,
        *rules("socket socketpair", ALLOW, unix),
        *rules("socket", NOTIFY, Test(0, "equal", AF_INET)),
        *rules("socket", NOTIFY, Test(0, "equal", AF_INET6)),
        *rules("socket socketpair", NOTIFY),
        *rules("sendto", NOTIFY, Test(4, "set")),
        *rules("sendmmsg", _EPERM),
        # What stands for an internet socket has no such options. Who looks up a name sets one before it connects, and
        # would give up here, where it is not seen what was wanted.
        *(CallRule("setsockopt", _DONE, (Test(1, "equal", level),)) for level in _INTERNET_LEVELS),
        *mediated,
    )
