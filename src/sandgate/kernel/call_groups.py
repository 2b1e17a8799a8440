"""Every system call of the machines we know, in groups: which a confined command may make at all.  syscalls(2)

The list is an allow list: a call in no group does not exist for a command. Both filters are made of it: `call_rules`
adds for the Landlock backend what depends on arguments, and native/rules.c for the namespace backend, whose
native/call_groups.h is written from here (`python tests/support/kernel/call_header.py`).

A refused call answers EPERM: the program learns that it may not, and says so. It answers ENOSYS where programs know
another way, which they take only from a kernel that lacks the call: new ways to do an old thing, and what is gone. So
does every number above NEWEST_KNOWN, which were not looked at yet.

Numbers are from Linux 6.18's `arch/x86/entry/syscalls/syscall_64.tbl` and `include/uapi/asm-generic/unistd.h` (arm64).
"""

from __future__ import annotations

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Answer = Literal["allow", "EPERM", "ENOSYS"]

NEWEST_KNOWN = 469  # file_setattr, Linux 6.17; what comes after is unknown to this table


class Group(Record):
    """Calls that are answered alike, unless a rule about their arguments says otherwise."""

    name: str
    answer: Answer
    why: str
    table: str  # a call, its number on x86-64 and on arm64 ("-": none), with ";" between calls
    without_namespaces: Answer | None = None  # under Landlock, where that differs

    @property
    def calls(self) -> tuple[str, ...]:
        return tuple([row.split()[0] for row in self.table.split(";")])

    def answer_with(self, *, namespaces: bool) -> Answer:
        return self.answer if namespaces else self.without_namespaces or self.answer


