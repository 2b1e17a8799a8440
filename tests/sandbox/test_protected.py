"""Finding protected names on a real disk."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from sandgate.places.run_later import CLOSED_ENDINGS, CLOSED_NAMES
from sandgate.policy.effective import WorkspaceFacts, effective_permissions
from sandgate.protocol.permissions import WorkspaceWrite
from sandgate.sandbox import git_directories, mount_budget, protected
from sandgate.sandbox.closing import FoundProtected
from sandgate.sandbox.landlock import list_directory, rules_of
from sandgate.sandbox.looking import Look
from sandgate.sandbox.protected import (
    protected_in,
)
from sandgate.sandbox.protection import Protection
from sandgate.sandbox.view import mounts_of

EVERY_NAME = (".git", *CLOSED_NAMES)
CLOSED_PATTERNS = tuple(f"*{ending}" for ending in CLOSED_ENDINGS)
SPLIT = Protection(git="hooks-and-config")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    directory = tmp_path / "repo"
    directory.mkdir()
    return directory


def found_in(root: Path, protection: Protection = Protection()) -> FoundProtected:  # noqa: B008 - a frozen value
    return protected_in(str(root), protection, Look(), walk=True)


def relative(paths: tuple[str, ...], root: Path) -> set[str]:
    return {os.path.relpath(path, root) for path in paths}


def make_repository(at: Path) -> Path:
    git = at / ".git"
    for name in ("hooks", "info", "objects/info", "refs"):
        (git / name).mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "config").write_text("[core]\n")
    return git


def test_every_missing_name_is_reported_as_absent(root: Path) -> None:
    assert relative(found_in(root).absent, root) == {*EVERY_NAME, *CLOSED_PATTERNS, "HEAD"}


@pytest.mark.parametrize("name", EVERY_NAME)
@pytest.mark.parametrize("kind", ["file", "directory"])
@pytest.mark.parametrize("walk", [True, False])
def test_an_existing_name_is_protected(root: Path, name: str, kind: str, walk: bool) -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).mkdir() if kind == "directory" else (root / name).write_text("")
    found = protected_in(str(root), Protection(), Look(), walk=walk)
    assert found.protected == (str(root / name),)
    assert str(root / name) not in found.absent


@pytest.mark.parametrize("crowd", [0, 400])
def test_scratch_space_is_searched_whether_short_or_long(root: Path, crowd: int) -> None:
    for number in range(crowd):
        (root / f"a rather long name, so that the directory grows {number}").write_text("")
    (root / ".git").mkdir()
    found = protected_in(str(root), Protection(), Look(), walk=False)
    assert relative(found.protected, root) == {".git"}
    assert set(EVERY_NAME) - {".git"} <= relative(found.absent, root)


def test_optional_names_are_protected_when_asked_for(root: Path) -> None:
    (root / ".github" / "workflows").mkdir(parents=True)
    (root / ".npmrc").write_text("")
    asked = Protection(optional_names=(".npmrc", ".github/workflows", ".gitattributes"))
    assert found_in(root).protected == ()
    found = found_in(root, asked)
    assert relative(found.protected, root) == {".npmrc", ".github/workflows"}
    assert ".gitattributes" in relative(found.absent, root)


def test_a_configured_name_need_not_start_with_a_dot(root: Path) -> None:
    (root / "Makefile").write_text("")
    found = found_in(root, Protection(optional_names=("Makefile", "justfile")))
    assert relative(found.protected, root) == {"Makefile"}
    assert "justfile" in relative(found.absent, root)


def test_nested_repositories_are_found_to_the_third_level(root: Path) -> None:
    for place in ("a", "a/b", "a/b/c", "node_modules/x"):
        (root / place / ".git").mkdir(parents=True)
    assert relative(found_in(root).protected, root) == {"a/.git", "a/b/.git"}
    deeper = Protection(nested_depth=4)
    assert relative(found_in(root, deeper).protected, root) == {"a/.git", "a/b/.git", "a/b/c/.git"}


def test_scratch_space_is_not_walked(root: Path) -> None:
    (root / "a" / ".git").mkdir(parents=True)
    assert protected_in(str(root), Protection(), Look(), walk=False).protected == ()


def test_links_are_not_walked_into(root: Path, tmp_path: Path) -> None:
    (tmp_path / "other" / ".git").mkdir(parents=True)
    (root / "link").symlink_to(tmp_path / "other")
    assert found_in(root).protected == ()


def test_a_nested_repository_is_anchored(root: Path) -> None:
    (root / "sub" / ".git").mkdir(parents=True)
    assert found_in(root).anchored == (str(root / "sub" / ".git"),)


def test_directories_that_nobody_looked_into_are_closed(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protected, "DIRECTORIES_MAX", 2)
    for name in "abc":
        (root / name).mkdir()
    found = found_in(root)
    assert len(found.protected) == 1
    assert found.covered == found.protected


def test_a_directory_with_too_many_protected_names_is_closed_as_a_whole(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Required: whoever plants thousands of them neither stops all work nor gets one of them unprotected."""
    monkeypatch.setattr(mount_budget, "MOUNTS_MAX", 5)
    for number in range(8):
        (root / "crowd" / str(number) / ".envrc").mkdir(parents=True)
    (root / "few" / ".envrc").mkdir(parents=True)
    found = found_in(root)
    assert relative(found.protected, root) == {"crowd", "few/.envrc"}
    assert relative(found.covered, root) == {"crowd"}
    assert not found.overfull


