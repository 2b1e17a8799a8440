"""One step, carried out and taken back, with and without the exchange of names."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandgate.patch import entry_changes
from sandgate.patch.disk_lookup import FileState
from sandgate.patch.entry_changes import CannotReplace, Changed, Step
from support.tool.patching import tree_of


@pytest.fixture
def held(tmp_path: Path) -> Iterator[int]:
    (tmp_path / "f").write_text("old")
    descriptor = os.open(tmp_path, os.O_PATH | os.O_DIRECTORY)
    yield descriptor
    os.close(descriptor)


def step_of(folder: Path, held: int, kind: str, name: str = "f") -> Step:
    about = folder.stat()
    old = (folder / name).lstat().st_ino if (folder / name).exists() else 0
    new = 0
    if kind != "delete":
        new = entry_changes.write_spare(held, ".spare", FileState(b"new"), owner=None, settle=False)
    return Step(str(folder), about.st_dev, about.st_ino, name, ".spare", kind, old, new)  # type: ignore[arg-type] # one of them


KINDS = [("create", "g"), ("replace", "f"), ("delete", "f")]


@pytest.mark.parametrize("exchanging", [True, False])
@pytest.mark.parametrize(("kind", "name"), KINDS)
def test_a_step_is_carried_out_and_finished(tmp_path: Path, held: int, kind: str, name: str, exchanging: bool) -> None:
    step = step_of(tmp_path, held, kind, name)
    entry_changes.commit(step, held, FileState(b"old"), exchanging=exchanging)
    entry_changes.finish(step, held)
    after: dict[str, dict[str, bytes]] = {"create": {"f": b"old", "g": b"new"}, "replace": {"f": b"new"}, "delete": {}}
    assert tree_of(tmp_path) == after[kind]


@pytest.mark.parametrize("exchanging", [True, False])
@pytest.mark.parametrize("carried_out", [True, False])
@pytest.mark.parametrize(("kind", "name"), KINDS)
def test_a_step_is_taken_back(
    tmp_path: Path, held: int, kind: str, name: str, carried_out: bool, exchanging: bool
) -> None:
    step = step_of(tmp_path, held, kind, name)
    if carried_out:
        entry_changes.commit(step, held, FileState(b"old"), exchanging=exchanging)
    assert entry_changes.take_back(step, held) is None
    assert tree_of(tmp_path) == {"f": b"old"}


@pytest.mark.parametrize("kind", ["replace", "delete"])
def test_another_file_is_noticed_and_put_back(tmp_path: Path, held: int, kind: str) -> None:
    step = step_of(tmp_path, held, kind)
    (tmp_path / "x").write_text("saved")
    (tmp_path / "x").rename(tmp_path / "f")
    with pytest.raises(Changed):
        entry_changes.commit(step, held, FileState(b"old"), exchanging=True)
    assert entry_changes.take_back(step, held) is None
    assert tree_of(tmp_path) == {"f": b"saved"}


def test_a_name_that_came_meanwhile_is_not_overwritten(tmp_path: Path, held: int) -> None:
    step = step_of(tmp_path, held, "create", "g")
    (tmp_path / "g").write_text("theirs")
    with pytest.raises(Changed):
        entry_changes.commit(step, held, None, exchanging=True)
    assert entry_changes.take_back(step, held) is None
    assert tree_of(tmp_path) == {"f": b"old", "g": b"theirs"}


def test_overwriting_keeps_the_file_itself(tmp_path: Path, held: int) -> None:
    os.link(tmp_path / "f", tmp_path / "g")
    step = step_of(tmp_path, held, "delete").but(kind="in_place")
    entry_changes.check_unchanged(held, step, b"old")
    entry_changes.overwrite(held, step, b"x")
    assert tree_of(tmp_path) == {"f": b"x", "g": b"x"}
    with pytest.raises(Changed):
        entry_changes.check_unchanged(held, step, b"old")
    with pytest.raises(Changed):
        entry_changes.overwrite(held, step.but(old=1), b"y")


def test_a_new_file_is_private_until_it_has_its_mode(
    tmp_path: Path, held: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    modes = []
    real = entry_changes.write_all

    def looked_at(descriptor: int, content: bytes) -> None:
        modes.append(os.fstat(descriptor).st_mode & 0o777)
        real(descriptor, content)

    monkeypatch.setattr(entry_changes, "write_all", looked_at)
    entry_changes.write_spare(held, ".spare", FileState(b"x", 0o640), owner=None, settle=True)
    assert (modes, (tmp_path / ".spare").stat().st_mode & 0o777) == ([0o600], 0o640)


def test_a_file_we_cannot_give_away_is_not_replaced(held: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "fchown", refused)
    with pytest.raises(CannotReplace):
        entry_changes.write_spare(held, ".spare", FileState(b"x"), owner=(4242, 4242), settle=False)
    entry_changes.drop_spare(held, ".spare")
    entry_changes.drop_spare(held, ".spare")
