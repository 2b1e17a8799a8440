"""What a repository has already is no news in another pack, and references that say the same are none in one file."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from sandgate.execution.repacked import same_references, without_old
from sandgate.sandbox.git_objects import Checked

A, B, C = b"a" * 40, b"b" * 40, b"c" * 40
PACKED = b"\n".join((
    b"# pack-refs with: peeled fully-peeled sorted", A + b" refs/heads/main", B + b" refs/tags/v1", b"^" + C, b"",
))  # fmt: skip


def same(**references: bytes) -> frozenset[bytes]:
    now = {f"refs/{name.replace('_', '/')}": value for name, value in references.items()}
    return same_references("packed-refs", PACKED, now.get)


def test_references_that_say_the_same_are_told() -> None:
    assert same(heads_main=A + b"\n", tags_v1=B + b"\n") == {A, B, C}


def test_a_reference_that_says_something_else_is_news_with_what_its_tag_leads_to() -> None:
    assert same(heads_main=A, tags_v1=A) == {A}
    assert same() == frozenset()


def test_only_packed_references_are_read_so() -> None:
    assert same_references("modules/m/packed-refs", PACKED, {"modules/m/refs/heads/main": A}.get) == {A}
    assert same_references("refs/heads/main", PACKED, {"refs/heads/main": A}.get) == frozenset()


@pytest.mark.skipif(shutil.which("git", path="/usr/bin:/usr/local/bin:/bin") is None, reason="a real repository")
def test_objects_that_are_there_are_taken_out(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    tree = subprocess.run(
        ["git", "-C", tmp_path, "mktree", "--missing"], input=b"160000 commit " + A + b"\told\n", capture_output=True,
        check=True,
    ).stdout.decode().strip()  # fmt: skip
    old = (tree, b"tree", b"160000 old\0" + bytes.fromhex(A.decode()))
    new = ("d" * 40, b"tree", b"160000 new\0" + bytes.fromhex(B.decode()))
    found = without_old(Checked(True, frozenset((b"old", b"new")), 0, (old, new)), str(tmp_path / ".git"))
    assert (found.gitlinks, found.leading) == (frozenset((b"new",)), (new,))


def test_where_nobody_can_be_asked_all_is_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandgate.sandbox.old_objects.GIT_PLACES", ())
    checked = Checked(True, frozenset((b"old",)), 0, ((A.decode(), b"tree", b"160000 old\0" + bytes(20)),))
    assert without_old(checked, str(tmp_path)) == checked
