"""What was made for a command: names with their objects, moved, forgotten, and gone in the end."""

import os
from pathlib import Path

from sandgate.kernel.object_identity import identity_at
from sandgate.kernel.own_names import OWN_NAMES_MAX, OWN_TREES_MAX, OwnName, OwnNames


def made(path: Path, *, is_passing: bool = False) -> OwnName:
    """Whatever lies there now."""
    above = os.open(path.parent, os.O_PATH)
    try:
        identity = identity_at(above, path.name)[0]
    finally:
        os.close(above)
    tree = os.open(path, os.O_PATH | os.O_DIRECTORY) if path.is_dir() else -1
    return OwnName(identity, 0, is_made=True, is_passing=is_passing, tree=tree)


def test_what_lies_below_a_directory_is_found_by_the_nearest_one(tmp_path: Path) -> None:
    names = OwnNames()
    for folder in ("a", "a/b"):
        (tmp_path / folder).mkdir()
        names.remember(str(tmp_path / folder), made(tmp_path / folder))
    found = names.tree_above(str(tmp_path / "a/b/c/file"))
    assert found is not None
    assert found[0] == str(tmp_path / "a/b")
    assert names.tree_above(str(tmp_path / "a")) is None
    assert names.tree_above(str(tmp_path / "ab/file")) is None
    names.close()


def test_a_rename_takes_along_what_lies_below(tmp_path: Path) -> None:
    names = OwnNames()
    for folder in ("a", "a/b", "ab"):
        (tmp_path / folder).mkdir()
        names.remember(str(tmp_path / folder), made(tmp_path / folder))
    names.move(str(tmp_path / "a"), str(tmp_path / "new"))
    assert [names.at(str(tmp_path / name)) is not None for name in ("new", "new/b", "ab", "a", "a/b")] == [
        True,
        True,
        True,
        False,
        False,
    ]
    names.move(str(tmp_path / "new"), None)
    assert names.at(str(tmp_path / "new/b")) is None
    names.close()


def test_in_the_end_what_passes_is_gone_unless_it_is_somebody_elses(tmp_path: Path) -> None:
    """Required: by name and object, and no descriptor is left."""
    before = len(os.listdir("/proc/self/fd"))
    names = OwnNames()
    for name in ("passes", "stays", "exchanged", "moved", "gone"):
        (tmp_path / name).write_text("made")
        names.remember(str(tmp_path / name), made(tmp_path / name, is_passing=name != "stays"))
    (tmp_path / "tree").mkdir()
    names.remember(str(tmp_path / "tree"), made(tmp_path / "tree"))
    (tmp_path / "theirs").write_text("theirs")
    (tmp_path / "theirs").rename(tmp_path / "exchanged")
    (tmp_path / "moved").rename(tmp_path / "kept")
    names.move(str(tmp_path / "moved"), str(tmp_path / "kept"))
    (tmp_path / "gone").unlink()
    names.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["exchanged", "kept", "stays", "tree"]
    assert len(os.listdir("/proc/self/fd")) == before


def test_there_is_room_for_so_many() -> None:
    names = OwnNames()
    for number in range(OWN_NAMES_MAX):
        assert names.has_room()
        names.remember(f"/x/{number}", OwnName((0, 0, 0, 0, 0), 0, is_made=True, is_passing=False))
    assert not names.has_room()
    names.move("/x/1", None)
    assert names.has_room()


def test_there_is_room_for_fewer_directories(tmp_path: Path) -> None:
    names = OwnNames()
    for number in range(OWN_TREES_MAX):
        assert names.has_room(for_tree=True)
        names.remember(f"/x/{number}", made(tmp_path))
    assert names.has_room()
    assert not names.has_room(for_tree=True)
    names.close()
