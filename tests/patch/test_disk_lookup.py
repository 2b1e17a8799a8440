"""What lies at a path."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from sandgate.patch.disk_lookup import FILE_BYTES_MAX, FileState, Tree, absolute, path_access_of
from sandgate.protocol.permissions import EffectivePermissions
from support.tool.patching import within


@pytest.mark.parametrize(
    ("path", "seen"),
    [("a", "/w/a"), ("./b/../a", "/w/a"), ("/x//y", "/x/y"), ("//x", "/x"), ("../../..", "/"), ("a/", "/w/a")],
)
def test_a_path_is_made_absolute_by_its_text_alone(path: str, seen: str) -> None:
    assert absolute("/w", path) == seen


def test_a_place_has_no_link_on_the_way_but_may_be_one(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "way").symlink_to("d")
    (tmp_path / "d" / "link").symlink_to("f")
    tree = Tree()
    assert tree.place(f"{tmp_path}/way/link") == f"{tmp_path}/d/link"
    assert tree.followed(f"{tmp_path}/d/link") == f"{tmp_path}/d/f"
    assert tree.followed(f"{tmp_path}/d/none") == f"{tmp_path}/d/none"


def test_a_patch_reads_no_more_than_its_share_of_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandgate.patch.disk_lookup.TOTAL_BYTES_MAX", 3)
    for name in ("f", "g"):
        (tmp_path / name).write_bytes(b"xx")
    tree = Tree()
    assert tree.state(f"{tmp_path}/f") is not None
    with pytest.raises(OSError, match=os.strerror(errno.EFBIG)):
        tree.state(f"{tmp_path}/g")


@pytest.mark.parametrize("place", ["/proc/self/environ", "/sys/kernel/notes", "/dev/null"])
def test_what_the_kernel_makes_up_is_no_file(place: str) -> None:
    with pytest.raises(OSError, match="not a regular file"):
        Tree().state(place)


def test_a_state_tells_content_mode_and_names(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"x")
    (tmp_path / "f").chmod(0o4755)
    os.link(tmp_path / "f", tmp_path / "g")
    state = Tree().state(f"{tmp_path}/f")
    assert state is not None
    assert (state.content, state.mode, state.links, state.link) == (b"x", 0o755, 2, None)
    identity = Tree().identity(f"{tmp_path}/f")
    assert identity is not None
    assert identity == Tree().identity(f"{tmp_path}/g")
    assert Tree().state(f"{tmp_path}/none") is None
    assert Tree().identity(f"{tmp_path}/none") is None


def test_a_link_is_told_as_such(tmp_path: Path) -> None:
    (tmp_path / "l").symlink_to("somewhere")
    state = Tree().state(f"{tmp_path}/l")
    assert state is not None
    assert (state.link, state.content) == ("somewhere", b"")
    assert not state.is_same(FileState(b""))


def test_what_is_no_file_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name, why in (("pipe", "not a regular file"), ("", os.strerror(errno.EISDIR))):
        with pytest.raises(OSError, match=why):
            Tree().state(f"{tmp_path}/{name}".rstrip("/"))


def test_a_file_beyond_the_limit_is_refused(tmp_path: Path) -> None:
    with (tmp_path / "f").open("wb") as file:
        file.truncate(FILE_BYTES_MAX + 1)
    with pytest.raises(OSError, match=os.strerror(errno.EFBIG)):
        Tree().state(f"{tmp_path}/f")


def test_hidden_files_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("secret")
    with pytest.raises(PermissionError):
        Tree(within(tmp_path, hidden=(f"{tmp_path}/f",))).state(f"{tmp_path}/f")
    assert Tree(within(tmp_path)).state(f"{tmp_path}/f") == Tree().state(f"{tmp_path}/f")


def test_unconfined_permissions_restrict_nothing() -> None:
    assert path_access_of(None) is path_access_of(EffectivePermissions(confined=False)) is None
    assert path_access_of(EffectivePermissions()) is not None