GROUPS: tuple[Group, ...] = (
    Group(
        "files and directories",
        "allow",
        "what the view and Landlock judge by place",
        """
        open 2 -; openat 257 56; creat 85 -; close 3 57; close_range 436 436; read 0 63; write 1 64; pread64 17 67;
        pwrite64 18 68; readv 19 65; writev 20 66; preadv 295 69; pwritev 296 70; preadv2 327 286; pwritev2 328 287;
        lseek 8 62; truncate 76 45; ftruncate 77 46; fallocate 285 47; fadvise64 221 223; readahead 187 213; stat 4 -;
        fstat 5 80; lstat 6 -; newfstatat 262 79; statx 332 291; access 21 -; faccessat 269 48; faccessat2 439 439;
        getdents 78 -; getdents64 217 61; mkdir 83 -; mkdirat 258 34; rmdir 84 -; rename 82 -; renameat 264 38;
        renameat2 316 276; link 86 -; linkat 265 37; symlink 88 -; symlinkat 266 36; unlink 87 -; unlinkat 263 35;
        readlink 89 -; readlinkat 267 78; chmod 90 -; fchmod 91 52; fchmodat 268 53; fchmodat2 452 452; chown 92 -;
        fchown 93 55; lchown 94 -; fchownat 260 54; utime 132 -; utimes 235 -; futimesat 261 -; utimensat 280 88;
        mknod 133 -; mknodat 259 33; umask 95 166; chdir 80 49; fchdir 81 50; getcwd 79 17; statfs 137 43;
        fstatfs 138 44; sync 162 81; syncfs 306 267; fsync 74 82; fdatasync 75 83; sync_file_range 277 84;
        copy_file_range 326 285; sendfile 40 71; splice 275 76; tee 276 77; vmsplice 278 75; cachestat 451 451;
        name_to_handle_at 303 264
        """,
    ),
    Group(
        "attributes",
        "allow",
        "judged by place, as the file is",
        """
        setxattr 188 5; lsetxattr 189 6; fsetxattr 190 7; getxattr 191 8; lgetxattr 192 9; fgetxattr 193 10;
        listxattr 194 11; llistxattr 195 12; flistxattr 196 13; removexattr 197 14; lremovexattr 198 15;
        fremovexattr 199 16; getxattrat 464 464; listxattrat 465 465;
        file_getattr 468 468
        """,
    ),
    Group(
        "attributes, set the new way",
        "allow",
        "judged by place; Landlock has no word on them, and programs fall back",
        """
        setxattrat 463 463; removexattrat 466 466; file_setattr 469 469
        """,
        "ENOSYS",
    ),
    Group(
        "descriptors and waiting",
        "allow",
        "of the caller itself",
        """
        dup 32 23; dup2 33 -; dup3 292 24; pipe 22 -; pipe2 293 59; fcntl 72 25; flock 73 32; ioctl 16 29; poll 7 -;
        ppoll 271 73; select 23 -; pselect6 270 72; epoll_create 213 -; epoll_create1 291 20; epoll_ctl 233 21;
        epoll_wait 232 -; epoll_pwait 281 22; epoll_pwait2 441 441; eventfd 284 -; eventfd2 290 19; signalfd 282 -;
        signalfd4 289 74; timerfd_create 283 85; timerfd_settime 286 86; timerfd_gettime 287 87; inotify_init 253 -;
        inotify_init1 294 26; inotify_add_watch 254 27; inotify_rm_watch 255 28; io_setup 206 0; io_destroy 207 1;
        io_submit 209 2; io_cancel 210 3; io_getevents 208 4; io_pgetevents 333 292
        """,
    ),
    Group(
        "memory",
        "allow",
        "of the caller itself",
        """
        mmap 9 222; mprotect 10 226; munmap 11 215; mremap 25 216; brk 12 214; msync 26 227; mincore 27 232;
        madvise 28 233; mlock 149 228; mlock2 325 284; munlock 150 229; mlockall 151 230; munlockall 152 231;
        memfd_create 319 279; memfd_secret 447 447; remap_file_pages 216 234; mbind 237 235; set_mempolicy 238 237;
        get_mempolicy 239 236; set_mempolicy_home_node 450 450; pkey_mprotect 329 288; pkey_alloc 330 289;
        pkey_free 331 290; map_shadow_stack 453 453; mseal 462 462; membarrier 324 283
        """,
    ),
    Group(
        "processes and threads",
        "allow",
        "its children; no new namespaces",
        """
        clone 56 220; fork 57 -; vfork 58 -; execve 59 221; execveat 322 281; exit 60 93; exit_group 231 94;
        wait4 61 260; waitid 247 95; kill 62 129; tkill 200 130; tgkill 234 131; pidfd_open 434 434;
        pidfd_send_signal 424 424; process_mrelease 448 448; getpid 39 172; gettid 186 178; getppid 110 173;
        getpgrp 111 -; getpgid 121 155; setpgid 109 154; getsid 124 156; setsid 112 157; set_tid_address 218 96;
        set_robust_list 273 99; get_robust_list 274 100; futex 202 98; futex_waitv 449 449; futex_wake 454 454;
        futex_wait 455 455; futex_requeue 456 456; rseq 334 293; restart_syscall 219 128; prctl 157 167;
        arch_prctl 158 -; personality 135 92; unshare 272 97; uname 63 160; sysinfo 99 179; getrusage 98 165;
        getrlimit 97 163; setrlimit 160 164; prlimit64 302 261; times 100 153; getcpu 309 168; uretprobe 335 -;
        uprobe 336 -
        """,
    ),
    Group(
        "signals",
        "allow",
        "between its own processes",
        """
        rt_sigaction 13 134; rt_sigprocmask 14 135; rt_sigreturn 15 139; rt_sigpending 127 136;
        rt_sigtimedwait 128 137; rt_sigqueueinfo 129 138; rt_tgsigqueueinfo 297 240; rt_sigsuspend 130 133;
        sigaltstack 131 132; pause 34 -
        """,
    ),
    Group(
        "time",
        "allow",
        "reading clocks, and timers of its own",
        """
        nanosleep 35 101; clock_nanosleep 230 115; clock_gettime 228 113; clock_getres 229 114; gettimeofday 96 169;
        time 201 -; alarm 37 -; getitimer 36 102; setitimer 38 103; timer_create 222 107; timer_settime 223 110;
        timer_gettime 224 108; timer_getoverrun 225 109; timer_delete 226 111; getrandom 318 278
        """,
    ),
    Group(
        "scheduling",
        "allow",
        "of its own processes",
        """
        sched_yield 24 124; sched_getparam 143 121; sched_setparam 142 118; sched_getscheduler 145 120;
        sched_setscheduler 144 119; sched_get_priority_max 146 125; sched_get_priority_min 147 126;
        sched_rr_get_interval 148 127; sched_getaffinity 204 123; sched_setaffinity 203 122; sched_getattr 315 275;
        sched_setattr 314 274; getpriority 140 141; setpriority 141 140; ioprio_get 252 31; ioprio_set 251 30
        """,
    ),
    Group(
        "users and groups",
        "allow",
        "without a capability they give nothing",
        """
        getuid 102 174; geteuid 107 175; getgid 104 176; getegid 108 177; setuid 105 146; setgid 106 144;
        setreuid 113 145; setregid 114 143; getresuid 118 148; setresuid 117 147; getresgid 120 150;
        setresgid 119 149; getgroups 115 158; setgroups 116 159; setfsuid 122 151; setfsgid 123 152; capget 125 90;
        capset 126 91
        """,
    ),
    Group(
        "sockets",
        "allow",
        "by family and type; who may be reached is judged",
        """
        socket 41 198; socketpair 53 199; bind 49 200; listen 50 201; accept 43 202; accept4 288 242; connect 42 203;
        shutdown 48 210; sendto 44 206; sendmsg 46 211; sendmmsg 307 269; recvfrom 45 207; recvmsg 47 212;
        recvmmsg 299 243; getsockname 51 204; getpeername 52 205; setsockopt 54 208; getsockopt 55 209
        """,
    ),
    Group(
        "shared memory and queues",
        "allow",
        "of its own IPC namespace; without one they are the host's",
        """
        shmget 29 194; shmat 30 196; shmctl 31 195; shmdt 67 197; semget 64 190; semop 65 193; semctl 66 191;
        semtimedop 220 192; msgget 68 186; msgsnd 69 189; msgrcv 70 188; msgctl 71 187; mq_open 240 180;
        mq_unlink 241 181; mq_timedsend 242 182; mq_timedreceive 243 183; mq_notify 244 184; mq_getsetattr 245 185
        """,
        "EPERM",
    ),
    Group(
        "sandboxes of its own",
        "allow",
        "they only take away",
        """
        seccomp 317 277; landlock_create_ruleset 444 444; landlock_add_rule 445 445; landlock_restrict_self 446 446;
        lsm_get_self_attr 459 459; lsm_list_modules 461 461
        """,
    ),
    Group(
        "mounts and namespaces",
        "EPERM",
        "the view stays as it was built",
        """
        mount 165 40; umount2 166 39; pivot_root 155 41; chroot 161 51; open_tree 428 428; open_tree_attr 467 467;
        move_mount 429 429; fsopen 430 430; fsconfig 431 431; fsmount 432 432; fspick 433 433; mount_setattr 442 442;
        setns 308 268
        """,
    ),
    Group(
        "debugging",
        "allow",
        "of its own processes alone, which takes a pid namespace",
        """
        ptrace 101 117; process_vm_readv 310 270; process_vm_writev 311 271
        """,
        "EPERM",
    ),
    Group(
        "other processes",
        "EPERM",
        "other processes' descriptors, memory and placement",
        """
        pidfd_getfd 438 438; kcmp 312 272; process_madvise 440 440; move_pages 279 239; migrate_pages 256 238
        """,
    ),
    Group(
        "keys",
        "EPERM",
        "the kernel's keys are shared with the whole session of the user",
        """
        add_key 248 217; request_key 249 218; keyctl 250 219
        """,
    ),
    Group(
        "wide interfaces to the kernel",
        "EPERM",
        "code and events inside it, files by number past every path",
        """
        bpf 321 280; perf_event_open 298 241; userfaultfd 323 282; fanotify_init 300 262; fanotify_mark 301 263;
        open_by_handle_at 304 265
        """,
    ),
    Group(
        "kernel images and modules",
        "EPERM",
        "another kernel, or another part of it",
        """
        kexec_load 246 104; kexec_file_load 320 294; init_module 175 105; finit_module 313 273; delete_module 176 106
        """,
    ),
    Group(
        "the machine",
        "EPERM",
        "its clock, name, log, swap, quotas, ports and terminals",
        """
        quotactl 179 60; quotactl_fd 443 443; swapon 167 224; swapoff 168 225; acct 163 89; reboot 169 142;
        settimeofday 164 170; clock_settime 227 112; clock_adjtime 305 266; adjtimex 159 171; sethostname 170 161;
        setdomainname 171 162; syslog 103 116; iopl 172 -; ioperm 173 -; modify_ldt 154 -; vhangup 153 58
        """,
    ),
    Group(
        "around the filter",
        "ENOSYS",
        "what they ask for lies in memory, or is no system call; C libraries fall back",
        """
        io_uring_setup 425 425; io_uring_enter 426 426; io_uring_register 427 427; clone3 435 435; openat2 437 437
        """,
    ),
    Group(
        "mounts, listed the new way",
        "ENOSYS",
        "programs fall back on /proc, which shows the view",
        """
        statmount 457 457; listmount 458 458
        """,
    ),
    Group(
        "labels of security modules",
        "ENOSYS",
        "programs fall back on /proc",
        """
        lsm_set_self_attr 460 460
        """,
    ),
    Group(
        "gone",
        "ENOSYS",
        "what kernels themselves answer: removed, or never there",
        """
        uselib 134 -; ustat 136 -; sysfs 139 -; _sysctl 156 -; create_module 174 -; get_kernel_syms 177 -;
        query_module 178 -; nfsservctl 180 42; getpmsg 181 -; putpmsg 182 -; afs_syscall 183 -; tuxcall 184 -;
        security 185 -; vserver 236 -; epoll_ctl_old 214 -; epoll_wait_old 215 -; lookup_dcookie 212 18;
        set_thread_area 205 -; get_thread_area 211 -
        """,
    ),
)


def numbers(column: int) -> dict[str, int]:
    """The calls of one machine: x86-64 is column 1, arm64 is column 2."""
    rows = (row.split() for group in GROUPS for row in group.table.split(";"))
    return {row[0]: int(row[column]) for row in rows if row[column] != "-"}


def refused_groups(*, namespaces: bool) -> tuple[Group, ...]:
    """What no command can do, whatever its arguments, as it is answered."""
    answered = [group.but(answer=group.answer_with(namespaces=namespaces)) for group in GROUPS]
    return tuple([group for group in answered if group.answer != "allow"])
