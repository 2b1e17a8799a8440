"""System calls by name: their numbers on the two machines we know, and a way to make them.  syscall(2)

Numbers are from Linux 6.18's `arch/x86/entry/syscalls/syscall_64.tbl` and `include/uapi/asm-generic/unistd.h`
(arm64). A call absent on a machine has no number there; `number_of` then says None, which for a filter means
"nothing to do". ctypes is loaded by the first call made, not by reading the table.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

    Machine = Literal["x86_64", "aarch64"]

AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}  # <linux/audit.h>
ARGUMENTS = 6  # registers a system call can take
NEWEST_KNOWN = 469  # file_setattr, Linux 6.17; what comes after is unknown to this table

# name, number on x86-64, number on arm64
_TABLE = """
open 2 -; creat 85 -; openat 257 56; openat2 437 437; mkdir 83 -; mkdirat 258 34; mknod 133 -; mknodat 259 33;
unlink 87 -; unlinkat 263 35; rmdir 84 -; rename 82 -; renameat 264 38; renameat2 316 276; link 86 -;
linkat 265 37; symlink 88 -; symlinkat 266 36; truncate 76 45; chmod 90 -; fchmod 91 52; fchmodat 268 53;
chown 92 -; lchown 94 -; fchown 93 55; fchownat 260 54; utime 132 -; utimes 235 -; futimesat 261 -;
utimensat 280 88; setxattr 188 5; lsetxattr 189 6; fsetxattr 190 7; removexattr 197 14; lremovexattr 198 15;
fremovexattr 199 16; getsockopt 55 209; socket 41 198; socketpair 53 199; connect 42 203; bind 49 200; listen 50 201;
sendto 44 206; sendmsg 46 211; sendmmsg 307 269; setsid 112 157; ioctl 16 29; unshare 272 97; clone 56 220;
clone3 435 435; personality 135 92; prlimit64 302 261; ptrace 101 117; process_vm_readv 310 270;
process_vm_writev 311 271; pidfd_getfd 438 438; pidfd_open 434 434; kcmp 312 272; add_key 248 217;
request_key 249 218; keyctl 250 219;
bpf 321 280; perf_event_open 298 241; userfaultfd 323 282; kexec_load 246 104; kexec_file_load 320 294;
init_module 175 105; finit_module 313 273; delete_module 176 106; open_by_handle_at 304 265; setns 308 268;
mount 165 40; umount2 166 39; pivot_root 155 41; chroot 161 51; move_mount 429 429; open_tree 428 428;
fsopen 430 430; fsconfig 431 431; fsmount 432 432; fspick 433 433; mount_setattr 442 442; swapon 167 224;
swapoff 168 225; reboot 169 142; quotactl 179 60; quotactl_fd 443 443; acct 163 89; syslog 103 116;
sethostname 170 161; setdomainname 171 162; settimeofday 164 170; clock_settime 227 112; iopl 172 -;
ioperm 173 -; vhangup 153 58; fanotify_init 300 262; move_pages 279 239; migrate_pages 256 238; uselib 134 -;
ustat 136 -; nfsservctl 180 42; lookup_dcookie 212 18; io_uring_setup 425 425; io_uring_enter 426 426;
io_uring_register 427 427; landlock_create_ruleset 444 444; landlock_add_rule 445 445;
landlock_restrict_self 446 446; seccomp 317 277; prctl 157 167; capset 126 91; getpid 39 172; read 0 63;
write 1 64; getppid 110 173; kill 62 129; fchmodat2 452 452; setxattrat 463 463; removexattrat 466 466;
open_tree_attr 467 467; file_setattr 469 469;
shmget 29 194; shmat 30 196; shmctl 31 195; shmdt 67 197; semget 64 190; semop 65 193; semctl 66 191;
semtimedop 220 192; msgget 68 186; msgsnd 69 189; msgrcv 70 188; msgctl 71 187; mq_open 240 180; mq_unlink 241 181;
mq_timedsend 242 182; mq_timedreceive 243 183; mq_notify 244 184; mq_getsetattr 245 185; setpriority 141 140;
sched_setscheduler 144 119; sched_setparam 142 118; sched_setattr 314 274; sched_setaffinity 203 122;
ioprio_set 251 30; readv 19 65; preadv2 327 286; splice 275 76; select 23 -; pselect6 270 72; poll 7 -; ppoll 271 73;
epoll_wait 232 -; epoll_pwait 281 22; epoll_pwait2 441 441; inotify_init1 294 26; inotify_add_watch 254 27;
"""


def _numbers(column: int) -> dict[str, int]:
    rows = (row.split() for row in _TABLE.replace("\n", " ").split(";"))
    return {row[0]: int(row[column]) for row in rows if row and row[column] != "-"}


NUMBERS: dict[str, dict[str, int]] = {"x86_64": _numbers(1), "aarch64": _numbers(2)}


def machine() -> str:
    """This machine's name in `NUMBERS`, or another name when we have no table for it."""
    return os.uname().machine


def number_of(name: str, *, machine: str) -> int | None:
    """The number of a call, None where the machine has no such call."""
    if name not in NUMBERS["x86_64"] and name not in NUMBERS["aarch64"]:
        raise KeyError(name)
    return NUMBERS[machine].get(name)


class Caller:
    """Makes raw system calls. One object, made once, so that a restricted thread loads nothing."""

    def __init__(self) -> None:
        import ctypes

        self._errno = ctypes.get_errno
        self._numbers = NUMBERS[machine()]
        self._syscall = ctypes.CDLL(None, use_errno=True).syscall
        self._syscall.restype = ctypes.c_long
        # A void pointer takes an int of any sign at full width, and bytes or a buffer by address.
        self._syscall.argtypes = [ctypes.c_long, *[ctypes.c_void_p] * ARGUMENTS]

    def call(self, name: str, *arguments: int | bytes | Any) -> int:
        """The result, or OSError. Integers are passed as 64 bits, `bytes` and ctypes buffers by address."""
        result: int = self._syscall(self._numbers[name], *arguments, *(0,) * (ARGUMENTS - len(arguments)))
        if result == -1:
            code = self._errno()
            raise OSError(code, os.strerror(code))
        return result


_caller: Caller | None = None


def caller() -> Caller:
    """The process's caller, made at first use."""
    global _caller
    if _caller is None:
        _caller = Caller()
    return _caller
