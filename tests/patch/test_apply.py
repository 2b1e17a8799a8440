"""Writing a plan: where it is allowed, all or nothing, and back again. Each attack has a half that shows it is real."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sandgate.errors import PatchDoesNotFit, PatchFailed
from sandgate.patch import entry_changes
from sandgate.patch.apply import apply_plan, undo
from sandgate.patch.diff import unified_diff
from sandgate.patch.disk_lookup import Tree
from support.tool.patching import patched, planned, tree_of, within

UPDATE = "*** Update File: f\n@@\n-a\n+b"


@pytest.fixture
def inside(tmp_path: Path) -> Path:
    """A writable root beside things that are not."""
    root = tmp_path / "in"
    root.mkdir()
    (root / "f").write_text("a\n")
    (tmp_path / "secret").write_text("a\n")
    return root


def test_inside_the_roots_a_patch_is_applied(inside: Path) -> None:
    assert patched(inside, f"{UPDATE}\n*** Add File: new/g\n+x", within(inside)).denied == ()
    assert tree_of(inside) == {"f": b"b\n", "new/": b"", "new/g": b"x\n"}


@pytest.mark.parametrize(
    ("body", "denied"),
    [
        ("*** Add File: ../g\n+x", ("create", "g")),
        ("*** Add File: ../new/g\n+x", ("create", "new")),
        ("*** Update File: ../secret\n@@\n-a\n+b", ("write", "secret")),
        ("*** Delete File: ../secret", ("delete", "secret")),
        ("*** Update File: f\n*** Move to: ../g", ("create", "g")),
        ("*** Add File: link/g\n+x", ("create", "g")),
        ("*** Update File: out\n@@\n-a\n+b", ("write", "secret")),
        ("*** Add File: dangling\n+x", ("create", "nothing")),
        ("*** Add File: .git/hooks/pre-commit\n+x", ("create", "in/.git/hooks/pre-commit")),
        ("*** Add File: .envrc\n+x", ("create", "in/.envrc")),
        ("*** Add File: door/pre-commit\n+x", ("create", "in/.git/hooks/pre-commit")),
    ],
)
def test_outside_of_them_it_is_denied_and_nothing_is_written(inside: Path, body: str, denied: tuple[str, str]) -> None:
    """Scenarios 34 and 35: `..`, links out, protected names, also by a detour."""
    outside = inside.parent
    (inside / ".git" / "hooks").mkdir(parents=True)
    for name, target in (("link", ".."), ("out", "../secret"), ("dangling", "../nothing"), ("door", ".git/hooks")):
        (inside / name).symlink_to(target)
    permissions = within(inside, read_only=(f"{inside}/.git",), absent=(f"{inside}/.envrc",))
    before = tree_of(outside)
    applied = patched(inside, f"{body}\n*** Add File: innocent\n+x", permissions)
    assert applied.denied[0] == (denied[0], f"{outside}/{denied[1]}")
    assert (applied.undo, tree_of(outside)) == (None, before)
    assert patched(inside, body).denied == ()  # the attack is real
    assert tree_of(outside) != before


def test_a_protected_name_is_protected_in_any_case_where_case_does_not_count(inside: Path) -> None:
    permissions = within(inside, absent=(f"{inside}/.envrc",)).but(case_insensitive=True)
    assert patched(inside, "*** Add File: .EnvRC\n+x", permissions).denied == (("create", f"{inside}/.EnvRC"),)


def test_a_granted_file_is_writable_and_its_neighbours_are_not(inside: Path) -> None:
    secret = inside.parent / "secret"
    permissions = within(inside, secret)
    assert patched(inside, "*** Update File: ../secret\n@@\n-a\n+b", permissions).denied == ()
    assert secret.read_text() == "b\n"
    assert patched(inside, "*** Add File: ../other\n+x", permissions).denied == (("create", f"{inside.parent}/other"),)


def test_what_is_hidden_cannot_be_read_through_a_patch(inside: Path) -> None:
    """Required: neither by moving it nor by guessing at it."""
    secret = inside.parent / "secret"
    (inside / "link").symlink_to(secret)
    body = "*** Update File: link\n*** Move to: copy"
    permissions = within(inside, hidden=(str(secret),))
    for attempt in (body, "*** Update File: link\n@@\n-wrong"):
        with pytest.raises(PatchDoesNotFit, match=r"Permission denied \(os error 13\)"):
            patched(inside, attempt, permissions)
    patched(inside, body)
    assert (inside / "copy").read_text() == "a\n"  # the attack is real


def test_a_directory_swapped_for_a_link_after_the_plan_leads_nowhere(inside: Path) -> None:
    outside = inside.parent / "out"
    outside.mkdir()
    (inside / "d").mkdir()
    for permissions, reached in ((within(inside), False), (None, True)):
        plan = planned(inside, "*** Add File: d/f\n+x", permissions)
        (inside / "d").rmdir()
        (inside / "d").symlink_to(outside)
        if permissions is not None:
            with pytest.raises(PatchDoesNotFit):
                apply_plan(plan, permissions)
        else:
            apply_plan(plan, permissions)
        assert (outside / "f").exists() is reached
        (inside / "d").unlink()
        (inside / "d").mkdir()


def test_a_file_swapped_for_a_link_after_the_plan_is_not_followed(inside: Path) -> None:
    plan = planned(inside, UPDATE, within(inside))
    (inside / "f").unlink()
    (inside / "f").symlink_to("../secret")
    with pytest.raises(PatchDoesNotFit):
        apply_plan(plan, within(inside))
    assert (inside.parent / "secret").read_text() == "a\n"


def test_a_hard_link_added_after_the_plan_is_not_written_through(inside: Path) -> None:
    plan = planned(inside, UPDATE, within(inside))
    (inside / "f").unlink()
    os.link(inside.parent / "secret", inside / "f")
    with pytest.raises(PatchDoesNotFit):
        apply_plan(plan, within(inside))
    assert (inside.parent / "secret").read_text() == "a\n"


@pytest.mark.parametrize("confined", [True, False])
def test_a_file_with_other_names_is_replaced_under_the_one_that_was_named(inside: Path, confined: bool) -> None:
    (inside / "f").unlink()
    os.link(inside.parent / "secret", inside / "f")
    permissions = within(inside) if confined else None
    plan = planned(inside, UPDATE, permissions)
    assert plan.warnings == (f"{inside}/f has another name, which keeps the old content",)
    undo_record = apply_plan(plan, permissions).undo
    assert (tree_of(inside), (inside.parent / "secret").read_text()) == ({"f": b"b\n"}, "a\n")
    assert undo_record is not None
    undo(undo_record, permissions)
    assert tree_of(inside) == {"f": b"a\n"}


def test_each_name_of_a_file_is_changed_by_itself(inside: Path) -> None:
    for name in ("g", "h", "i"):
        os.link(inside / "f", inside / name)
    plan = planned(inside, "*** Update File: f\n@@\n-a\n+b\n*** Update File: g\n@@\n-a\n+c", within(inside))
    assert plan.warnings == (f"{inside}/f has 2 other names, which keep the old content",)
    apply_plan(plan, within(inside))
    assert tree_of(inside) == {"f": b"b\n", "g": b"c\n", "h": b"a\n", "i": b"a\n"}


def test_what_can_only_be_written_in_place_is_not_when_it_has_other_names(inside: Path) -> None:
    """Required: a file that others may not write is never laid under another name, and no other name is changed."""
    os.link(inside / "f", inside.parent / "other")
    others = within(inside, read_only=(f"{inside}/f",))
    with pytest.raises(PatchFailed, match="it has 2 names, and it can only be written in place"):
        apply_plan(planned(inside, UPDATE, within(inside)), within(inside), others=others)
    assert (tree_of(inside), (inside.parent / "other").read_text()) == ({"f": b"a\n"}, "a\n")


def test_what_cannot_be_replaced_is_not_written_when_it_has_other_names(
    inside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mount lies on it: that shows only when names change hands."""
    os.link(inside / "f", inside.parent / "other")

    def busy(*_: object, **_more: object) -> None:
        raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))

    monkeypatch.setattr(entry_changes, "_exchange", busy)
    with pytest.raises(PatchFailed, match="it has 2 names"):
        apply_plan(planned(inside, UPDATE, within(inside)), within(inside))
    assert (tree_of(inside), (inside.parent / "other").read_text()) == ({"f": b"a\n"}, "a\n")


