"""Gitlinks are found in every form of index that git writes."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from sandgate.sandbox import git_index
from sandgate.sandbox.git_index import gitlinks, is_split

LINKS = ["sub", "a/b/c/d/e/deep", "ünï", "x" * 200 + "/y", "n" * 90 + "/" + "m" * 200 + "/" + "z" * 250, "dir1/z"]


def index_of(repo: Path, kind: str, *, version: int, links: list[str], split: bool = False) -> Path:
    def git(*words: str, text: str = "") -> str:
        command = ["git", "-C", str(repo), *words]
        return subprocess.run(command, check=True, capture_output=True, text=True, input=text).stdout

    git("init", "-q", f"--object-format={kind}")
    blob = git("hash-object", "-w", "--stdin", text="x").strip()
    lines = "".join(f"100644 {blob}\tdir{number % 7}/file{number}\n" for number in range(300))
    lines += "".join(f"160000 {'ab' * (len(blob) // 2)}\t{link}\n" for link in links)
    git("update-index", "--index-info", text=lines)
    if version == 3:
        (repo / "later").write_text("x")
        git("add", "--intent-to-add", "later")
    git("update-index", f"--index-version={version}")
    if split:
        git("update-index", "--split-index")
    return repo / ".git" / "index"


@pytest.mark.skipif(shutil.which("git") is None, reason="git writes the index")
@pytest.mark.parametrize("version", [2, 3, 4])
@pytest.mark.parametrize("kind", ["sha1", "sha256"])
def test_all_gitlinks_and_nothing_else(tmp_path: Path, kind: str, version: int) -> None:
    data = index_of(tmp_path, kind, version=version, links=LINKS).read_bytes()
    assert int.from_bytes(data[4:8], "big") == version
    assert sorted(gitlinks(data)) == sorted(LINKS)


@pytest.mark.skipif(shutil.which("git") is None, reason="git writes the index")
def test_a_split_index_is_known_and_its_other_half_read(tmp_path: Path) -> None:
    index = index_of(tmp_path, "sha1", version=2, links=["sub"], split=True)
    (shared,) = index.parent.glob("sharedindex.*")
    assert is_split(index.read_bytes())
    assert gitlinks(shared.read_bytes()) == ["sub"]


@pytest.mark.skipif(shutil.which("git") is None, reason="git writes the index")
@pytest.mark.parametrize("version", [2, 4])
def test_without_gitlinks_there_are_none(tmp_path: Path, version: int) -> None:
    assert gitlinks(index_of(tmp_path, "sha1", version=version, links=[]).read_bytes()) == []


@pytest.mark.skipif(shutil.which("git") is None, reason="git writes the index")
@pytest.mark.parametrize("version", [2, 4])
def test_a_damaged_index_gives_only_paths_below(tmp_path: Path, version: int) -> None:
    """Required: whoever may commit writes the index."""
    data = bytearray(index_of(tmp_path, "sha1", version=version, links=LINKS).read_bytes())
    chance = random.Random(7)
    for _ in range(300):
        broken = bytearray(data)
        for _ in range(chance.randrange(1, 40)):
            broken[chance.randrange(len(broken))] = chance.choice((0, 0xE0, 0x2F, 0x2E, chance.randrange(256)))
        cut = bytes(broken[: chance.randrange(len(broken))])
        for name in gitlinks(cut):
            assert not name.startswith("/")
            assert {"", ".", "..", ".git"}.isdisjoint(name.split("/"))


@pytest.mark.parametrize("data", [b"", b"DIRC", b"DIRC\0\0\0\4\xff\xff\xff\xff\0\0\xe0\0", b"else" * 40])
def test_what_is_no_index_has_none(data: bytes) -> None:
    assert gitlinks(data) == []


@pytest.mark.parametrize("version", [2, 4])
def test_an_index_made_to_be_long_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch, version: int) -> None:
    """Required: whoever may write below the root makes repositories whose indexes every later command reads."""
    entry = b"\0" * 24 + b"\0\0\xe0\0" + b"\0" * 32 + (b"\0\1a\0" if version == 2 else b"\0\1\0a\0")
    index = b"DIRC" + version.to_bytes(4, "big") + b"\xff" * 4 + entry.ljust(64 if version == 2 else 0, b"\0") * 20_000
    read: list[bytes] = []

    def counted(name: bytes) -> bool:
        read.append(name)
        return True

    monkeypatch.setattr(git_index, "_is_below", counted)
    gitlinks(index)
    assert len(read) <= 2 * git_index.GITLINKS_MAX
    assert sum(map(len, read)) <= 2 * git_index.GITLINKS_MAX * git_index.NAME_BYTES_MAX
