"""What is closed because a repository names it. The attacks are in tests/escapes/test_planted_repositories.py."""

from __future__ import annotations

import cProfile
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from sandgate.sandbox import git_config, git_reach
from sandgate.sandbox.closing import FoundProtected, Repository
from sandgate.sandbox.git_reach import reached
from sandgate.sandbox.looking import Look

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git makes the repositories")

COMMIT = "ab" * 20


@pytest.fixture(autouse=True)
def no_system_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_config, "SYSTEM", "/nowhere/gitconfig")


def git(at: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(at), *words], check=True, capture_output=True)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    directory = tmp_path / "repo"
    directory.mkdir()
    git(directory, "init", "-q")
    return directory


def add_gitlink(root: Path, at: str) -> None:
    git(root, "update-index", "--add", "--cacheinfo", f"160000,{COMMIT},{at}")


def reach(root: Path, *, trusted: bool = True, home: Path | None = None) -> FoundProtected:
    repository = Repository(str(root), str(root / ".git"), str(root / ".git"), trusted)
    homes = (str(home),) if home else ()
    return reached((str(root),), (repository,), "all", homes, Look())


def relative(paths: tuple[str, ...], root: Path) -> set[str]:
    return {os.path.relpath(path, root) for path in paths}


def test_an_empty_submodule_takes_no_git_directory(root: Path) -> None:
    add_gitlink(root, "a/b/c/d/sub")
    (root / "a/b/c/d/sub").mkdir(parents=True)
    found = reach(root)
    assert relative(found.absent, root) == {"a/b/c/d/sub/.git", "a/b/c/d/sub/HEAD"}
    assert set(found.anchored) == set(found.absent)


def test_a_file_called_head_where_a_submodule_belongs_stays_its_owners(root: Path) -> None:
    """Required: what is noted as absent is moved away after the command."""
    add_gitlink(root, "sub")
    (root / "sub").mkdir()
    (root / "sub/HEAD").write_text("ref: refs/heads/main\n")
    found = reach(root)
    assert relative(found.absent, root) == {"sub/.git", "sub/commondir", "sub/objects", "sub/refs"}


def test_nor_one_whose_directory_is_missing(root: Path) -> None:
    add_gitlink(root, "sub")
    assert relative(reach(root).absent, root) == {"sub", "sub/.git"}


def test_nothing_that_is_missing_is_pinned(root: Path) -> None:
    """Required: a plan that mounts on what does not exist fails, and with it every command."""
    add_gitlink(root, "a/b/c/sub")
    found = reach(root)
    assert relative(found.absent, root) == {"a/b/c/sub/.git"}
    assert found.anchored == ()


def test_a_link_on_the_way_is_not_followed(root: Path) -> None:
    add_gitlink(root, "a/sub")
    (root / "other/sub").mkdir(parents=True)
    (root / "a").symlink_to("other")
    found = reach(root)
    assert relative(found.absent, root) == {"a/sub/.git"}
    assert found.anchored == ()


@pytest.mark.parametrize("path", ["../out", "/etc", ".", "", "a/../../b"])
def test_gitmodules_names_nothing_outside(root: Path, path: str) -> None:
    (root / ".gitmodules").write_text(f'[submodule "x"]\n\tpath = {path}\n')
    assert reach(root).absent == ()


def test_gitmodules_counts_beside_the_index(root: Path) -> None:
    """Required: a sparse index does not tell what lies below a directory that is not checked out."""
    (root / ".gitmodules").write_text('[submodule "x"]\n\tpath = vendor/x\n')
    (root / "vendor/x").mkdir(parents=True)
    assert "vendor/x/.git" in relative(reach(root).absent, root)


def test_a_fetched_submodule_is_closed_and_followed(root: Path) -> None:
    add_gitlink(root, "v/e/r/y/deep")
    inner = root / "v/e/r/y/deep"
    inner.mkdir(parents=True)
    git(inner, "init", "-q")
    add_gitlink(inner, "inner")
    (inner / "inner").mkdir()
    found = reach(root)
    assert "v/e/r/y/deep/.git" in relative(found.protected, root)
    assert "v/e/r/y/deep/inner/.git" in relative(found.absent, root)


