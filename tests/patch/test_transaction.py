"""The edges of one application: interrupts, refusals of the system, many files."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from sandgate.errors import PatchDoesNotFit, PatchFailed
from sandgate.patch import entry_changes
from sandgate.patch import transaction as undertaking
from sandgate.patch.apply import apply_plan
from support.tool.patching import patched, planned, tree_of, within


def test_an_interrupt_while_names_change_hands_is_delivered_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "f").write_text("a\n")
    plan = planned(tmp_path, "*** Add File: g\n+x\n*** Update File: f\n@@\n-a\n+b")
    real = entry_changes.commit

    def commit(*arguments: object, **named: object) -> None:
        signal.raise_signal(signal.SIGINT)  # here: of a whole process, another thread may take it
        real(*arguments, **named)  # type: ignore[arg-type] # handed through unchanged

    monkeypatch.setattr(entry_changes, "commit", commit)
    with pytest.raises(KeyboardInterrupt):
        apply_plan(plan, None)
    assert tree_of(tmp_path) == {"f": b"b\n", "g": b"x\n"}


@pytest.mark.parametrize(
    ("call", "body", "what"),
    [
        ("mkdir", "*** Add File: d/f\n+x", "Failed to create parent directories for {}/d/f"),
        ("write", "*** Add File: g\n+x", "Failed to write file {}/g"),
        ("rename", "*** Delete File: f", "Failed to delete file {}/f"),
        ("rename", "*** Update File: f\n*** Move to: g", "Failed to remove original {}/f"),
    ],
)
def test_what_the_system_refuses_is_told_word_for_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, body: str, what: str
) -> None:
    (tmp_path / "f").write_text("a\n")

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    plan = planned(tmp_path, body, within(tmp_path))
    monkeypatch.setattr(os, call, full)
    with pytest.raises(PatchFailed) as caught:
        apply_plan(plan, within(tmp_path))
    monkeypatch.undo()
    assert (caught.value.what, caught.value.why) == (what.format(tmp_path), "No space left on device")
    assert tree_of(tmp_path) == {"f": b"a\n"}


def test_a_name_that_came_after_the_plan_is_not_overwritten(tmp_path: Path) -> None:
    plan = planned(tmp_path, "*** Add File: f\n+mine")
    (tmp_path / "f").write_text("theirs\n")
    with pytest.raises(PatchDoesNotFit, match="changed after the patch was verified"):
        apply_plan(plan, None)
    assert tree_of(tmp_path) == {"f": b"theirs\n"}


def test_a_mode_set_after_the_plan_is_kept(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("a\n")
    plan = planned(tmp_path, "*** Update File: f\n@@\n-a\n+b")
    (tmp_path / "f").chmod(0o700)
    apply_plan(plan, None)
    assert (tmp_path / "f").stat().st_mode & 0o777 == 0o700


def test_where_no_file_can_be_made_an_existing_one_is_still_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "f").write_text("a\n")

    def refused(*_: object, **__: object) -> int:
        raise OSError(30, "Read-only file system")

    plan = planned(tmp_path, "*** Update File: f\n@@\n-a\n+b")
    inode = (tmp_path / "f").stat().st_ino
    monkeypatch.setattr(entry_changes, "write_spare", refused)
    apply_plan(plan, None)
    assert ((tmp_path / "f").read_text(), (tmp_path / "f").stat().st_ino) == ("b\n", inode)


def test_many_files_are_settled_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    monkeypatch.setattr(undertaking, "SETTLED_ONE_BY_ONE_MAX", 2)
    monkeypatch.setattr(os, "sync", lambda: calls.append("sync"))
    monkeypatch.setattr(os, "fsync", lambda _: calls.append("fsync"))
    patched(tmp_path, "\n".join(f"*** Add File: f{number}\n+x" for number in range(3)))
    assert calls == ["sync"]


def test_what_cannot_be_put_back_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody makes a file where a deleted one was, before the failure further on."""
    (tmp_path / "f").write_text("a\n")
    (tmp_path / "g").write_text("b\n")
    plan = planned(tmp_path, "*** Delete File: f\n*** Delete File: g")
    real = entry_changes.commit

    def commit(step: entry_changes.Step, *arguments: object, **named: object) -> None:
        if step.name == "g":
            (tmp_path / "f").write_text("theirs\n")
            raise OSError(5, "Input/output error")
        real(step, *arguments, **named)  # type: ignore[arg-type] # handed through unchanged

    monkeypatch.setattr(entry_changes, "commit", commit)
    with pytest.raises(PatchFailed) as caught:
        apply_plan(plan, None)
    (spare,) = (name for name in os.listdir(tmp_path) if name.startswith(entry_changes.SPARE_PREFIX))
    assert spare in caught.value.why
    assert tree_of(tmp_path) == {"f": b"theirs\n", "g": b"b\n", spare: b"a\n"}
