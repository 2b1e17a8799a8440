"""The view cannot be taken apart from inside (threat table, row 4)."""

import os

import pytest

from support.escape.escape_stage import Stage

pytestmark = pytest.mark.host("namespace")

CALLS = """
import ctypes, errno, os, sys
libc = ctypes.CDLL(None, use_errno=True)
NEWNS, NEWUSER, REMOUNT, BIND, DETACH = 0x20000, 0x10000000, 0x20, 0x1000, 2
repo = os.fsencode(sys.argv[1])
def name(result): return errno.errorcode.get(ctypes.get_errno(), "?") if result == -1 else "done"
attempts = {
    "remount": lambda: libc.mount(None, b"/", None, REMOUNT | BIND, None),
    "bind": lambda: libc.mount(b"/etc", repo, None, BIND, None),
    "tmpfs": lambda: libc.mount(b"none", repo, b"tmpfs", 0, None),
    "detach": lambda: libc.umount2(repo + b"/.git", DETACH),
    "pivot": lambda: libc.syscall(155 if os.uname().machine == "x86_64" else 41, b".", b"."),
    "chroot": lambda: libc.chroot(repo),
    "open_tree": lambda: libc.syscall(428, -100, b"/", 1),
    "mount_setattr": lambda: libc.syscall(442, -100, b"/", 0, None, 0),
    "user namespace": lambda: libc.unshare(NEWUSER),
    "mount namespace": lambda: libc.unshare(NEWNS),
}
for what, attempt in attempts.items():
    print(what, name(attempt()))
"""


def test_every_way_of_changing_mounts_is_refused(stage: Stage) -> None:
    stage.repository()
    ran = stage.confined(stage.script(CALLS, stage.repo))
    answers = dict(line.rsplit(" ", 1) for line in ran.stdout.splitlines())
    assert len(answers) == 10
    assert {what: answer for what, answer in answers.items() if answer not in ("EPERM", "ENOSPC")} == {}


def test_a_nested_namespace_gives_no_mounts_although_it_would_outside(stage: Stage) -> None:
    attack = ["unshare", "-Urm", "sh", "-c", "mount -t tmpfs none /mnt && echo mounted"]
    assert stage.unconfined(attack).stdout == "mounted\n"
    assert stage.confined(attack).stdout == ""


def test_no_capability_is_left(stage: Stage) -> None:
    read = ["grep", "-E", "^(Cap|NoNewPrivs)", "/proc/self/status"]
    ran = stage.confined(read)
    values = {line.split()[0]: line.split()[1] for line in ran.stdout.splitlines()}
    zero = "0" * 16
    assert values == {
        "CapInh:": zero,
        "CapPrm:": zero,
        "CapEff:": zero,
        "CapBnd:": zero,
        "CapAmb:": zero,
        "NoNewPrivs:": "1",
    }


def test_a_privileged_looking_program_gains_nothing(stage: Stage) -> None:
    """As root, exec would restore every capability of the namespace if they were only dropped once."""
    attack = ["sh", "-c", "mount -o remount,rw / || umount -l .git; grep CapEff /proc/self/status"]
    stage.repository()
    ran = stage.confined(attack)
    assert ran.stdout.split() == ["CapEff:", "0" * 16]


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to show that the attack is real")
def test_bind_mounts_are_real_for_root_outside(stage: Stage) -> None:
    if stage.uid == 0:
        attack = ["unshare", "-m", "sh", "-c", 'mount --bind /etc "$1" && ls "$1"', "sh", str(stage.repo)]
        assert "passwd" in stage.unconfined(attack).stdout
