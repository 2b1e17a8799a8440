"""Approved new files exist while the command runs, and stay only if it used them."""

from __future__ import annotations

from pathlib import Path

from sandgate.execution.placeholder import Placeholders
from sandgate.protocol.confinement import ConfinedCommand, Mount
from sandgate.protocol.permissions import EffectivePermissions


def plan(*writable: Path) -> ConfinedCommand:
    mounts = tuple(Mount("write", str(path)) for path in writable)
    return ConfinedCommand("namespace", ("true",), "/", {}, EffectivePermissions(), (*mounts, Mount("read", "/none")))


def test_an_approved_new_file_exists_during_the_run_and_is_gone_when_unused(tmp_path: Path) -> None:
    new = tmp_path / "new"
    with Placeholders(plan(new)):
        assert new.read_bytes() == b""
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_was_written_or_touched_stays(tmp_path: Path) -> None:
    written, touched = tmp_path / "written", tmp_path / "touched"
    with Placeholders(plan(written, touched)):
        written.write_text("x")
        touched.touch()
    assert sorted(tmp_path.iterdir()) == [touched, written]


def test_what_exists_already_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("nowhere")
    (tmp_path / "empty").write_text("")
    with Placeholders(plan(tmp_path / "link", tmp_path / "empty", tmp_path)):
        pass
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty", "link"]


def test_what_cannot_be_made_is_left_to_the_command(tmp_path: Path) -> None:
    with Placeholders(plan(tmp_path / "missing" / "new")):
        assert list(tmp_path.iterdir()) == []


def test_a_directory_that_has_gone_does_not_come_back_as_a_file(tmp_path: Path) -> None:
    """One was writable only so that nobody moves it; whoever it belongs to may have removed it."""
    gone = tmp_path / "gone"
    pinned = EffectivePermissions(writable=(str(gone),), pinned=(str(gone),))
    with Placeholders(plan(gone).but(permissions=pinned)):
        assert list(tmp_path.iterdir()) == []


def test_a_workspace_that_has_gone_does_not_come_back_as_a_file(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    for cwd in (gone, gone / "repo"):
        with Placeholders(plan(gone).but(cwd=str(cwd))):
            assert list(tmp_path.iterdir()) == []
    with Placeholders(plan(gone).but(cwd=f"{gone}-too")):
        assert list(tmp_path.iterdir()) == [gone]


def test_a_directory_that_becomes_a_link_has_nothing_made_or_removed_elsewhere(tmp_path: Path) -> None:
    """Required: a live command that exchanges it, before the run or at its end, reaches no file of the person's."""
    (tmp_path / "home").mkdir()
    (tmp_path / "link").symlink_to("home")
    with Placeholders(plan(tmp_path / "link" / "new")):
        assert list((tmp_path / "home").iterdir()) == []
    (tmp_path / "repo").mkdir()
    with Placeholders(plan(tmp_path / "repo" / "keys")):
        (tmp_path / "repo" / "keys").rename(tmp_path / "home" / "keys")  # the very object, in the person's place
        (tmp_path / "repo").rename(tmp_path / "before")
        (tmp_path / "repo").symlink_to("home")
    assert (tmp_path / "home" / "keys").exists()
