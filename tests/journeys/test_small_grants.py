"""After a failure, one question gives what the command lacked and no more: what a held call would have been given."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandgate.runtime.aio import open_gate
from support.process.program import Finished, Sandgate

BACKENDS = [
    pytest.param("namespace", marks=pytest.mark.host("namespace", "notify")),
    pytest.param("landlock", marks=pytest.mark.host("landlock", "notify")),
]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.protocol.decisions import ApprovalRequest

AFTER = ("-c", 'sandbox.ask="after"', "-a", "on-failure", "--json")
AT_CALL = ("-c", 'sandbox.ask="at-call"', "-a", "on-failure")
# Does what it is told, and tries the file beside it.
SCRIPT = """
{0}
code=$?
[ $code = 0 ] || exit $code
for beside in neighbour .profile .ssh/authorized_keys .local/bin/ls; do
    {{ echo more >> {1}/$beside; }} 2>/dev/null && echo "open: $beside"
done
exit $code
"""


@pytest.fixture
def home() -> Iterator[Path]:
    """A home that no command may write to, below no /tmp, with a repository `ws` in it."""
    place = Path("/var/tmp") / f"sandgate-small-{os.getpid()}"
    (place / "ws").mkdir(parents=True)
    (place / ".ssh").mkdir(mode=0o700)
    (place / ".local/bin").mkdir(parents=True)
    (place / "x").write_text("aaa\n")
    (place / "neighbour").write_text("closed\n")
    (place / "full").mkdir()
    (place / "full/f").write_text("theirs\n")
    git(place / "ws", "init", "-q", "-b", "main")
    (place / "ws/f").write_text("mine\n")
    git(place / "ws", "add", "f")
    git(place / "ws", "commit", "-q", "-m", "x")
    git(place, "init", "-q", "--bare", "bare")
    yield place
    shutil.rmtree(place)


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> str:
    """Both give the same."""
    return str(request.param)


def git(place: Path, *words: str) -> str:
    env = {"PATH": "/usr/bin:/bin", "HOME": str(place)}
    names = ("-c", "user.name=x", "-c", "user.email=x@y")
    done = subprocess.run(
        ["git", "-C", str(place), *names, *words], check=True, env=env, capture_output=True, text=True
    )
    return done.stdout


def approved(home: Path, backend: str, does: str, answers: int = 1) -> Finished:
    """With so many answers: one more question would be refused."""
    options = ("--backend", backend, *AFTER, *["--answer", "approve"] * answers)
    return Sandgate(home / "ws", home)("run", *options, "--", "sh", "-c", SCRIPT.format(does, home))


def questions(found: Finished) -> list[dict[str, Any]]:
    return [each for each in found.events if each["type"] == "exec_approval_request"]


ONE_QUESTION = {
    "ssh-keygen": ("ssh-keygen -q -t ed25519 -N '' -f ~/.ssh/k", ".ssh/k.pub", "ssh-ed25519"),
    "sed": ("sed -i s/a/b/ ~/x", "x", "baa"),
    "git worktree": ("git worktree add -q ../tree", "tree/f", "mine"),
    "git push": ("git push -q ../bare main", "bare/refs/heads/main", ""),
    "git clone": ("git clone -q . ../y", "y/f", "mine"),
    "exclusively": ("set -C; echo x > ~/new", "new", "x"),
    "mkdir": ("mkdir -p ~/a/b", "a/b", ""),
    "ln": ("ln -s /etc/motd ~/link", "link", ""),
    "mv": ("mv f ~/g", "g", "mine"),
    "mv over": ("mv f ~/x", "x", "mine"),
    "mv over, into": ("mv f ~/full", "full/f", "mine"),
    "mv outside": ("mv ~/x ~/z", "z", "aaa"),
    "chmod": ("chmod 600 ~/x", "x", "aaa"),
    "git config": ("git config --global user.name X", ".gitconfig", "name = X"),
    "new directory in a closed one": ("mkdir -p ~/.local/a/b && echo mine > ~/.local/a/b/c", ".local/a/b/c", "mine"),
    "protected": ("echo 'export A=1' > .envrc", "ws/.envrc", "export"),
    "protected directory": ("mkdir .vscode", "ws/.vscode", ""),
}

# There are no drafts of git directories there, so the repository's own is asked about before the new tree.
IN_TURN = (("landlock", "git worktree"),)


@pytest.mark.parametrize("what", ONE_QUESTION)
def test_one_question_is_enough_and_what_lies_beside_stays_closed(home: Path, backend: str, what: str) -> None:
    """Required: no home and no place of keys, programs or start files is opened, and nothing is put there first."""
    does, made, content = ONE_QUESTION[what]
    expected = 2 if (backend, what) in IN_TURN else 1
    found = approved(home, backend, does, expected)
    assert found.code == 0, found
    asked = [each for each in questions(found) if "neighbour" not in str(each["grants"])]
    assert len(questions(found)) == expected, asked
    assert os.path.lexists(home / made)
    assert content in ((home / made).read_text() if content else "")
    assert (home / "neighbour").read_text() == "closed\n"
    assert not any(os.path.lexists(home / name) for name in (".profile", ".ssh/authorized_keys", ".local/bin/ls"))


def test_a_push_opens_no_hook_and_no_setting_of_the_other_repository(home: Path, backend: str) -> None:
    """Required: what runs there later, and its settings, stay closed in what a yes to the push opens."""
    plant = "{ echo x > ../bare/hooks/post-receive; echo x >> ../bare/config; true; } 2>/dev/null"
    found = approved(home, backend, f"git push -q ../bare main && {plant}")
    assert (found.code, len(questions(found))) == (0, 1), found
    assert (home / "bare/refs/heads/main").exists()
    assert not (home / "bare/hooks/post-receive").exists()
    assert "x\n" not in (home / "bare/config").read_text().splitlines(keepends=True)


def test_a_removed_file_takes_one_question(home: Path, backend: str) -> None:
    found = approved(home, backend, "rm ~/x")
    assert (found.code, len(questions(found))) == (0, 1), found
    assert not (home / "x").exists()
    assert (home / "neighbour").read_text() == "closed\n"


def test_after_a_no_nobody_is_told_how_to_allow_it(home: Path, backend: str) -> None:
    """Required: it is said that it was denied; where nobody was asked, how to allow it."""
    words = ("--", "sed", "-i", "s/a/b/", f"{home}/x")
    said_no = Sandgate(home / "ws", home)("run", "--backend", backend, *AT_CALL, "--answer", "deny", *words)
    unasked = Sandgate(home / "ws", home)("run", "--backend", backend, *words)
    assert (said_no.code, "grant it once with" in said_no.err) == (4, False), said_no
    assert f"denied: create {home}/sed" in said_no.err
    assert f"grant it once with: --grant write_path={home}/x\n" in unasked.err


def test_a_place_given_for_the_session_is_given_to_the_next_command_from_its_start(home: Path, backend: str) -> None:
    """Required: another command with the same target is not asked about, does not fail first, and gets no more."""
    asked: list[tuple[str, tuple[str, ...]]] = []

    async def yes(request: ApprovalRequest) -> str:
        asked.append((request.stage, tuple(f"{grant.kind} {grant.value}" for grant in request.grants)))
        return "deny" if "neighbour" in str(request.grants) else "approve-session"

    async def session() -> list[int]:
        overrides = (f'sandbox.backend="{backend}"', 'sandbox.ask="at-call"', 'approval_policy="on-failure"')
        environ = {"PATH": "/usr/bin:/bin", "HOME": str(home)}
        async with open_gate(str(home / "ws"), reviewer=yes, overrides=overrides, environ=environ) as gate:
            first = await gate.run("echo one >> ~/x")
            second = await gate.run("sed -i s/one/two/ ~/x")
            third = await gate.run("echo x >> ~/neighbour; true")
        return [len(each.attempts) for each in (first, second, third)]

    assert asyncio.run(session()) == [1, 1, 1]
    assert [each for each in asked if "neighbour" not in str(each)] == [("held", (f"write_path {home}/x",))]
    assert (home / "x").read_text() == "aaa\ntwo\n"
    assert (home / "neighbour").read_text() == "closed\n"