def test_deleting_one_of_two_names_needs_no_approval(inside: Path) -> None:
    os.link(inside / "f", inside / "g")
    assert patched(inside, "*** Delete File: g", within(inside)).denied == ()
    assert tree_of(inside) == {"f": b"a\n"}


def test_links_inside_the_roots_are_followed(inside: Path) -> None:
    (inside / "link").symlink_to("f")
    assert patched(inside, "*** Update File: link\n@@\n-a\n+b", within(inside)).denied == ()
    assert tree_of(inside) == {"f": b"b\n", "link": "-> f"}


@pytest.mark.parametrize("target", ["f", "soft", "../in/f"])
def test_moving_a_file_onto_itself_keeps_it(inside: Path, target: str) -> None:
    """Required: other tools lose the file."""
    os.link(inside / "f", inside / "hard")
    (inside / "soft").symlink_to("f")
    patched(inside, f"*** Update File: f\n*** Move to: {target}\n@@\n-a\n+b")
    assert tree_of(inside) == {"f": b"b\n", "hard": b"a\n", "soft": "-> f"}


@pytest.mark.parametrize(("chunk", "content"), [("\n@@\n-a\n+b", b"b\n"), ("", b"a\n")])
def test_moving_a_file_onto_its_other_name_leaves_that_one(inside: Path, chunk: str, content: bytes) -> None:
    os.link(inside / "f", inside / "hard")
    applied = patched(inside, f"*** Update File: f\n*** Move to: hard{chunk}", within(inside))
    assert tree_of(inside) == {"hard": content}
    assert applied.undo is not None
    undo(applied.undo, within(inside))
    assert tree_of(inside) == {"f": b"a\n", "hard": b"a\n"}


