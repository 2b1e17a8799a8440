"""What a plan says before anything happens."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandgate.errors import PatchDoesNotFit
from sandgate.patch.disk_lookup import FileState, Tree
from sandgate.patch.parse import parse_patch
from sandgate.patch.plan import WARNINGS_MAX, plan_patch
from sandgate.protocol.patches import FileChange
from support.tool.patching import planned, tree_of, wrapped


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, content in (("f", "a\nb\nc\nd\n"), ("g", "x\n")):
        (tmp_path / name).write_text(content)
    return tmp_path


def test_every_kind_of_change_is_described_and_nothing_is_written(folder: Path) -> None:
    before = tree_of(folder)
    plan = planned(
        folder, "*** Add File: n\n+new\n*** Update File: f\n*** Move to: d/m\n@@\n-b\n+B\n*** Delete File: g"
    )
    assert plan.changes == (
        FileChange("add", f"{folder}/n", content="new\n"),
        FileChange(
            "update", f"{folder}/f", unified_diff="@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n", move_path=f"{folder}/d/m"
        ),
        FileChange("delete", f"{folder}/g", content="x\n"),
    )
    assert plan.summary == ("A n", "M d/m", "D g")
    assert plan.touched == tuple(f"{folder}/{name}" for name in ("n", "f", "d/m", "g"))
    assert tree_of(folder) == before


def test_the_writes_hold_both_states(folder: Path) -> None:
    (write,) = planned(folder, "*** Update File: g\n@@\n-x\n+y").writes
    before, after = write.before, write.after
    assert (write.place, write.path) == (f"{folder}/g", f"{folder}/g")
    assert isinstance(before, FileState)
    assert isinstance(after, FileState)
    assert (before.content, after.content, after.mode) == (b"x\n", b"y\n", before.mode)


@pytest.mark.parametrize(
    ("body", "kinds"),
    [
        ("*** Update File: f\n*** Move to: m\n*** Add File: f\n+z", [("update", "f", None), ("add", "m", None)]),
        ("*** Update File: f\n*** Move to: m\n*** Update File: m\n*** Move to: k", [("update", "f", "k")]),
        ("*** Update File: f\n*** Move to: m\n*** Delete File: m", [("delete", "f", None)]),
        ("*** Add File: n\n+z\n*** Delete File: n", []),
        ("*** Delete File: g\n*** Add File: g\n+z", [("update", "g", None)]),
        ("*** Add File: n\n+z\n*** Update File: n\n*** Move to: m", [("add", "m", None)]),
    ],
)
def test_hunks_compose_to_one_change_a_file(folder: Path, body: str, kinds: list[tuple[str, str, str | None]]) -> None:
    found = [
        (
            change.kind,
            change.path.removeprefix(f"{folder}/"),
            (change.move_path or "").removeprefix(f"{folder}/") or None,
        )
        for change in planned(folder, body).changes
    ]
    assert found == kinds


def test_different_spellings_are_one_file(folder: Path) -> None:
    (folder / "link").symlink_to("f")
    plan = planned(folder, "*** Update File: f\n@@\n-a\n+A\n*** Update File: ./link\n@@\n-d\n+D")
    assert [write.place for write in plan.writes] == [f"{folder}/f"]
    assert plan.summary == ("M f", "M ./link")


def test_a_replaced_destination_is_warned_about(folder: Path) -> None:
    assert planned(folder, "*** Update File: f\n*** Move to: g").warnings == (f"{folder}/g exists and is replaced",)


def test_warnings_are_bounded(folder: Path) -> None:
    (folder / "f").write_text("a\n" * 500)
    body = "*** Update File: f" + "\n@@\n-a\n+b" * 200
    assert len(planned(folder, body).warnings) == WARNINGS_MAX + 1


def test_several_places_can_be_refused(folder: Path) -> None:
    (folder / "f").write_text("a\na\n")
    patch = parse_patch(wrapped("*** Update File: f\n@@\n-a"))
    with pytest.raises(PatchDoesNotFit, match="matched 1 of 2 places"):
        plan_patch(patch, cwd=str(folder), tree=Tree(), strict_unique=True)


def test_fuzz_adds_up(folder: Path) -> None:
    assert planned(folder, "*** Update File: f\n@@\n-a \n+A\n@@\n- c\n+C").fuzz == 101


def test_without_description_no_diff_is_made(folder: Path) -> None:
    patch = parse_patch(wrapped("*** Update File: f\n@@\n-a"))
    assert plan_patch(patch, cwd=str(folder), tree=Tree(), describe=False).changes == ()
