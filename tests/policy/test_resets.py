"""Which lines reset a working tree so that whether something is lost is a question to the disk."""

from __future__ import annotations

import pytest

from sandgate.commandline import segments
from sandgate.policy.deletions import made_again
from sandgate.policy.program_places import ProgramPlaces
from sandgate.policy.resets import reset_to
from sandgate.protocol.deletions import Deletion


def asked(line: str | tuple[str, ...]) -> list[Deletion]:
    """What the disk is asked about a line on a disk where everything can be made again."""
    deletions: list[Deletion] = []

    def remade(deletion: Deletion) -> bool:
        deletions.append(deletion)
        return True

    argv = ("sh", "-c", line) if isinstance(line, str) else line
    places = ProgramPlaces("/repo", "/usr/bin", ("/repo",), remade=remade)
    return [each.but(may_arrive=False) for each in deletions] if made_again(segments(argv), places) else []


@pytest.mark.parametrize(
    ("line", "to", "directory"),
    [
        (("git", "reset", "--hard"), "HEAD", ""),
        (("git", "reset", "--hard", "HEAD~1"), "HEAD~1", ""),
        (("git", "reset", "-q", "v1.0^{}", "--hard"), "v1.0^{}", ""),
        ("git reset --hard", "HEAD", ""),
        ("git fetch -q origin && git reset --hard origin/main", "origin/main", ""),
        ("cd deep && git reset --hard @{u}", "@{u}", "deep"),
        ("git status; git log -1; git reset --hard ORIG_HEAD", "ORIG_HEAD", ""),
    ],
)
def test_a_reset_is_judged_by_what_it_throws_away(line: str | tuple[str, ...], to: str, directory: str) -> None:
    assert asked(line) == [Deletion(reset_to=to, directory=directory, may_turn="fetch" in line)]


@pytest.mark.parametrize(
    ("line", "turns"),
    [
        ("git fetch && git reset --hard origin/main", True),
        ("git fetch -u . +work:main; git reset --hard", True),
        ("git reset --hard HEAD~1; git reset --hard HEAD~1", True),
        ("git log; git reset --hard HEAD~1; git status", False),
        ("cd deep && git reset --hard HEAD~1", False),
    ],
)
def test_what_a_line_fetches_or_resets_before_may_turn_a_revision(line: str, turns: bool) -> None:
    """Required: what a name means is looked up before any of the line runs."""
    assert {each.may_turn for each in asked(line)} == {turns}


@pytest.mark.parametrize(
    "line",
    [
        "git stash pop; git reset --hard",  # what it threw away was in the stash
        "git reset --hard; git stash pop; git reset --hard",
        "git apply ../work.patch && git reset --hard",
        "mv ../notes tracked && git reset --hard",
        "git checkout stash@{0} -- . ; git reset --hard",
        "GIT_DIR=../other/.git git reset --hard",
        "export GIT_DIR=../other/.git; git reset --hard",
        "env GIT_WORK_TREE=.. git reset --hard",
        "git -C ../other reset --hard",
        "git reset --hard; git -C ../other reset --hard",
        "sudo git reset --hard",
        "git reset --hard $(git stash pop)",
        "git reset --hard $REVISION",
        "cd a; cd b; git reset --hard",
        "for i in 1 2; do git reset --hard; git stash pop; done",
        "git reset --hard HEAD -- file",
        "git reset --hard --recurse-submodules",
        ("git", "reset", "--hard", ":/message"),
        ("git", "reset", "--hard", ""),
        ("git", "reset", "--hard", "a\nb"),
        ("git", "-c", "core.worktree=..", "reset", "--hard"),
    ],
)
def test_a_line_that_says_more_or_other_is_asked_about(line: str | tuple[str, ...]) -> None:
    assert asked(line) == []


def test_a_revision_has_a_bounded_length() -> None:
    assert reset_to(("--hard", "a" * 250)) == "a" * 250
    assert reset_to(("--hard", "a" * 251)) == ""
    assert reset_to(("--soft", "HEAD")) == ""
