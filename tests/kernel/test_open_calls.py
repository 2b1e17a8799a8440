"""Opening files: what a command may not open, and what it is told."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from support.kernel.confined_runs import Account, change_nothing_outside, confined, seen
from support.suite.sampling import full

pytestmark = [pytest.mark.host("landlock"), pytest.mark.host("notify")]

pytest_plugins = ["support.kernel.landlock_fixtures"]

FLIPS = 12_000 if full() else 2_000
PYTHON = "/usr/bin/python3"


WRITES_OUTSIDE = {
    "write": "echo x > {o}/file",
    "append": "echo x >> {o}/file",
    "create": "echo x > {o}/new",
    "delete": "rm -f {o}/file; test ! -e {o}/file",
    "rename away": "mv {o}/file {o}/other",
    "move in": "mv {o}/file .",
    "move out": "touch a; mv a {o}/",
    "hard link out": "ln {o}/file alias && echo x > alias",
    "mkdir": "mkdir {o}/d",
    "mkfifo": "mkfifo {o}/f",
    "symlink": "ln -s a {o}/l",
    "truncate": f"{PYTHON} -c \"import os; os.truncate('{{o}}/file', 0)\"",
    "truncate while reading": f"{PYTHON} -c \"import os; os.open('{{o}}/file', os.O_RDONLY | os.O_TRUNC)\"",
    "unnamed file": f"{PYTHON} -c \"import os; os.open('{{o}}', os.O_TMPFILE | os.O_RDWR)\"",
    "through a link": "ln -s {o} lnk && echo x > lnk/evil",
    "through a link to the file": "ln -s {o}/file lnk && echo x > lnk",
    "through dots": "echo x > src/../../outside/evil",
}


@pytest.mark.parametrize("attack", WRITES_OUTSIDE.values(), ids=WRITES_OUTSIDE)
def test_nothing_outside_the_workspace_changes(
    attack: str, account: Account, workspace: Path, outside: Path, shelf: Path
) -> None:
    """Required."""
    change_nothing_outside(account, attack, workspace=workspace, outside=outside, shelf=shelf)


@pytest.mark.parametrize("looks_at_all", [False, True])
def test_the_shared_memory_of_others_is_neither_read_nor_taken_for_its_own(
    looks_at_all: bool, account: Account, workspace: Path
) -> None:
    """Required: also where every open is looked at, which is so when something is hidden in the workspace."""
    theirs = Path(f"/dev/shm/sandgate-theirs-{os.getpid()}")
    theirs.write_text("theirs")
    theirs.chmod(0o666)
    (workspace / "keys").mkdir()
    account.own(workspace)
    hidden = [str(workspace / "keys")] if looks_at_all else []
    attack = f"cat {theirs}; echo x >> {theirs} && echo written; echo mine > {theirs}.own && cat {theirs}.own"
    try:
        outcome = account.confined(attack, workspace, hidden=hidden)
        assert theirs.read_text() == "theirs"
        assert "theirs\n" not in outcome["output"].replace(f"{theirs}", "")
        assert "written" not in outcome["output"]
        assert "mine" in outcome["output"] or not looks_at_all
        unconfined = account.unconfined(attack, workspace)["output"]
        assert unconfined.startswith("theirs")
        assert "written" in unconfined
    finally:
        theirs.unlink()
        Path(f"{theirs}.own").unlink(missing_ok=True)


@pytest.mark.parametrize("kind", ["file", "directory"])
def test_hidden_secrets_cannot_be_read_beside_everything_else(kind: str, account: Account, workspace: Path) -> None:
    (workspace / "keys").mkdir()
    (workspace / "keys" / "id").write_text("secret")
    (workspace / "readme").write_text("open")
    account.own(workspace)
    hidden = [str(workspace / "keys" / "id" if kind == "file" else workspace / "keys")]
    script = "cat keys/id; cat readme; echo new > made; cat made; ls"
    outcome = account.confined(script, workspace, hidden=hidden)
    assert "secret" not in outcome["output"]
    assert "opennew\n" in outcome["output"]
    assert ("read", f"{workspace}/keys/id") in seen(outcome)
    assert "secret" in account.unconfined(script, workspace)["output"]


FLIPPER = """
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
static char path[4096];
static volatile int stop;
static void *flip(void *both) {
  char **names = both;
  while (!stop) { strcpy(path, names[1]); strcpy(path, names[2]); }
  return 0;
}
int main(int count, char **names) {
  (void)count;
  pthread_t thread;
  int opened = 0, turns = atoi(names[3]);
  pthread_create(&thread, 0, flip, names);
  for (int turn = 0; turn < turns; turn++) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd >= 0) { opened++; write(fd, "evil", 4); close(fd); }
    if (turn % 8 == 0) { chmod(path, 0666); truncate(path, 0); rename(path, "bb"); }
  }
  stop = 1;
  pthread_join(thread, 0);
  return opened == 0;
}
"""


@pytest.mark.slow
@pytest.mark.proof
def test_a_path_flipped_while_the_call_waits_never_writes_the_closed_file(my_workspace: Path, outside: Path) -> None:
    """Required: what is read from memory finds objects; only the object found is opened."""

    (my_workspace / "flip.c").write_text(FLIPPER)
    subprocess.run(["cc", "-w", "-pthread", "-o", "flip", "flip.c"], cwd=my_workspace, check=True)
    command = ("./flip", f"{my_workspace}/aa", f"{outside}/file", str(FLIPS))
    assert confined(command, str(my_workspace))["exit_code"] == 0
    assert ((outside / "file").read_text(), (outside / "file").stat().st_mode & 0o777) == ("before", 0o644)


def test_natural_failures_are_not_denials(account: Account, workspace: Path, outside: Path) -> None:
    script = (
        f"mkdir {outside}; mkdir /usr; rm {outside}/missing; rmdir {outside}/file; cat {outside}/missing; "
        f"echo x > /nowhere/file; mv {outside}/missing a; chmod 1 {outside}/missing; "
        f"set -C; echo x > {outside}/file; : > {outside}; unlink {outside}; true"
    )
    outcome = account.confined(script, workspace)
    assert (seen(outcome), outcome["reported"]) == ([], True)