def test_a_root_with_too_many_of_them_is_closed_but_for_what_is_clean(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mount_budget, "MOUNTS_MAX", 5)
    for number in range(8):
        (root / str(number) / ".envrc").mkdir(parents=True)
    (root / "src").mkdir()
    found = found_in(root)
    assert found.overfull
    assert relative(found.spared, root) == {"src"}
    facts = WorkspaceFacts(cwd=str(root), overfull=(str(root),), spared=found.spared)
    permissions = effective_permissions(WorkspaceWrite(exclude_slash_tmp=True, exclude_tmpdir_env_var=True), facts)
    assert str(root) in permissions.read_only
    assert relative(permissions.writable, root) == {"src"}
    rules = {rule.path: rule.kind for rule in rules_of(permissions, listing=list_directory)}
    assert rules.get(str(root)) != "write"
    assert rules[str(root / "src")] == "write"


# --- links ----------------------------------------------------------------------------------------------------


def test_a_protected_name_that_is_a_link_is_protected_with_its_target(root: Path) -> None:
    """Required: `.git -> decoy` is still `.git`."""
    (root / "decoy").mkdir()
    (root / ".git").symlink_to("decoy")
    assert relative(found_in(root).protected, root) == {".git", "decoy"}


def test_the_missing_target_of_a_protected_link_must_not_come_to_exist(root: Path) -> None:
    (root / ".claude").symlink_to("nowhere")
    found = found_in(root)
    assert relative(found.protected, root) == {".claude"}
    assert str(root / "nowhere") in found.absent


def test_a_link_further_down_is_pinned_and_closes_nothing_else(root: Path) -> None:
    """Required: any command can make one, and must not make the workspace read-only for the next."""
    for directory in ("a/b", "src", "fake"):
        (root / directory).mkdir(parents=True)
    (root / "a" / "b" / ".vscode").symlink_to("../../..")
    (root / "a" / "b" / ".idea").symlink_to("../../src")
    (root / "a" / "b" / ".git").symlink_to("../../src")
    (root / "a" / "b" / ".claude").symlink_to("../../nowhere")
    found = found_in(root)
    assert relative(found.protected, root) == {f"a/b/{name}" for name in (".vscode", ".idea", ".git", ".claude")}
    assert relative(found.absent, root) == {*EVERY_NAME, *CLOSED_PATTERNS, "HEAD"}


@pytest.mark.parametrize("target", [".", "..", "/"])
@pytest.mark.parametrize("name", [".git", ".vscode"])
@pytest.mark.parametrize("protection", [Protection(), SPLIT])
def test_no_link_closes_the_whole_root(root: Path, target: str, name: str, protection: Protection) -> None:
    (root / name).symlink_to(target)
    assert relative(found_in(root, protection).protected, root) == {name}


@pytest.mark.parametrize("name", [".git", ".vscode"])
def test_a_link_that_leads_nowhere_is_pinned(root: Path, name: str) -> None:
    """Required: `.vscode -> .vscode` is no error."""
    for place in (root, root / "sub"):
        place.mkdir(exist_ok=True)
        (place / name).symlink_to(name)
    (root / ".idea").symlink_to("x")
    (root / "x").symlink_to("y")
    (root / "y").symlink_to("x")
    assert relative(found_in(root).protected, root) == {name, f"sub/{name}", ".idea"}


