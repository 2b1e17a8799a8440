"""Which file system a path lies on."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandgate.sandbox import filesystems
from sandgate.sandbox.filesystems import Filesystems

TABLE = r"""1 0 0:1 / / rw - rootfs rootfs rw
21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
22 21 0:20 / /proc rw - proc proc rw
23 21 0:40 / /home rw master:3 propagate_from:4 - btrfs /dev/sdb rw
24 23 0:41 / /home/me/my\040notes rw - fuse.sshfs me@there rw
25 21 0:42 / /covered/below rw - tmpfs tmpfs rw
26 21 0:43 / /covered rw - fuse.x x rw
27 26 0:44 / /covered rw - nfs4 y rw
"""


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mountinfo").write_text(TABLE)
    monkeypatch.setattr(filesystems, "MOUNTS", str(tmp_path / "mountinfo"))


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "ext4"),
        ("/homestead", "ext4"),
        ("/proc/1/status", "proc"),
        ("/home", "btrfs"),
        ("/home/me/my notes/today", "fuse.sshfs"),
        ("/covered", "nfs4"),
        ("/covered/below/x", "nfs4"),  # what is mounted under a mount is out of sight
    ],
)
def test_the_mount_that_is_in_sight_counts(path: str, kind: str) -> None:
    assert Filesystems().type_of(path) == kind


@pytest.mark.usefixtures("table")
def test_only_file_systems_that_this_kernel_keeps_itself_are_believed() -> None:
    mounts = Filesystems()
    assert [mounts.keep_change_times(path) for path in ("/", "/home", "/home/me/my notes", "/proc", "/covered")] == [
        True,
        True,
        False,
        False,
        False,
    ]


def test_without_a_list_of_mounts_nothing_is_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filesystems, "MOUNTS", "/nonexistent")
    assert not Filesystems().keep_change_times("/")


def test_this_machines_own_mounts_are_understood(tmp_path: Path) -> None:
    mounts = Filesystems()
    assert mounts.type_of("/proc/self") == "proc"
    assert mounts.type_of(str(tmp_path)) not in ("", "proc")
