"""Runs tests on a machine on which others live as well.

`python tests/support/machine/amid_neighbours.py [PYTEST ARGUMENTS]`, as root.

In a mount namespace of its own, beside what `neighbourhood.py` puts into /tmp; with umask 077, a home on a file system
of its own, a TMPDIR on another one with a blank in its name and an empty `.git` in it, a language that the machine does
not know, and no /dev/shm. What tests make for themselves lies beside that TMPDIR, as many of them write shell lines.
The real /tmp, /dev and home are neither seen nor changed.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from support.machine.neighbourhood import mount, settle
from support.suite.source_tree import REPOSITORY

INSIDE = "--inside"
PLACE = Path("/mnt")  # covered by a file system of our own
LANGUAGE = "tr_TR.ISO-8859-9"
DEVICES = ("null", "zero", "full", "random", "urandom", "tty")


def bare_devices(folder: Path) -> None:
    """A /dev that has what programs cannot do without; made in `folder` and put in place of the machine's."""
    mount("-t", "tmpfs", "-o", "mode=0755", "none", str(folder))
    for name in DEVICES:
        (folder / name).touch()
        mount("--bind", f"/dev/{name}", str(folder / name))
    (folder / "pts").mkdir()
    mount("--rbind", "/dev/pts", str(folder / "pts"))
    for name, target in (("ptmx", "pts/ptmx"), ("fd", "/proc/self/fd")):
        (folder / name).symlink_to(target)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        (folder / name).symlink_to(f"/proc/self/fd/{number}")
    mount("--move", str(folder), "/dev")


def inside(arguments: list[str]) -> int:
    """Pytest's own exit status."""
    mount("-t", "tmpfs", "-o", "mode=0755", "none", str(PLACE))
    sockets = settle(PLACE)
    own = PLACE / "temporary"
    own.mkdir()
    mount("-t", "tmpfs", "-o", "mode=0700", "none", str(own))
    temporary = own / "t mp"
    for above in (own, temporary):
        (above / ".git").mkdir(parents=True)
    (PLACE / "devices").mkdir()
    bare_devices(PLACE / "devices")
    os.umask(0o077)
    source = f"{REPOSITORY / 'src'}:{REPOSITORY}"
    surroundings = {"HOME": str(PLACE / "home"), "TMPDIR": str(temporary), "LANG": LANGUAGE, "PYTHONPATH": source}
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "XDG_"))}
    argv = [sys.executable, "-m", "pytest", f"--basetemp={own}/pytest", *arguments]
    ended = subprocess.run(argv, cwd=REPOSITORY, env=environ | surroundings, check=False)
    for each in sockets:
        each.close()
    return ended.returncode


if __name__ == "__main__":
    if sys.argv[1:2] == [INSIDE]:
        sys.exit(inside(sys.argv[2:]))
    alone = ["unshare", "--mount", "--propagation", "private", sys.executable, __file__, INSIDE]
    os.execvp(alone[0], [*alone, *sys.argv[1:]])
