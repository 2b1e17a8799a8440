"""Names in a git directory, as a command left them."""

import pytest

from sandgate.places.git_draft import innermost, is_ref_name, kind_of
from support.suite.rows import every

HASH = "0123456789abcdef0123456789abcdef01234567"
KINDS = {
    f"objects/{HASH[:2]}/{HASH[2:]}": "object",
    f"objects/pack/pack-{HASH}.pack": "pack",
    f"objects/pack/pack-{HASH}.idx": "pack",
    "HEAD": "ref",
    "ORIG_HEAD": "ref",
    "MERGE_HEAD": "refs",
    "refs/heads/a/b": "ref",
    "packed-refs": "packed",
    "logs/HEAD": "log",
    "logs/refs/heads/a": "log",
    "index": "index",
    f"sharedindex.{HASH}": "index",
    "config": "config",
    "COMMIT_EDITMSG": "text",
    "info/exclude": "text",
    "BISECT_NAMES": "blank",
    "rebase-merge/git-rebase-todo": "steps",
    "sequencer/todo": "steps",
    "rebase-merge/author-script": "author",
    "rebase-merge/strategy": "strategy",
    "rebase-merge/onto": "text",
    "rebase-apply/apply-opt": "blank",
    "modules/a/b/config": "config",
    "config.worktree": "config",
    "worktrees/w/config.worktree": "config",
    "modules/a/worktrees/w/gitdir": "home",
    "modules/a/refs/heads/x": "ref",
    "worktrees/w/HEAD": "ref",
    "worktrees/w/index": "index",
    "worktrees/w/commondir": "shared",
}
SCRATCH = (
    "index.lock",
    "objects/pack/tmp_pack_x",
    "hooks/pre-commit.sample",
    "gc.pid",
    "objects/pack/multi-pack-index",
)
NEVER = (
    *(
        "hooks/pre-commit",
        "hooks",
        "info/attributes",
        "objects/info/alternates",
        "commondir",
        "gitdir",
    ),
    *("remotes/x", "branches/x", "refs/heads/..", "refs/heads/a b", "refs/../config", "modules/a/hooks/pre-push"),
    *(
        "worktrees/w/config",
        "worktrees/w/refs/heads/x",
        "worktrees/w/hooks/x",
        "unknown",
    ),
    *(
        "modules/a/commondir",
        "modules/a/remotes/description",  # no submodule `a/remotes`
        "modules/a/branches/locked",
        "rebase-merge/../config",
        "rebase-merge/a/b",
        "logs/x",
        "objects/aa/bb",
        "modules/a/unknown",
    ),
)


@every("path", KINDS)
def test_what_git_writes_has_a_kind(path: str) -> None:
    assert kind_of(path) == KINDS[path]


@pytest.mark.parametrize("path", SCRATCH)
def test_what_git_makes_again_is_scratch(path: str) -> None:
    assert kind_of(path) == "scratch"


@every("path", NEVER)
def test_code_and_unknown_names_have_none(path: str) -> None:
    """Required: what has no kind is never carried over."""
    assert kind_of(path) is None


def test_submodules_and_worktrees_have_directories_of_their_own() -> None:
    assert innermost("modules/a/b/refs/heads/x") == ("modules/a/b", "refs/heads/x", False)
    assert innermost("modules/a/modules/b/HEAD") == ("modules/a/modules/b", "HEAD", False)
    assert innermost("modules/a/worktrees/w/HEAD") == ("modules/a/worktrees/w", "HEAD", True)
    assert innermost("config") == ("", "config", False)


@pytest.mark.parametrize("name", ["refs/heads/x", "refs/tags/v1.0", "refs/stash"])
def test_references_have_names(name: str) -> None:
    assert is_ref_name(name)


@pytest.mark.parametrize(
    "name", ["heads/x", "refs/heads/.x", "refs/heads/x.lock", "refs/x@{1}", "refs/a//b", "refs/a/"]
)
def test_other_names_are_none(name: str) -> None:
    assert not is_ref_name(name)