@pytest.mark.parametrize(
    "content", ["gitdir: a\0b", "gitdir: .", "gitdir: ..", "gitdir: ../src", "gitdir: /", "gitdir: \udcff"]
)
@pytest.mark.parametrize("protection", [Protection(), SPLIT])
def test_a_planted_pointer_is_pinned_and_closes_nothing_else(root: Path, content: str, protection: Protection) -> None:
    """Required: any command can write one, and must not stop the next."""
    for directory in ("sub", "src"):
        (root / directory).mkdir()
    (root / "sub" / ".git").write_bytes(os.fsencode(content))
    assert relative(found_in(root, protection).protected, root) == {"sub/.git"}


@pytest.mark.parametrize("name", ["commondir", "gitdir"])
def test_bad_words_inside_a_git_directory_are_ignored(root: Path, name: str) -> None:
    git = make_repository(root / "real")
    (git / name).write_text("a\0b")
    (root / ".git").write_text("gitdir: real/.git\n")
    assert relative(found_in(root, SPLIT).protected, root) >= {".git", "real/.git/hooks", "real/.git/config"}


def test_many_submodules_take_time_in_proportion(root: Path) -> None:
    """Required: a command can make them by the thousand. Measured in steps, not in seconds."""

    def steps(modules: int) -> int:
        for number in range(modules):
            module = root / ".git" / "modules" / str(number)
            if not module.exists():
                for name in ("objects", "refs", "hooks"):
                    (module / name).mkdir(parents=True)
                (module / "HEAD").write_text("")
        found = found_in(root, SPLIT)
        facts = WorkspaceFacts(cwd=str(root), protected=found.protected, absent=found.absent, anchored=found.anchored)
        calls = 0

        def count(_frame: object, event: str, _argument: object) -> None:
            nonlocal calls
            calls += event in ("call", "c_call")

        sys.setprofile(count)
        try:
            permissions = effective_permissions(WorkspaceWrite(), facts)
            mounts_of(permissions, is_directory=lambda _path: True)
            rules_of(permissions, listing=lambda _path: ())
        finally:
            sys.setprofile(None)
        return calls

    make_repository(root)
    small, large = steps(20), steps(160)
    assert large < 12 * small


