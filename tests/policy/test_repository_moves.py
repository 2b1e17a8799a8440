"""Which lines move submodules and linked worktrees, and what stands in their way."""

from __future__ import annotations

import pytest

from sandgate.policy.repository_moves import NOTHING, Moves, lifted, moves_of
from sandgate.protocol.permissions import EffectivePermissions

LINES = {
    "git worktree remove wt": Moves(("/w/wt",)),
    "git worktree remove --force ../w/wt": Moves(("/w/wt",)),
    "git worktree move wt new": Moves(("/w/wt",)),
    "git mv lib new": Moves(("/w/lib",)),
    "git rm -rf lib v/other": Moves(("/w/lib", "/w/v/other")),
    "git submodule deinit -f --all": Moves(takes_all=True),
    "git submodule deinit -f lib": Moves(("/w/lib",)),
    "git submodule --quiet deinit -f lib": Moves(("/w/lib",)),
    "git submodule update --init --depth 1 lib": Moves(fetches=True),
    "git -C v -c protocol.file.allow=always submodule update": Moves(fetches=True),
    "cd v && git rm lib && git status": Moves(("/w/v/lib",)),
    "git submodule init && git submodule update --jobs=4": Moves(fetches=True),
}
OTHERS = (
    "git submodule foreach make",
    "git submodule update --init && make",
    "git submodule update --reference x",
    "git -c core.fsmonitor=x submodule update",
    "git -c submodule.lib.update=!x submodule update",
    "GIT_EXEC_PATH=x git submodule update",
    "./git submodule update",
    "git rm --pathspec-from-file=x",
    "git worktree add wt",
    "git submodule update --init && git commit -m x",
    "git submodule update $(x)",
    "git submodule update > x | tee",
    "rm -rf lib",
    "cd - && git rm lib",
)


def no_directory(_path: str) -> bool:
    return False


REPOSITORY = EffectivePermissions(
    writable=("/w", "/w/v", "/w/v/lib", "/w/wt", "/w/here"),
    pinned=("/w/v", "/w/v/lib", "/w/wt", "/w/here"),
    read_only=("/w/.git", "/w/wt/.git", "/w/wt/.envrc", "/w/v/lib/.git", "/w/.envrc"),
    absent=("/w/.vscode", "/w/here/.git", "/w/here/HEAD", "/w/gone/.git", "/w/gone"),
    drafts=("/w/.git",),
)


@pytest.mark.parametrize("line", LINES)
def test_lines_of_nothing_but_git(line: str) -> None:
    assert moves_of(("bash", "-lc", line), "/w") == LINES[line]
    if "&&" not in line:
        assert moves_of(tuple(line.split()), "/w") == LINES[line]


@pytest.mark.parametrize("line", OTHERS)
def test_lines_that_may_run_something_else(line: str) -> None:
    assert moves_of(("bash", "-c", line), "/w") == NOTHING


def test_a_shell_from_anywhere_is_none() -> None:
    assert moves_of(("./bash", "-c", "git submodule update"), "/w") == NOTHING


def test_what_is_taken_is_free_with_all_it_holds() -> None:
    opened = lifted(REPOSITORY, Moves(("/w/wt",)), no_directory)
    assert opened.lifted == ("/w/wt/.git", "/w/wt/.envrc")
    assert opened.read_only == ("/w/.git", "/w/v/lib/.git", "/w/.envrc")
    assert (opened.writable, opened.pinned) == (("/w", "/w/v", "/w/v/lib", "/w/here"), ("/w/v", "/w/v/lib", "/w/here"))
    assert opened.absent == REPOSITORY.absent


def test_a_directory_that_holds_one_goes_with_it() -> None:
    opened = lifted(REPOSITORY, Moves(("/w/v",)), no_directory)
    assert opened.lifted == ("/w/v/lib/.git",)
    assert opened.pinned == ("/w/wt", "/w/here")


def test_what_is_fetched_gets_its_name_and_no_more() -> None:
    opened = lifted(REPOSITORY, Moves(fetches=True), no_directory)
    assert opened.lifted == ("/w/here/.git", "/w/gone/.git", "/w/gone")
    assert opened.absent == ("/w/.vscode", "/w/here/HEAD")
    assert (opened.read_only, opened.pinned) == (REPOSITORY.read_only, REPOSITORY.pinned)


@pytest.mark.parametrize("path", ["/w", "/", "/w/.git", "/w/.git/hooks", "/elsewhere", "/w/plain"])
def test_nothing_else_is_opened(path: str) -> None:
    assert lifted(REPOSITORY, Moves((path,)), no_directory).read_only[0] == "/w/.git"
    assert "/w/.envrc" in lifted(REPOSITORY, Moves((path,)), no_directory).read_only
    assert "/w/.vscode" in lifted(REPOSITORY, Moves((path,)), no_directory).absent


def test_a_whole_git_directory_stays_closed() -> None:
    """Required: what it says was never judged, and git takes none away."""
    opened = lifted(REPOSITORY, Moves(("/w/v", "/w/wt")), "/w/v/lib/.git".__eq__)
    assert opened.lifted == ("/w/wt/.git", "/w/wt/.envrc")
    assert "/w/v/lib" in opened.pinned


def test_all_submodules_are_taken_and_no_root() -> None:
    opened = lifted(REPOSITORY, Moves(takes_all=True), no_directory)
    assert opened.read_only == ("/w/.git", "/w/.envrc")
    assert opened.absent == ("/w/.vscode",)
