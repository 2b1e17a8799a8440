"""Which names go with a file, and which are another file's. How that holds: tests/kernel/test_names_beside.py."""

from sandgate.protocol.names_beside import extends_name, is_behind_dot, lie_beside, looks_like
from support.suite.rows import every


@every(
    "name, original, alike",
    [
        ("note.part", "note", True),
        ("note~", "note", True),
        (".note.swp", "note", True),
        ("#note#", "note", True),
        (".#note", "note", True),
        ("note-journal", "note", True),
        (".gitconfig.lock", ".gitconfig", True),
        ("notes", "note", False),
        (".profile", "profile", False),
        (".bash_login", "bash", False),
        ("other", "note", False),
    ],
)
def test_a_name_is_made_from_another(name: str, original: str, alike: bool) -> None:
    assert looks_like(f"/home/u/{name}", f"/home/u/{original}") is alike


@every(
    "name, made, goes_on",
    [
        ("base.db-journal", "base.db", True),
        ("key.pub", "key", True),
        ("base.db", "base.db", False),
        ("keys", "key", False),
        ("key2", "key", False),
        (".bash_login", ".bash", False),
        ("key/pub", "key", False),
    ],
)
def test_a_name_goes_on_from_a_new_one(name: str, made: str, goes_on: bool) -> None:
    assert extends_name(f"/home/u/{name}", f"/home/u/{made}") is goes_on


def test_names_are_told_by_their_directory() -> None:
    assert lie_beside("/a/b", "/a/c")
    assert not lie_beside("/a/b", "/a/b/c")
    assert is_behind_dot("/a/.b/c", "/a")
    assert not is_behind_dot("/a/.b/c", "/a/.b")
