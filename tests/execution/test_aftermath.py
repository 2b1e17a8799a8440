"""What the disk says about the protected names when a command is over."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sandgate.execution.aftermath import Aftermath
from sandgate.protocol.confinement import ConfinedCommand
from sandgate.protocol.permissions import EffectivePermissions
from waiting import until_the_clock_of_files_moves

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.permissions import BackendName


def plan(
    directory: Path,
    *,
    absent: tuple[str, ...] = (),
    read_only: tuple[str, ...] = (),
    backend: BackendName = "namespace",
) -> ConfinedCommand:
    permissions = EffectivePermissions(
        absent=tuple(f"{directory}/{name}" for name in absent),
        read_only=tuple(f"{directory}/{name}" for name in read_only),
    )
    return ConfinedCommand(backend=backend, argv=("true",), cwd=str(directory), env={}, permissions=permissions)


def test_a_name_that_came_to_exist_is_told(tmp_path: Path) -> None:
    aftermath = Aftermath(plan(tmp_path, absent=(".envrc", ".codex", ".vscode")))
    (tmp_path / ".vscode").mkdir()
    (tmp_path / ".envrc").symlink_to("nowhere")
    aftermath.look()
    assert aftermath.created == (f"{tmp_path}/.envrc", f"{tmp_path}/.vscode")
    assert aftermath.exchanged == ()


def test_another_object_under_a_protected_name_is_told_apart(tmp_path: Path) -> None:
    for name in (".git", ".codex", ".claude", ".idea"):
        (tmp_path / name).mkdir()
    aftermath = Aftermath(plan(tmp_path, read_only=(".git", ".codex", ".claude", ".idea", ".gone")))
    (tmp_path / ".git" / "config").write_text("the same directory")
    (tmp_path / ".codex").rename(tmp_path / "moved")
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".claude").rmdir()
    (tmp_path / ".gone").touch()
    aftermath.look()
    assert aftermath.exchanged == (f"{tmp_path}/.codex", f"{tmp_path}/.claude")
    assert aftermath.created == (f"{tmp_path}/.gone",)


def test_a_command_without_confinement_has_no_protected_names(tmp_path: Path) -> None:
    aftermath = Aftermath(plan(tmp_path, absent=(".envrc",), backend="none"))
    (tmp_path / ".envrc").touch()
    aftermath.look()
    assert (aftermath.created, aftermath.exchanged) == ((), ())


def test_a_directory_that_shows_its_old_mark_is_believed_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("still", "busy", "unknown"):
        (tmp_path / name).mkdir()
    known = {str(path): mark_of(path) for path in (tmp_path / "still", tmp_path / "busy")}
    until_the_clock_of_files_moves(tmp_path)
    names = ("still/.codex", "busy/.codex", "unknown/.codex", "gone/.codex")
    aftermath = Aftermath(plan(tmp_path, absent=names), known)
    (tmp_path / "busy" / "file").touch()
    asked: list[str] = []
    monkeypatch.setattr(os, "access", lambda path, *_, **__: asked.append(path))
    aftermath.look()
    assert asked == [f"{tmp_path}/{name}/.codex" for name in ("busy", "unknown", "gone")]


def test_a_directory_that_was_exchanged_shows_another_mark(tmp_path: Path) -> None:
    """Required: another directory can be moved into the place of a known one."""
    for name in ("known", "other"):
        (tmp_path / name).mkdir()
    (tmp_path / "other" / ".codex").mkdir()
    aftermath = Aftermath(plan(tmp_path, absent=("known/.codex",)), {f"{tmp_path}/known": mark_of(tmp_path / "known")})
    (tmp_path / "known").rename(tmp_path / "away")
    (tmp_path / "other").rename(tmp_path / "known")
    aftermath.look()
    assert aftermath.created == (f"{tmp_path}/known/.codex",)


def mark_of(path: Path) -> tuple[int, int, int]:
    found = path.lstat()
    return found.st_dev, found.st_ino, found.st_ctime_ns