def test_moving_a_link_moves_what_it_shows_and_leaves_what_it_points_to(inside: Path) -> None:
    (inside / "link").symlink_to("f")
    patched(inside, "*** Update File: link\n*** Move to: g\n@@\n-a\n+b")
    assert tree_of(inside) == {"f": b"a\n", "g": b"b\n"}


def test_a_changed_file_keeps_its_mode_and_attributes(inside: Path) -> None:
    (inside / "f").chmod(0o751)
    try:
        os.setxattr(inside / "f", "user.note", b"kept")
    except OSError:
        pytest.skip("no extended attributes here")
    patched(inside, UPDATE)
    assert ((inside / "f").stat().st_mode & 0o7777, os.getxattr(inside / "f", "user.note")) == (0o751, b"kept")
    patched(inside, "*** Update File: f\n*** Move to: g")
    assert ((inside / "g").stat().st_mode & 0o7777, os.getxattr(inside / "g", "user.note")) == (0o751, b"kept")


def test_a_failure_at_the_last_file_takes_everything_back(inside: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (inside / "g").write_text("x\n")
    before = tree_of(inside)
    plan = planned(inside, f"*** Add File: n/m\n+x\n{UPDATE}\n*** Delete File: g")
    monkeypatch.setattr(os, "rename", failing)
    with pytest.raises(PatchFailed, match=f"Failed to delete file {inside}/g"):
        apply_plan(plan, within(inside))
    monkeypatch.undo()
    assert tree_of(inside) == before


def failing(*_: object, **__: object) -> None:
    raise OSError(5, "Input/output error")


def test_an_interrupt_while_preparing_takes_everything_back(inside: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = tree_of(inside)

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    plan = planned(inside, f"*** Add File: n/m\n+x\n{UPDATE}")
    monkeypatch.setattr(entry_changes, "write_all", interrupted)
    with pytest.raises(KeyboardInterrupt):
        apply_plan(plan, None)
    assert tree_of(inside) == before


def test_somebody_who_saves_in_the_last_moment_loses_nothing(inside: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the comparison and the exchange: what was taken away is looked at, and put back."""
    plan = planned(inside, UPDATE, within(inside))
    real = entry_changes.write_spare

    def prepare(*arguments: object, **named: object) -> int:
        (inside / "new").write_text("saved\n")
        (inside / "new").rename(inside / "f")
        return real(*arguments, **named)  # type: ignore[arg-type] # handed through unchanged

    monkeypatch.setattr(entry_changes, "write_spare", prepare)
    with pytest.raises(PatchDoesNotFit):
        apply_plan(plan, within(inside))
    assert tree_of(inside) == {"f": b"saved\n"}


EVERYTHING = (
    "*** Add File: n/m\n+x\n*** Update File: f\n@@\n-a\n+b\n*** Delete File: g\n"
    "*** Update File: h\n*** Move to: deep/er/i\n@@\n-c\n+d\n*** Delete File: l"
)


def everything(folder: Path) -> dict[str, bytes | str]:
    (folder / "g").write_bytes(b"\xff\0")
    (folder / "h").write_text("c\n")
    (folder / "h").chmod(0o755)
    (folder / "l").symlink_to("f")
    return tree_of(folder)


def test_undo_restores_bytes_modes_and_names(inside: Path) -> None:
    before = everything(inside)
    applied = patched(inside, EVERYTHING, within(inside))
    assert applied.undo is not None
    assert tree_of(inside) != before
    undone = undo(applied.undo, within(inside))
    assert (tree_of(inside), (inside / "h").stat().st_mode & 0o777) == (before, 0o755)
    assert undone.undo is not None


def test_undo_refuses_when_a_file_was_changed_since(inside: Path) -> None:
    everything(inside)
    applied = patched(inside, EVERYTHING)
    (inside / "f").write_text("mine\n")
    now = tree_of(inside)
    assert applied.undo is not None
    with pytest.raises(PatchDoesNotFit):
        undo(applied.undo)
    assert tree_of(inside) == now


NAMES = st.sampled_from(["a", "b", "d/c"])
CONTENT = st.lists(st.sampled_from(["x", "y", "  z", ""]), min_size=1, max_size=4)
ADDS = st.builds(
    lambda name, lines: f"*** Add File: {name}\n" + "\n".join(f"+{line}" for line in lines), NAMES, CONTENT
)
DELETES = NAMES.map(lambda name: f"*** Delete File: {name}")
UPDATES = st.builds(lambda name, line: f"*** Update File: {name}\n@@\n-{line}\n+new", NAMES, st.sampled_from("xy"))
MOVES = st.builds(lambda name, to: f"*** Update File: {name}\n*** Move to: {to}", NAMES, NAMES)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(files=st.dictionaries(NAMES, CONTENT), hunks=st.lists(ADDS | DELETES | UPDATES | MOVES, min_size=1, max_size=5))
def test_undo_after_apply_is_as_if_nothing_had_been(
    tmp_path_factory: pytest.TempPathFactory, files: dict[str, list[str]], hunks: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("undo")
    for name, lines in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("".join(f"{line}\n" for line in lines))
    before = tree_of(folder)
    try:
        applied = patched(folder, "\n".join(hunks))
    except PatchDoesNotFit:
        assert tree_of(folder) == before
        return
    assert not [name for name in tree_of(folder) if entry_changes.SPARE_PREFIX in name]
    assert applied.undo is not None
    undo(applied.undo)
    assert tree_of(folder) == before


LINES = st.lists(st.sampled_from([f"line {number}" for number in range(12)]), max_size=20)


@given(old=LINES, new=LINES)
def test_a_diff_rewritten_as_a_patch_gives_the_edited_text(
    tmp_path_factory: pytest.TempPathFactory, old: list[str], new: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("diff")
    before, after = ("".join(f"{line}\n" for line in lines) for lines in (old, new))
    if before == after or not before:
        return
    (folder / "f").write_text(before)
    chunks = unified_diff(before, after, context=len(old)).splitlines()
    body = "\n".join("@@" if line.startswith("@@") else line for line in chunks)
    patched(folder, f"*** Update File: f\n{body}")
    assert (folder / "f").read_text() == after


def test_the_tree_is_read_without_permissions_as_well(inside: Path) -> None:
    assert Tree().place(f"{inside}/f") == f"{inside}/f"
