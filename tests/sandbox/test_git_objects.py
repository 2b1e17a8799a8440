"""Objects and packs of the real git, and others under their names."""

import hashlib
import subprocess
import zlib
from pathlib import Path

import pytest

from sandgate.sandbox.git_objects import Checked, checked_object, checked_pack, gitlinks_of


def loose(content: bytes) -> tuple[str, bytes]:
    return hashlib.sha1(content, usedforsecurity=False).hexdigest(), zlib.compress(content)


def git(at: Path, *words: str, text: bytes = b"") -> bytes:
    return subprocess.run(["git", "-C", str(at), *words], check=True, capture_output=True, input=text).stdout


@pytest.fixture
def packed(tmp_path: Path) -> tuple[bytes, bytes]:
    """A pack with deltas of both kinds of content and its index."""
    git(tmp_path, "init", "-q", ".")
    lines = [b"line %d\n" % number for number in range(400)]
    for at in range(12):
        lines[at * 30] = b"changed %d\n" % at
        (tmp_path / "file").write_bytes(b"".join(lines))
        git(tmp_path, "add", "file")
        git(tmp_path, "-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", str(at))
    git(tmp_path, "repack", "-adfq", "--depth=20")
    pack = next((tmp_path / ".git/objects/pack").glob("*.pack"))
    return pack.read_bytes(), pack.with_suffix(".idx").read_bytes()


def test_an_object_under_its_own_name_is_sound() -> None:
    assert checked_object(*loose(b"blob 3\0abc")) == Checked(True, unpacked_bytes=10)


def test_one_under_the_name_of_another_is_not() -> None:
    """Required: a later fetch passes over what seems to be there."""
    assert not checked_object(loose(b"blob 3\0abc")[0], loose(b"blob 3\0abd")[1]).is_sound


@pytest.mark.parametrize("content", [b"blob 4\0abc", b"evil 3\0abc", b"abc", b""])
def test_nor_is_what_is_no_object(content: bytes) -> None:
    assert not checked_object(*loose(content)).is_sound


def test_nor_is_what_ends_too_early_or_never_began() -> None:
    name, content = loose(b"blob 3\0abc")
    assert not checked_object(name, content[:-3]).is_sound
    assert not checked_object(name, b"plain").is_sound


def test_trees_tell_which_submodules_they_name() -> None:
    tree = b"100644 a\0" + bytes(20) + b"160000 sub\0" + b"160000 no " + bytes(10) + b"40000 z\0" + bytes(20)
    assert gitlinks_of(tree, 20) == {b"sub"}
    assert checked_object(*loose(b"tree %d\0" % len(tree) + tree)).gitlinks == {b"sub"}


def test_a_pack_with_deltas_is_sound(packed: tuple[bytes, bytes]) -> None:
    checked = checked_pack(*packed)
    assert (checked.is_sound, checked.gitlinks) == (True, frozenset())
    assert checked.unpacked_bytes > 40_000


def test_what_unpacks_to_more_than_is_allowed_is_not(packed: tuple[bytes, bytes]) -> None:
    """Required: a small file may unpack to gigabytes."""
    assert not checked_pack(*packed, 20_000).is_sound
    assert not checked_object(*loose(b"blob 100000\0" + bytes(100_000)), 50_000).is_sound


@pytest.mark.parametrize("at", [8, 500, -30])
def test_a_pack_that_was_changed_is_not(packed: tuple[bytes, bytes], at: int) -> None:
    pack, index = packed
    body = bytearray(pack[:-20])
    body[at] ^= 0x55
    assert not checked_pack(bytes(body) + hashlib.sha1(body, usedforsecurity=False).digest(), index).is_sound
    assert not checked_pack(bytes(body) + pack[-20:], index).is_sound


@pytest.mark.parametrize("at", [1100, 9, -60])
def test_an_index_that_names_objects_otherwise_is_not(packed: tuple[bytes, bytes], at: int) -> None:
    """Required: git believes an index, and so would find another object under a name."""
    pack, index = packed
    body = bytearray(index[:-20])
    body[at] ^= 0x55
    assert not checked_pack(pack, bytes(body) + hashlib.sha1(body, usedforsecurity=False).digest()).is_sound


def test_every_mode_that_git_takes_for_a_submodule_is_one() -> None:
    modes = (b"160000", b"0160000", b"160755", b"60000", b"20644", b"10000", b"1000160000", b"9", b"")
    tree = b"".join(mode + b" odd" + str(at).encode() + b"\0" + bytes(20) for at, mode in enumerate(modes))
    usual = b"".join(mode + b" usual\0" + bytes(20) for mode in (b"100644", b"100664", b"040000", b"40000", b"120000"))
    assert gitlinks_of(usual + tree, 20) == {b"odd" + str(at).encode() for at in range(len(modes))}
