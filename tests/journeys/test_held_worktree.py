"""A worktree that somebody allowed beside the workspace is one when git has ended; one that nobody made is not."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.process.program import Finished, Sandgate

pytestmark = pytest.mark.host("namespace", "notify")


@pytest.fixture
def home() -> Iterator[Path]:
    """A home that no command may write to, below no /tmp, with a repository `ws`."""
    place = Path("/var/tmp") / f"sandgate-worktree-{os.getpid()}"
    (place / "ws").mkdir(parents=True)
    git(place / "ws", "init", "-q")
    git(place / "ws", "-c", "user.name=x", "-c", "user.email=x@y", "commit", "-q", "--allow-empty", "-m", "x")
    yield place
    shutil.rmtree(place)


def git(place: Path, *words: str) -> str:
    env = {"PATH": "/usr/bin:/bin", "HOME": str(place)}
    done = subprocess.run(["git", "-C", str(place), *words], check=True, env=env, capture_output=True, text=True)
    return done.stdout


def approved(home: Path, script: str) -> Finished:
    options = ("-c", 'sandbox.ask="at-call"', "-a", "on-failure", "--answer", "approve")
    return Sandgate(home / "ws", home)("run", *options, "--", "sh", "-c", script)


def test_a_worktree_made_at_a_held_call_is_kept(home: Path) -> None:
    done = approved(home, "git worktree add -q -b topic ../beside")
    assert (done.code, "denied" in done.err) == (0, False), done.err
    assert f"{home}/beside" in git(home / "ws", "worktree", "list")
    assert git(home / "beside", "branch", "--show-current") == "topic\n"


def test_a_yes_to_another_place_links_no_directory_of_a_person(home: Path) -> None:
    private = home / "ws" / ".git" / "worktrees" / "w"
    (home / "own").mkdir()
    (home / "own" / ".git").write_text(f"gitdir: {private}\n")
    plant = f"mkdir -p {private} && cd {private} && echo {home}/own/.git >gitdir && echo ../.. >commondir"
    done = approved(home, f"mkdir {home}/beside; {plant} && echo 'ref: refs/heads/w' >HEAD && cat gitdir")
    assert (done.code, (home / "beside").is_dir()) == (0, True), done.err
    assert f"{home}/own/.git" in done.out, "it was written, in the draft"
    assert not (private / "gitdir").exists()
    assert f"not kept, though the command ended well: create {private}/gitdir" in done.err
