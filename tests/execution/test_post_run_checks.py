"""What the disk says about the protected names when a command is over."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sandgate.execution.post_run_checks import LISTED_ENTRIES_MAX, LISTED_FROM_NAMES, PostRunChecks
from sandgate.protocol.confinement import ConfinedCommand
from sandgate.protocol.permissions import EffectivePermissions
from support.process.waiting import until_the_clock_of_files_moves

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
    checks = PostRunChecks(plan(tmp_path, absent=(".envrc", ".codex", ".vscode")))
    (tmp_path / ".vscode").mkdir()
    (tmp_path / ".envrc").symlink_to("nowhere")
    checks.look()
    assert checks.created == (f"{tmp_path}/.envrc", f"{tmp_path}/.vscode")
    assert checks.exchanged == ()


MANY = tuple(f".name{number}" for number in range(LISTED_FROM_NAMES))


@pytest.mark.parametrize("others", [0, LISTED_ENTRIES_MAX + 1])
def test_many_names_of_a_directory_are_found_however_full_it_is(tmp_path: Path, others: int) -> None:
    checks = PostRunChecks(plan(tmp_path, absent=(*MANY, "*.code-workspace")))
    for number in range(others):
        (tmp_path / str(number)).touch()
    (tmp_path / MANY[2]).symlink_to("nowhere")
    (tmp_path / MANY[-1]).mkdir()
    (tmp_path / "x.code-workspace").touch()
    checks.look()
    assert checks.created == tuple(f"{tmp_path}/{name}" for name in (MANY[2], MANY[-1], "x.code-workspace"))


def test_many_names_are_one_look_at_their_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checks = PostRunChecks(plan(tmp_path, absent=MANY))
    (tmp_path / MANY[0]).touch()
    asked: list[str] = []
    monkeypatch.setattr(os, "access", lambda path, *_, **__: asked.append(path))
    checks.look()
    assert asked == [f"{tmp_path}/{MANY[0]}"]


def test_names_in_a_directory_that_cannot_be_listed_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checks = PostRunChecks(plan(tmp_path, absent=MANY))
    (tmp_path / MANY[0]).touch()

    def refused(_path: str) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "scandir", refused)
    checks.look()
    assert checks.created == (f"{tmp_path}/{MANY[0]}",)


def test_another_object_under_a_protected_name_is_told_apart(tmp_path: Path) -> None:
    for name in (".git", ".codex", ".claude", ".idea"):
        (tmp_path / name).mkdir()
    checks = PostRunChecks(plan(tmp_path, read_only=(".git", ".codex", ".claude", ".idea", ".gone")))
    (tmp_path / ".git" / "config").write_text("the same directory")
    (tmp_path / ".codex").rename(tmp_path / "moved")
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".claude").rmdir()
    (tmp_path / ".gone").touch()
    checks.look()
    assert checks.exchanged == (f"{tmp_path}/.codex", f"{tmp_path}/.claude")
    assert checks.created == (f"{tmp_path}/.gone",)


def test_a_command_without_confinement_has_no_protected_names(tmp_path: Path) -> None:
    checks = PostRunChecks(plan(tmp_path, absent=(".envrc",), backend="none"))
    (tmp_path / ".envrc").touch()
    checks.look()
    assert (checks.created, checks.exchanged) == ((), ())


def test_a_directory_that_shows_its_old_mark_is_believed_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("still", "busy", "unknown"):
        (tmp_path / name).mkdir()
    known = {str(path): mark_of(path) for path in (tmp_path / "still", tmp_path / "busy")}
    until_the_clock_of_files_moves(tmp_path)
    names = ("still/.codex", "busy/.codex", "unknown/.codex", "gone/.codex")
    checks = PostRunChecks(plan(tmp_path, absent=names), known)
    (tmp_path / "busy" / "file").touch()
    asked: list[str] = []
    monkeypatch.setattr(os, "access", lambda path, *_, **__: asked.append(path))
    checks.look()
    assert asked == [f"{tmp_path}/{name}/.codex" for name in ("busy", "unknown", "gone")]


def test_a_directory_that_was_exchanged_shows_another_mark(tmp_path: Path) -> None:
    """Required: another directory can be moved into the place of a known one."""
    for name in ("known", "other"):
        (tmp_path / name).mkdir()
    (tmp_path / "other" / ".codex").mkdir()
    checks = PostRunChecks(plan(tmp_path, absent=("known/.codex",)), {f"{tmp_path}/known": mark_of(tmp_path / "known")})
    (tmp_path / "known").rename(tmp_path / "away")
    (tmp_path / "other").rename(tmp_path / "known")
    checks.look()
    assert checks.created == (f"{tmp_path}/known/.codex",)


def mark_of(path: Path) -> tuple[int, int, int]:
    found = path.lstat()
    return found.st_dev, found.st_ino, found.st_ctime_ns
