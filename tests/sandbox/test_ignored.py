"""What a repository ignores: git itself is the judge, where it is installed."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from sandgate.sandbox.ignored import PATTERNS_MAX, Ignoring, pattern_of

if TYPE_CHECKING:
    from pathlib import Path

FILES = {
    ".gitignore": (
        "build/\n/dist\n*.o\n# *.c\n\n!keep.o\nlogs/**\n**/gen\na/**/z\ndoc/*.txt\ntrailing.x   \n*.[ab]\nq?q\n"
        "sub/inner\n!sub/inner/again\n**/deep/*.tmp\nfile\r\n*\n!*\n"
    ),
    "sub/.gitignore": "!*.o\n*.z\n/top\n",
    "sub/more/.gitignore": "*.o\n",
}
PATHS = (
    "build/", "build", "x/build/", "build/y", "dist", "dist/x", "x/dist", "a.o", "keep.o", "x/keep.o", "sub/a.o",
    "sub/more/a.o", "logs/x", "logs/x/", "logs/x/y", "gen", "x/gen", "x/y/gen/", "a/z", "a/b/z", "a/b/c/z", "doc/a.txt",
    "doc/x/a.txt", "x/doc/a.txt", "trailing.x", "n.a", "n.c", "qxq", "q/q", "sub/inner", "sub/inner/again", "sub/n.z",
    "n.z", "sub/top", "sub/x/top", "deep/a.tmp", "x/deep/a.tmp", "x/deep/y/a.tmp", "file", "x/file", "a.c", "other",
)  # fmt: skip


@pytest.fixture
def top(tmp_path: Path) -> Path:
    if shutil.which("git") is None:
        pytest.skip("git is the judge")
    subprocess.run(["git", "init", "-q", tmp_path], check=True, capture_output=True)
    return tmp_path


def judged(top: Path, path: str) -> bool:
    words = ["git", "-c", "core.excludesFile=", "-C", str(top), "check-ignore", "-q", "--no-index", path]
    return subprocess.run(words, check=False, capture_output=True).returncode == 0


def ours(top: Path, path: str) -> bool:
    return Ignoring(str(top), str(top / ".git")).ignores(path.rstrip("/"), is_directory=path.endswith("/"))


@pytest.mark.parametrize("count", range(1, FILES[".gitignore"].count("\n") + 1))
def test_each_line_means_what_it_means_to_git(top: Path, count: int) -> None:
    """Required: never more than git ignores; and for everyday lines not less either."""
    for name, text in FILES.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        kept = text if name != ".gitignore" else "".join(text.splitlines(keepends=True)[:count])
        (top / name).write_bytes(kept.encode())
    assert {path for path in PATHS if ours(top, path)} == {path for path in PATHS if judged(top, path)}


def test_the_list_in_the_git_directory_counts_least(top: Path) -> None:
    (top / ".git" / "info").mkdir(exist_ok=True)
    (top / ".git" / "info" / "exclude").write_text("*.o\nbuild\n")
    (top / ".gitignore").write_text("!a.o\n")
    assert [ours(top, path) for path in ("a.o", "b.o", "build/")] == [False, True, True]


@pytest.mark.parametrize("line", ["!a\\b", "![^a]", "![[:alpha:]]", "!//"])
def test_what_is_not_understood_takes_everything_back(top: Path, line: str) -> None:
    (top / ".gitignore").write_text(f"*.o\n{line}\n")
    assert not ours(top, "a.o")
    assert pattern_of(line[1:]) is None


def test_a_list_that_is_too_long_or_a_link_ignores_nothing(top: Path) -> None:
    (top / ".gitignore").write_text("*.o\n" * (PATTERNS_MAX + 1))
    assert not ours(top, "a.o")
    (top / ".gitignore").unlink()
    (top / "list").write_text("*.o\n")
    (top / ".gitignore").symlink_to("list")
    assert not ours(top, "a.o")


def test_hostile_patterns_take_no_time(top: Path) -> None:
    (top / ".gitignore").write_text("**/a*" * 20 + "c" + "\n" + "*a" * 100 + "c\n" + "/".join(["**"] * 60) + "/x\n")
    assert not ours(top, "/".join(["a" * 100] * 60))
