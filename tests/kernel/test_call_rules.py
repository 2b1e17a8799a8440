"""Which calls are free, refused or held: the filter in our own interpreter, and a few calls for real."""

from __future__ import annotations

import errno
import shutil
from pathlib import Path
from typing import Literal

import pytest

from sandgate.kernel.call_groups import GROUPS, refused_groups
from sandgate.kernel.call_rules import (
    BY_NAME,
    METADATA,
    PRIORITY,
    SCHEDULING,
    TIOCGPTPEER,
    call_rules,
    group_actions,
)
from sandgate.kernel.seccomp import ALLOW, NOTIFY, assemble, refuse
from sandgate.kernel.socket_calls import refused_call
from sandgate.kernel.supervise import HANDLERS, NEVER_RESUMED
from sandgate.kernel.syscalls import AUDIT_ARCH, NUMBERS
from support.kernel.bpf_machine import judge
from support.kernel.confined_runs import Account

pytest_plugins = ["support.kernel.landlock_fixtures"]

EPERM, ENOSYS = refuse(errno.EPERM), refuse(errno.ENOSYS)
MACHINES = ("x86_64", "aarch64")
HELD = {"allow": ALLOW, "EPERM": NOTIFY, "ENOSYS": ENOSYS}  # what is refused is told


def filter_for(
    machine: str = "x86_64", *, network: bool = False, reads: Literal["kernel", "directories", "all"] = "kernel"
) -> bytes:
    return assemble(call_rules(network=network, reads=reads), machine=machine, otherwise=group_actions(machine))


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("network", [False, True])
def test_every_named_call_gets_its_verdict_on_both_machines(machine: str, network: bool) -> None:
    program = filter_for(machine, network=network)
    numbers, arch = NUMBERS[machine], AUDIT_ARCH[machine]
    expected = {call: HELD[group.answer] for group in refused_groups(namespaces=False) for call in group.calls}
    expected |= dict.fromkeys(f"{BY_NAME} {METADATA} setsid connect bind openat2".split(), NOTIFY)
    expected |= dict.fromkeys(["read", "write", "getpid", "kill", "prctl", "pidfd_open", "sendmsg"], ALLOW)
    for name, verdict in expected.items():
        if name in numbers:
            assert (name, judge(program, numbers[name], arch=arch)) == (name, verdict)


def test_what_is_held_to_be_told_is_refused_by_the_supervisor_and_never_resumed() -> None:
    """Required: a call that no group allows has no way on, also where we fail at telling it."""
    for group in refused_groups(namespaces=False):
        for name in group.calls if group.answer == "EPERM" else ():
            assert HANDLERS[name] is refused_call
            assert name in NEVER_RESUMED


@pytest.mark.parametrize("machine", MACHINES)
def test_what_is_shared_with_the_host_is_refused(machine: str) -> None:
    """Required: System V and POSIX queues, semaphores and shared memory have no namespace of their own here."""
    program = filter_for(machine)
    (shared,) = [group.calls for group in GROUPS if group.name == "shared memory and queues"]
    for name in shared:
        assert (name, judge(program, NUMBERS[machine][name], arch=AUDIT_ARCH[machine])) == (name, NOTIFY)
        assert HANDLERS[name] is refused_call


@pytest.mark.parametrize("machine", MACHINES)
def test_only_the_callers_own_priority_can_be_changed(machine: str) -> None:
    program = filter_for(machine)

    def verdict(name: str, *arguments: int) -> int:
        return judge(program, NUMBERS[machine][name], arguments, arch=AUDIT_ARCH[machine])

    for name in SCHEDULING.split():
        assert (name, verdict(name, 0), verdict(name, 77)) == (name, ALLOW, EPERM)
    for name, whole_user in PRIORITY:
        assert (name, verdict(name, 1, 0), verdict(name, 1, 77)) == (name, ALLOW, EPERM)
        assert (name, verdict(name, whole_user, 0)) == (name, EPERM)


