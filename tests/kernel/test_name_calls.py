"""Making, moving and removing names: the protected ones above all."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from support.kernel.confined_runs import Account, confined, seen, snapshot
from support.suite.sampling import full

pytestmark = [pytest.mark.host("landlock"), pytest.mark.host("notify")]

pytest_plugins = ["support.kernel.landlock_fixtures"]


PYTHON = "/usr/bin/python3"
TURNS = 1_500 if full() else 300


PROTECTED_NAMES = {
    "rewrite": "echo x > .git/config",
    "hook": "echo x > .git/hooks/pre-commit",
    "rename": "mv .git elsewhere",
    "remove": "rm -r .git",
    "replace": "mkdir fake; mv -T fake .git",
    "exchange": (
        f'mkdir fake; {PYTHON} -c "import ctypes, sys; '
        "sys.exit(ctypes.CDLL(None).renameat2(-100, b'fake', -100, b'.git', 2) != 0)\""
    ),
    "by a second name": "ln .git/config alias && echo x > alias",
    "through a link": "ln -s .git g && echo x > g/config",
    "chmod": "chmod 000 .git/config",
    "missing by open": "echo x > .codex",
    "missing by mkdir": "mkdir .codex",
    "missing by mkdir -p": "mkdir -p .codex/rules",
    "missing by rename": "mkdir d; mv d .codex",
    "missing by link": "touch f; ln f .codex",
    "missing by symlink": "ln -s src .codex",
    "missing by dangling link": "ln -s .codex l; echo x > l",
    "missing by fifo": "mkfifo .codex",
    "missing by socket": f"{PYTHON} -c \"import socket; socket.socket(socket.AF_UNIX).bind('.codex')\"",
    "missing from below": "cd src && echo x > ../.codex",
    "missing by unnamed file": (
        f"{PYTHON} -c \"import os; f = os.open('.', os.O_TMPFILE | os.O_RDWR, 0o600); "
        "os.link(f'/proc/self/fd/{f}', '.codex', src_dir_fd=0, follow_symlinks=True)\""
    ),
}


@pytest.mark.parametrize("attack", PROTECTED_NAMES.values(), ids=PROTECTED_NAMES)
def test_protected_names_stay_as_they_are_and_missing_ones_missing(
    attack: str, account: Account, workspace: Path, shelf: Path
) -> None:
    """Required: Landlock alone cannot do this; the supervisor does."""
    before = snapshot(workspace / ".git")
    outcome = account.confined(attack, workspace)
    assert outcome["exit_code"] != 0
    assert snapshot(workspace / ".git") == before
    assert not os.path.lexists(workspace / ".codex")
    assert any(f"{workspace}/.git" in str(where) or f"{workspace}/.codex" in str(where) for _, where in seen(outcome))
    fresh = shelf / "fresh"
    fresh.mkdir()
    shutil.copytree(workspace / ".git", fresh / ".git")
    (fresh / "src").mkdir()
    account.own(fresh)
    if attack != PROTECTED_NAMES["replace"]:  # a full directory is not replaced, confined or not
        assert account.unconfined(attack, fresh)["exit_code"] == 0


@pytest.mark.slow
@pytest.mark.proof
def test_a_link_swapped_while_calls_wait_never_lets_a_file_out(my_workspace: Path, outside: Path) -> None:
    program = f"""
import os, threading
os.mkdir("real"); os.symlink("{outside}", "trap"); os.symlink("real", "way"); stop = False
def swap():
    while not stop:
        for target in ("real", "{outside}"):
            os.symlink(target, "next"); os.rename("next", "way")
thread = threading.Thread(target=swap); thread.start()
for turn in range({TURNS}):
    deeds = (os.mkdir, f"way/d{{turn}}"), (open, f"way/f{{turn}}", "w"), (os.chmod, "way/file", 0o777)
    for deed, *arguments in deeds:
        try: deed(*arguments)
        except OSError: pass
stop = True; thread.join()
"""
    before = snapshot(outside)
    assert confined((PYTHON, "-c", program), str(my_workspace))["exit_code"] == 0
    assert snapshot(outside) == before


def test_git_commit_in_a_protected_repository_is_refused_for_git_only(account: Account, shelf: Path) -> None:

    repository = shelf / "repo"
    subprocess.run(["git", "init", "-q", str(repository)], check=True)
    account.own(repository)
    outcome = account.confined("echo x > f; git -c safe.directory='*' add f", repository)
    assert outcome["exit_code"] != 0
    assert (repository / "f").read_text() == "x\n"
    assert {where.startswith(f"{repository}/.git/") for _, where in seen(outcome)} == {True}