def test_more_submodules_than_we_look_into_are_closed_as_a_whole(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Required: a plan has a size, and no command may make the plan of the next too large."""
    monkeypatch.setattr(git_directories, "GIT_DIRECTORIES_MAX", 3)
    git = make_repository(root)
    for number in range(4):
        (git / "modules" / str(number)).mkdir(parents=True)
    (root / "sub" / ".git").mkdir(parents=True)
    found = found_in(root, SPLIT)
    assert relative(found.protected, root) == {".git/hooks", ".git/config", ".git/modules", "sub/.git"}


@pytest.mark.parametrize("place", ["info", "objects", "modules", "worktrees"])
def test_a_link_on_the_way_to_git_code_is_pinned_itself(root: Path, place: str) -> None:
    """Required: a mount below a link would land elsewhere or fail for good."""
    for directory in ("sub/.git", "elsewhere/info"):
        (root / directory).mkdir(parents=True)
    (root / "sub" / ".git" / place).symlink_to("../../elsewhere")
    found = found_in(root, SPLIT)
    assert relative(found.protected, root) == {f"sub/.git/{place}"}
    assert not any(path.startswith(f"{root}/sub/.git/{place}/") for path in (*found.absent, *found.anchored))


def test_hooks_and_plain_files_are_checked_for_other_names(root: Path) -> None:
    git = make_repository(root)
    for name in ("pre-commit", "pre-push.sample"):
        (git / "hooks" / name).write_text("")
        os.link(git / "hooks" / name, root / f"alias-{name}")
    (root / ".bashrc").write_text("")
    os.link(root / ".bashrc", root / "alias-bashrc")
    assert relative(found_in(root).linked, root) == {".git/hooks/pre-commit", ".bashrc"}


# --- git ------------------------------------------------------------------------------------------------------


def test_a_pointer_file_protects_itself_and_what_it_names(root: Path, tmp_path: Path) -> None:
    main = make_repository(tmp_path / "main")
    worktree = main / "worktrees" / "w"
    worktree.mkdir(parents=True)
    (worktree / "commondir").write_text("../..\n")
    (root / ".git").write_text(f"gitdir: {worktree}\n")
    assert set(found_in(root).protected) == {str(root / ".git"), str(worktree), str(main)}


@pytest.mark.parametrize("content", ["", "gitdir", "gitdir:", "gitdir: ../gone\n", "something else\n"])
def test_a_bad_pointer_file_is_protected_and_otherwise_ignored(root: Path, content: str) -> None:
    (root / ".git").write_text(content)
    assert found_in(root).protected == (str(root / ".git"),)


def test_a_bare_repository_as_root_is_closed_as_a_whole(root: Path) -> None:
    make_repository(root)
    bare = root / ".git"
    found = protected_in(str(bare), Protection(), Look(), walk=True)
    assert str(bare) in found.protected
    assert {str(bare / "hooks"), str(bare / "config")} <= set(found.protected)


def test_the_split_form_leaves_commits_possible_and_code_closed(root: Path) -> None:
    git = make_repository(root)
    module = git / "modules" / "lib"
    for name in ("hooks", "objects", "refs"):
        (module / name).mkdir(parents=True)
    (module / "HEAD").write_text("")
    (module / "config").write_text("")
    (git / "worktrees" / "w").mkdir(parents=True)
    (git / "worktrees" / "w" / "gitdir").write_text("")
    found = found_in(root, SPLIT)
    assert relative(found.protected, git) == {
        "hooks",
        "config",
        "modules/lib/hooks",
        "modules/lib/config",
        "worktrees/w/gitdir",
    }
    assert {"config.worktree", "commondir", "info/attributes", "objects/info/alternates"} <= relative(found.absent, git)


def test_the_split_form_names_missing_parents_too(root: Path) -> None:
    """Required: a prepared `info/` must not be moved into place."""
    make_repository(root)
    (root / ".git" / "info").rmdir()
    assert {"info", "info/attributes"} <= relative(found_in(root, SPLIT).absent, root / ".git")


@pytest.mark.parametrize("points_back", [True, False])
def test_a_linked_worktree_opens_its_repository_only_when_both_agree(
    root: Path, tmp_path: Path, points_back: bool
) -> None:
    """Required: anybody can write a `.git` file that names somebody else's directory."""
    main = make_repository(tmp_path / "main")
    worktree = main / "worktrees" / "w"
    worktree.mkdir(parents=True)
    (worktree / "commondir").write_text("../..\n")
    (worktree / "gitdir").write_text(str(root / ".git") if points_back else "/elsewhere/.git")
    (root / ".git").write_text(f"gitdir: {worktree}\n")
    assert found_in(root, SPLIT).companions == ((str(worktree), str(main)) if points_back else ())


# --- file systems that ignore case ----------------------------------------------------------------------------


@pytest.fixture
def folding(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every name has the same file as its other-case twin, as on a case-insensitive file system."""
    monkeypatch.setattr(Look, "is_same_file", lambda _look, one, other: one.lower() == other.lower())


@pytest.mark.usefixtures("folding")
@pytest.mark.parametrize("written", [".Git", ".cUrSoR", ".MCP.json", ".g\u200cit"])
def test_case_variants_are_the_protected_name_where_case_is_ignored(root: Path, written: str) -> None:
    (root / "readme").write_text("")
    (root / written).mkdir()
    found = found_in(root)
    assert found.ignores_case
    assert found.protected == (str(root / written),)


@pytest.mark.usefixtures("folding")
def test_case_variants_deeper_down_are_found_too(root: Path) -> None:
    (root / "sub" / ".GIT").mkdir(parents=True)
    assert relative(found_in(root).protected, root) == {"sub/.GIT"}


@pytest.mark.parametrize("written", [".Git", ".Vscode", ".CODEX", "OpenCode.json", "X.Code-Workspace"])
def test_one_directory_may_ignore_case_below_others_that_do_not(
    root: Path, monkeypatch: pytest.MonkeyPatch, written: str
) -> None:
    """As ext4 has it with `chattr +F`: for one directory and what is made in it."""
    folding = str(root / "sub") + "/"
    for place in (root / "plain", root / "sub"):
        (place / written).mkdir(parents=True)
    (root / "sub" / "readme").write_text("")
    monkeypatch.setattr(
        Look,
        "is_same_file",
        lambda _look, one, other: one.startswith(folding) and one.lower() == other.lower(),
    )
    found = found_in(root)
    assert f"sub/{written}" in relative(found.protected, root)
    assert f"plain/{written}" not in relative(found.protected, root) or written.startswith("X.")
    assert found.ignores_case


def test_case_variants_are_other_names_where_case_counts(root: Path) -> None:
    (root / ".Git").mkdir()
    found = found_in(root)
    assert (found.protected, found.ignores_case) == ((), False)