@pytest.mark.parametrize("request_word", [0x5412, 0x100005412, 0xFFFFFFFF00005412, 0x541C, 0x40086602])
def test_forbidden_ioctls_are_compared_in_32_bits(request_word: int) -> None:
    """Held, for `ioctl_call` to refuse and tell."""
    assert judge(filter_for(), 16, (0, request_word)) == NOTIFY
    assert "ioctl" in NEVER_RESUMED


def test_ordinary_ioctls_pass() -> None:
    assert judge(filter_for(), 16, (0, 0x5401)) == ALLOW
    assert judge(filter_for(), 16, (0, TIOCGPTPEER)) == NOTIFY


@pytest.mark.parametrize(
    ("flags", "verdict"),
    [(0, ALLOW), (0o100000, ALLOW), (1, NOTIFY), (2, NOTIFY), (0o100, NOTIFY), (0o1000, NOTIFY), (0o20200000, NOTIFY)],
)
def test_opens_are_held_when_they_may_write(flags: int, verdict: int) -> None:
    assert judge(filter_for(), 2, (0, flags)) == verdict
    assert judge(filter_for(), 257, (0, 0, flags)) == verdict
    assert judge(filter_for(), 257, (0, 0, flags | 1 << 40)) == verdict  # the kernel drops the high half


def test_opens_for_reading_are_held_where_the_plan_hides_something() -> None:
    assert judge(filter_for(reads="directories"), 257, (0, 0, 0o200000)) == NOTIFY
    assert judge(filter_for(reads="directories"), 257, (0, 0, 0)) == ALLOW
    assert judge(filter_for(reads="all"), 257, (0, 0, 0)) == NOTIFY


@pytest.mark.parametrize("flag", [0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000])
def test_new_namespaces_are_refused(flag: int) -> None:
    assert judge(filter_for(), 56, (flag | 17,)) == NOTIFY  # refused by the supervisor, and told
    assert judge(filter_for(), 272, (flag,)) == NOTIFY
    assert HANDLERS["clone"] is HANDLERS["unshare"] is refused_call
    assert judge(filter_for(), 272, (flag | 1 << 40,)) == NOTIFY


def test_threads_processes_and_unshared_tables_are_not_namespaces() -> None:
    assert judge(filter_for(), 56, (0x3D0F00,)) == ALLOW  # what pthread_create passes
    assert judge(filter_for(), 56, (0x4111,)) == ALLOW  # vfork
    assert judge(filter_for(), 272, (0x600,)) == ALLOW
    assert judge(filter_for(), 272, (0x80,)) == NOTIFY  # CLONE_NEWTIME


@pytest.mark.parametrize(
    ("family", "kind", "verdict"),
    [(1, 1, ALLOW), (1, 5, ALLOW), (1, 2, NOTIFY), (1, 0x80802, NOTIFY), (2, 1, NOTIFY), (10, 2, NOTIFY)],
)
def test_sockets_with_the_network_off(family: int, kind: int, verdict: int) -> None:
    assert judge(filter_for(), 41, (family, kind)) == verdict


def test_no_other_family_exists_with_the_network_off() -> None:
    for family in set(range(64)) - {1, 2, 10}:
        assert judge(filter_for(), 41, (family, 1)) == NOTIFY
        assert judge(filter_for(), 53, (family, 1)) == NOTIFY


def test_sends_with_the_network_off() -> None:
    assert judge(filter_for(), 44, (3, 0, 0, 0, 0)) == ALLOW
    assert judge(filter_for(), 44, (3, 0, 0, 0, 0x7FFE00000000)) == NOTIFY  # an address in the high half only
    assert judge(filter_for(), 307, (3,)) == EPERM


@pytest.mark.parametrize("machine", MACHINES)
def test_options_of_internet_sockets_are_taken_without_effect_where_there_are_none(machine: str) -> None:
    """Who looks up a name sets one and then connects, which is what can be told."""
    call, arch = NUMBERS[machine]["setsockopt"], AUDIT_ARCH[machine]
    for level, verdict in ((0, refuse(0)), (6, refuse(0)), (17, refuse(0)), (41, refuse(0)), (1, ALLOW)):
        assert judge(filter_for(machine), call, (3, level), arch=arch) == verdict
        assert judge(filter_for(machine, network=True), call, (3, level), arch=arch) == ALLOW


