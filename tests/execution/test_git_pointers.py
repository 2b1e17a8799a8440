"""Where the `.git` file of a submodule or a linked worktree may lead."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandgate.execution.git_pointers import is_sound


@pytest.fixture
def git(tmp_path: Path) -> Path:
    """A git directory with a submodule and a linked worktree; beside it a repository that anybody may have made."""
    for directory in ("repo/.git/modules/lib", "repo/.git/worktrees/wt", "repo/evil/.git"):
        (tmp_path / directory).mkdir(parents=True)
        (tmp_path / directory / "HEAD").touch()
    (tmp_path / "repo/lib").mkdir()
    return tmp_path / "repo/.git"


def judged(git: Path, content: str) -> bool:
    pointer = git.parent / "lib/.git"
    pointer.write_text(content)
    return is_sound(str(pointer), (str(git),), (str(git.parent),))


@pytest.mark.parametrize("leads", ["../.git/modules/lib", "{git}/modules/lib", "{git}/worktrees/wt"])
def test_into_a_git_directory_of_the_workspace(git: Path, leads: str) -> None:
    assert judged(git, f"gitdir: {leads.format(git=git)}\n")


@pytest.mark.parametrize(
    "content",
    [
        "gitdir: ../evil/.git\n",
        "gitdir: ../.git\n",
        "gitdir: ../.git/modules/none\n",
        "gitdir: ../.git/modules/../../evil/.git\n",
        "gitdir: ../.git/modules/link\n",
        "gitdir: ../evil/.git\0/../../.git/modules/lib\n",
        "gitdir: ../evil/link/../.git/modules/lib\n",
        "gitdir: ./../.git/modules/lib\n",
        "gitdir: ../.git/modules/lib\r\n",
        "gitdir: ../.git/modules/lib\ngitdir: ../evil/.git\n",
        "",
    ],
)
def test_nowhere_else(git: Path, content: str) -> None:
    (git / "modules/link").symlink_to(git.parent / "evil/.git")
    assert not judged(git, content)


def test_it_is_a_file_with_one_name(git: Path) -> None:
    """Required: through another one, a command could change it later."""
    assert judged(git, "gitdir: ../.git/modules/lib\n")
    pointer = git.parent / "lib/.git"
    (git.parent / "other").hardlink_to(pointer)
    assert not is_sound(str(pointer), (str(git),), (str(git.parent),))
    pointer.unlink()
    pointer.symlink_to(git / "modules/lib")
    assert not is_sound(str(pointer), (str(git),), (str(git.parent),))


def test_a_directory_that_was_made_for_one(git: Path) -> None:
    place, pointer = git.parent / "lib", git.parent / "lib/.git"
    assert is_sound(str(place), (str(git),), (str(git.parent),), (str(pointer),))
    assert judged(git, "gitdir: ../.git/modules/lib\n")
    assert is_sound(str(place), (str(git),), (str(git.parent),), (str(pointer),))
    assert not judged(git, "gitdir: ../evil/.git\n")
    assert not is_sound(str(place), (str(git),), (str(git.parent),), (str(pointer),))
    pointer.unlink()
    (place / "HEAD").touch()
    assert not is_sound(str(place), (str(git),), (str(git.parent),), (str(pointer),))
    assert not is_sound(str(git.parent / "evil"), (str(git),), (str(git.parent),), (str(pointer),))


def test_the_way_to_it_has_no_links(git: Path) -> None:
    """Required: `..` counts from where a link leads, and the same words lead elsewhere."""
    (git.parent / "evil/lib").mkdir()
    (git.parent / "lib").rmdir()
    (git.parent / "lib").symlink_to("evil/lib")
    assert not judged(git, "gitdir: ../.git/modules/lib\n")


@pytest.mark.parametrize(
    ("repositories", "is_believed"),
    [
        (["repo/.git"], True),
        (["repo/a/.git"], True),  # the only one on the way
        (["repo/a/.git", "repo/beside/.git"], True),
        (["repo/beside/.git"], False),
        (["repo/a/.git", "repo/a/libs/.git"], False),  # one of them may be a command's
        (["repo/.git", "repo/a/.git"], False),
        (["outside/.git"], True),  # of a linked worktree
    ],
)
def test_a_repository_that_a_command_may_have_made_is_none(
    tmp_path: Path, repositories: list[str], is_believed: bool
) -> None:
    """Required: what was in it before it got a draft, nobody has looked at."""
    for git in repositories:
        (tmp_path / git / "modules/lib").mkdir(parents=True)
        (tmp_path / git / "modules/lib/HEAD").touch()
    lib = tmp_path / "repo/a/libs/lib"
    lib.mkdir(parents=True)
    leads = repositories[0] if is_believed else repositories[-1]
    (lib / ".git").write_text(f"gitdir: {tmp_path / leads / 'modules/lib'}\n")
    drafts = [str(tmp_path / git) for git in repositories]
    assert is_sound(str(lib / ".git"), drafts, (str(tmp_path / "repo"),)) == is_believed
