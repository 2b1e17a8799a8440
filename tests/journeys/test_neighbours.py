"""Others live on the machine as well: nothing of what they have left lying about stops a command, or is changed by one.

Beside a multiplexer, a repository, sockets, FIFOs and a closed directory of others in /tmp, a mount whose source is
gone, a home on a file system of its own, and with umask 077.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.escape.escape_stage import BOTH_BACKENDS

TESTS = Path(__file__).parents[1]
STAGE = "support.machine.neighbourhood"
LIMIT_S = 110
PATCH = "*** Begin Patch\n*** Add File: patched\n+x\n*** End Patch"
# Arguments of the program → what it prints (None: anything). Each ends with 0 and says nothing beside.
COMMANDS: list[tuple[list[str], str | None]] = [
    (["run", "--", "echo", "hi"], "hi\n"),
    (["run", "--", "sh", "-c", "echo x > made && cat made"], "x\n"),
    (["run", "--", "sh", "-c", 'd=$(mktemp -d) && echo y > "$d/f" && cat "$d/f"'], "y\n"),
    (["run", "--", "sh", "-c", "cat made > ~/../repo/copied && ls copied"], "copied\n"),
    (["run", "--", "python3", "-c", "import tempfile; print(tempfile.TemporaryFile().write(b'z'))"], "1\n"),
    (["run", "--", "sh", "-c", "test -p fifo && ls own.sock"], "own.sock\n"),
    (["run", "--json", "--", "true"], None),
    (["check", "-a", "on-failure", "--", "ls"], None),
    (["assess", "--", "ls"], None),
    (["patch", PATCH], None),
    (["doctor"], None),
]  # fmt: skip


@pytest.fixture
def folder() -> Iterator[Path]:
    """Not below /tmp, which is somebody else's there."""
    place = Path("/var/tmp") / f"sandgate-neighbours-{os.getpid()}"
    place.mkdir()
    yield place
    shutil.rmtree(place)


def unshared() -> list[str]:
    alone = ["unshare", "--mount", "--propagation", "private"]
    return alone if os.geteuid() == 0 else [*alone, "--user", "--map-current-user"]


@pytest.mark.slow
@BOTH_BACKENDS
def test_commands_beside_others_work_and_leave_them_alone(folder: Path, backend: str) -> None:
    argv = [*unshared(), sys.executable, "-m", STAGE, str(folder), backend, json.dumps([each for each, _ in COMMANDS])]
    path = f"{TESTS.parent / 'src'}:{TESTS}"
    done = subprocess.run(argv, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, timeout=LIMIT_S,
                          check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    wanted = [[0, said, ""] for _, said in COMMANDS]
    seen = [[code, out if said is not None else None, err] for (_, said), (code, out, err) in
            zip(COMMANDS, found["ended"], strict=True)]  # fmt: skip
    assert seen == wanted
    assert found["after"] == found["before"]
    assert found["multiplexed"] in ([True, True], [False, False])
    assert not (folder / "effect").exists()
    modes = {name: (folder / "repo" / name).stat().st_mode & 0o777 for name in ("made", "copied", "patched")}
    assert modes == {"made": 0o600, "copied": 0o600, "patched": 0o600}