SETTINGS = [
    ("core.hooksPath", "hooks"),
    ("core.attributesFile", "attributes"),
    ("init.templateDir", "template"),
    ("include.path", "../settings"),
    ("includeIf.gitdir:/x/.path", "../settings"),
    ("filter.x.clean", "python3 tools/clean.py"),
    ("filter.x.process", "tools/clean.py"),
    ("diff.x.textconv", "tools/clean.py"),
    ("diff.x.command", "./tools/clean.py"),
    ("merge.x.driver", "tools/clean.py %O %A"),
    ("core.fsmonitor", "tools/clean.py"),
    ("core.sshCommand", "tools/clean.py -v"),
    ("alias.x", "!tools/clean.py"),
    ("credential.helper", "!tools/clean.py"),
    ("gpg.program", "tools/clean.py"),
    ("mergetool.x.cmd", "tools/clean.py"),
    ("trailer.x.command", "tools/clean.py"),
    ("pager.log", "tools/clean.py"),
]
TARGETS = {"hooks", "attributes", "template", "settings", "tools/clean.py"}


@pytest.mark.parametrize("exists", [True, False])
@pytest.mark.parametrize("scope", ["--local", "--global"])
@pytest.mark.parametrize(("key", "value"), SETTINGS)
def test_what_settings_name_in_the_workspace_is_closed(
    root: Path, tmp_path: Path, key: str, value: str, scope: str, exists: bool
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (root / "tools").mkdir()
    if scope == "--global":
        value = value.replace("../settings", str(root / "settings"))
        git(root, "config", "--file", str(home / ".gitconfig"), key, value)
    else:
        git(root, "config", key, value)
    if exists:
        for name in ("hooks", "template"):
            (root / name).mkdir()
        for name in ("attributes", "settings", "tools/clean.py"):
            (root / name).write_text("")
    found = reach(root, home=home)
    closed = relative(found.protected if exists else found.absent, root)
    assert closed & TARGETS
    assert len(closed) == 1


def test_a_repository_that_a_command_may_have_made_closes_nothing_outside_itself(root: Path) -> None:
    nested = root / "nested"
    nested.mkdir()
    git(nested, "init", "-q")
    (root / "src").mkdir()
    for key, value in (("core.hooksPath", str(root / "src")), ("include.path", "../../src/x"), ("core.pager", "./p")):
        git(nested, "config", key, value)
    repository = Repository(str(nested), str(nested / ".git"), str(nested / ".git"), False)
    found = reached((str(root),), (repository,), "all", (), Look())
    assert (found.protected, relative(found.absent, root)) == ((), {"nested/p"})


def test_hooks_in_the_root_itself_are_closed_by_name(root: Path) -> None:
    git(root, "config", "core.hooksPath", ".")
    (root / "pre-commit").write_text("")
    found = reach(root)
    assert relative(found.protected, root) == {"pre-commit"}
    assert "post-checkout" in relative(found.absent, root)


def test_where_objects_are_borrowed_from_is_closed(root: Path) -> None:
    (root / "mirror/objects").mkdir(parents=True)
    (root / ".git/objects/info/alternates").write_text(f"{root}/mirror/objects\n../../gone\n")
    found = reach(root)
    assert relative(found.protected, root) == {"mirror/objects"}
    assert relative(found.absent, root) == {"gone"}


def test_the_repository_around_a_workspace_counts(root: Path) -> None:
    add_gitlink(root, "work/a/b/c/d/sub")
    (root / "work/a/b/c/d/sub").mkdir(parents=True)
    found = reached((str(root / "work"),), (), "all", (), Look())
    assert "a/b/c/d/sub/.git" in relative(found.absent, root / "work")


def test_a_huge_index_is_told_and_gitmodules_read_instead(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_reach, "INDEX_BYTES_MAX", 50)
    add_gitlink(root, "sub")
    add_gitlink(root, "other")
    (root / ".gitmodules").write_text('[submodule "x"]\n\tpath = sub\n')
    found = reach(root)
    assert relative(found.absent, root) == {"sub", "sub/.git"}
    assert "index` is larger than" in found.notes[0]


@pytest.mark.parametrize("limit", ["SUBMODULES_MAX", "REPOSITORIES_MAX"])
def test_more_than_is_looked_at_is_told(root: Path, monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    add_gitlink(root, "sub")
    monkeypatch.setattr(git_reach, limit, 0)
    assert len(reach(root).notes) == 1


def test_a_workspace_without_a_repository_has_nothing(tmp_path: Path) -> None:
    assert reached((str(tmp_path),), (), "all", (), Look()) == FoundProtected()


@pytest.mark.parametrize("workspace", [".", "sub"])
def test_planted_repositories_crowd_out_none_that_is_trusted(
    root: Path, monkeypatch: pytest.MonkeyPatch, workspace: str
) -> None:
    """Required: also the repository around the workspace, which is found last."""
    monkeypatch.setattr(git_reach, "REPOSITORIES_MAX", 2)
    add_gitlink(root, "sub/lib")
    (root / "sub/lib").mkdir(parents=True)
    at = root / workspace
    planted = []
    for name in ("a", "b", "c", "d"):
        (at / name).mkdir()
        git(at / name, "init", "-q")
        planted.append(Repository(f"{at}/{name}", f"{at}/{name}/.git", f"{at}/{name}/.git", False))
    own = [] if workspace == "sub" else [Repository(str(root), str(root / ".git"), str(root / ".git"), True)]
    found = reached((str(at),), (*planted, *own), "all", (), Look())
    assert "sub/lib/.git" in relative(found.absent, root)
    assert found.notes


def test_indexes_and_settings_of_unusual_size_are_not_all_read(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add_gitlink(root, "lib")
    (root / "lib").mkdir()
    assert "lib/.git" in relative(reach(root, trusted=False).absent, root)
    monkeypatch.setattr(git_reach, "UNTRUSTED_INDEX_BYTES_MAX", 1)
    found = reach(root, trusted=False)
    assert (found.absent, len(found.notes)) == ((), 1)
    assert "lib/.git" in relative(reach(root, trusted=True).absent, root)


def test_settings_that_name_a_crowd_of_places_close_no_more_than_a_view_takes(root: Path) -> None:
    """Required: of a plan with more names than the helper takes no command would start."""
    text = "[core]\n\tfsmonitor = " + " ".join(f"./w{number}" for number in range(50_000)) + "\n"
    (root / ".git/config").write_text(text)
    assert len(reach(root, trusted=False).absent) <= git_reach.UNTRUSTED_NAMED_MAX
    (root / ".git/config").write_text("[core]\n\tfsmonitor = ./w0\n")
    assert relative(reach(root, trusted=False).absent, root) == {"w0"}


def reach_calls(root: Path, links: list[str]) -> tuple[FoundProtected, int]:
    """What a repository with these submodules closes that a command may have made, and the calls that takes."""
    lines = "".join(f"160000 {COMMIT} 0\t{link}\n" for link in links)
    subprocess.run(["git", "-C", root, "update-index", "--index-info"], input=lines.encode(), check=True)
    profile = cProfile.Profile()
    found: FoundProtected = profile.runcall(reach, root, trusted=False)
    return found, sum(entry.callcount for entry in profile.getstats())


CALLS_MAX = 1_000_000  # of one search; 4.8 million took 2 s


@pytest.mark.parametrize("deep", [1_900, git_reach.UNTRUSTED_PARTS_MAX])
def test_submodules_at_the_end_of_long_ways_are_not_looked_for_without_end(root: Path, deep: int) -> None:
    """Required: each part of each way is looked at, and an index of some megabytes names millions of them."""
    links = [f"{number}/" + "a/" * (deep - 2) + "x" for number in range(git_reach.SUBMODULES_MAX - 1)]
    found, made = reach_calls(root, ["sub/lib", *links])
    assert made <= CALLS_MAX
    assert len(found.absent) <= git_reach.UNTRUSTED_ALL_PARTS_MAX
    assert bool(found.notes) == (deep <= git_reach.UNTRUSTED_PARTS_MAX), "what is given up is said"


def test_ordinary_submodules_of_such_a_repository_are_all_followed(root: Path) -> None:
    links = [f"libs/group/{number}" for number in range(500)]
    for link in links:
        (root / link).mkdir(parents=True)
    found, _ = reach_calls(root, links)
    assert not found.notes
    assert {f"{link}/.git" for link in links} <= relative(found.absent, root)
