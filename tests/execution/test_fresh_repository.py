"""What `git init` makes is fresh, and with any one order in it it is not."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from sandgate.execution.fresh_repository import CONFIG_BYTES_MAX, ENTRIES_MAX, is_fresh


@pytest.fixture
def git(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True, timeout=30)
    return tmp_path / ".git"


def test_what_git_makes_is_fresh_also_with_a_commit_and_an_author(git: Path) -> None:
    assert is_fresh(str(git))
    for words in (
        ("config", "user.name", "x y"),
        ("config", "user.email", "x@y"),
        ("commit", "-qm", "x", "--allow-empty"),
    ):
        subprocess.run(["git", *words], cwd=git.parent, check=True, timeout=30)
    assert is_fresh(str(git))


def test_what_is_not_there_holds_no_orders(tmp_path: Path) -> None:
    assert is_fresh(str(tmp_path / ".git"))


def _appended(text: str) -> Callable[[Path], object]:
    return lambda git: (git / "config").write_text((git / "config").read_text() + text)


def _replaced_by_link(name: str) -> Callable[[Path], object]:
    def replace(git: Path) -> None:
        (git / name).rename(git / "moved")
        (git / name).symlink_to(git / "moved")

    return replace


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda git: (git / "hooks/pre-commit").write_text("evil"), id="hook"),
        pytest.param(
            lambda git: [(git / f"hooks/{number}.sample").touch() for number in range(ENTRIES_MAX + 1)], id="many hooks"
        ),
        pytest.param(_appended("\tfsmonitor = evil\n"), id="key of core"),
        pytest.param(_appended("[core] fsmonitor = evil\n"), id="key beside its section"),
        pytest.param(_appended("\tfilemode = true\\\n"), id="value that goes on"),
        pytest.param(_appended('[filter "x"]\n\tsmudge = evil\n'), id="section"),
        pytest.param(_appended("[include]\n\tpath = evil\n"), id="include"),
        pytest.param(_appended("# x\n" * CONFIG_BYTES_MAX), id="long config"),
        pytest.param(lambda git: (git / "config").unlink(), id="no config"),
        pytest.param(_replaced_by_link("config"), id="config elsewhere"),
        pytest.param(_replaced_by_link("hooks"), id="hooks elsewhere"),
        pytest.param(_replaced_by_link("objects"), id="objects elsewhere"),
        pytest.param(lambda git: (git / "config.worktree").write_text(""), id="config of a worktree"),
        pytest.param(lambda git: (git / "commondir").write_text("evil"), id="another directory"),
        pytest.param(lambda git: (git / "info/attributes").write_text("* filter=x"), id="attributes"),
        pytest.param(lambda git: (git / "objects/info/alternates").write_text("/evil"), id="alternates"),
        pytest.param(lambda git: (git / "modules/evil").mkdir(parents=True), id="module"),
        pytest.param(lambda git: (git / "worktrees").write_text("evil"), id="worktrees"),
        pytest.param(lambda git: (git / "rebase-merge").mkdir(), id="rebase"),
    ],
)
def test_one_order_is_enough(git: Path, change: Callable[[Path], object]) -> None:
    change(git)
    assert not is_fresh(str(git))


def test_a_link_or_a_file_is_not_fresh(git: Path) -> None:
    link, file = git.parent / "link", git.parent / "file"
    link.symlink_to(git)
    file.write_text("gitdir: x")
    assert not is_fresh(str(link))
    assert not is_fresh(str(file))