def test_network_on_frees_internet_sockets_only() -> None:
    program = filter_for(network=True)
    assert [judge(program, 41, (family, 1)) for family in (1, 2, 10, 16, 40)] == [ALLOW, ALLOW, ALLOW, ALLOW, NOTIFY]
    assert judge(program, 41, (1, 2)) == NOTIFY
    assert judge(program, 44, (3, 0, 0, 0, 0x7FFE00000000)) == ALLOW


def test_personality_may_only_switch_randomisation_off() -> None:
    assert [judge(filter_for(), 135, (word,)) for word in (0, 0x40000, 0xFFFFFFFF, 0x8, 0x0400000)] == [
        ALLOW,
        ALLOW,
        ALLOW,
        NOTIFY,
        NOTIFY,
    ]


SYSTEM_CALLS = {
    # name: (C expression that is -1 when refused, errno names accepted)
    "ptrace of the parent": ("ptrace(16, getppid(), 0, 0)", "EPERM"),
    "tiocsti": ('ioctl(0, 0x5412, "x")', "EPERM"),
    "tiocsti in 64 bits": ('ioctl(0, 0x100005412UL, "x")', "EPERM"),
    "tioclinux": ('ioctl(0, 0x541c, "x")', "EPERM"),
    "io_uring": ("syscall(425, 1, 0)", "ENOSYS"),
    "keyctl": ("syscall(250, 0, -3, 0)", "EPERM"),
    "add_key": ('syscall(248, "user", "a", "b", 1, -3)', "EPERM"),
    "new user namespace": ("unshare(0x10000000)", "EPERM"),
    "new mount namespace": ("unshare(0x20000)", "EPERM"),
    "clone3": ("syscall(435, 0, 0)", "ENOSYS"),
    "bpf": ("syscall(321, 0, 0, 0)", "EPERM"),
    "userfaultfd": ("syscall(323, 1)", "EPERM"),
    "shmget": ("syscall(29, 0, 4096, 01600)", "EPERM"),
    "mq_open": ('syscall(240, "q", 0102, 0600, 0)', "EPERM"),
    "priority of the parent": ("syscall(141, 0, getppid(), 5)", "EPERM"),
    "mount": ('mount("none", "/tmp", "tmpfs", 0, 0)', "EPERM"),
    "chroot": ('chroot("/tmp")', "EPERM"),
    "packet socket": ("socket(17, 3, 0)", "EPERM"),
    "netlink socket": ("socket(16, 3, 0)", "EPERM"),
    "unix datagram socket": ("socket(1, 2, 0)", "EPERM"),
    "a call of the future": ("syscall(4000)", "ENOSYS"),
}


@pytest.fixture(scope="module")
def caller_program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import subprocess

    folder = tmp_path_factory.mktemp("calls")
    cases = "\n".join(
        f'  errno = 0; printf("{name}: %s\\n", (long)({call}) == -1 ? strerrorname_np(errno) : "done");'
        for name, (call, _) in SYSTEM_CALLS.items()
    )
    source = (
        "#define _GNU_SOURCE\n#include <errno.h>\n#include <sched.h>\n#include <stdio.h>\n#include <string.h>\n"
        "#include <sys/ioctl.h>\n#include <sys/mount.h>\n#include <sys/ptrace.h>\n#include <sys/socket.h>\n"
        f"#include <unistd.h>\nint main(void) {{\n{cases}\n  return 0;\n}}\n"
    )
    (folder / "calls.c").write_text(source)
    subprocess.run(["cc", "-o", str(folder / "calls"), str(folder / "calls.c")], check=True)
    return folder / "calls"


@pytest.mark.host("landlock")
@pytest.mark.host("notify")
def test_calls_that_reach_beyond_the_command_are_refused(
    account: Account, workspace: Path, caller_program: Path
) -> None:
    shutil.copy(caller_program, workspace / "calls")
    (workspace / "calls").chmod(0o755)
    told = dict(line.split(": ") for line in account.confined(("./calls",), workspace)["output"].splitlines())
    assert told == {name: code for name, (_, code) in SYSTEM_CALLS.items()}
