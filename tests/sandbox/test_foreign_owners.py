"""Root is told why it cannot do inside what it can do outside with files of others."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandgate.protocol.confinement import ConfinedCommand
from sandgate.protocol.permissions import EffectivePermissions
from sandgate.sandbox.foreign_owners import others_files
from support.process.program import Sandgate

STRANGER = 4243
HINT = "`-s danger-full-access` has no sandbox"
NO_OTHERS = "in the sandbox there is no other user to give files to (for archives: `tar --no-same-owner`)"
only_root = pytest.mark.skipif(os.geteuid() != 0, reason="to others the host says the same")


@pytest.fixture
def sandgate() -> Iterator[Sandgate]:
    place = Path(tempfile.mkdtemp(prefix="sandgate-owners-", dir="/var/tmp"))
    for name in ("repo", "home"):
        (place / name).mkdir()
    yield Sandgate(place / "repo", place / "home")
    shutil.rmtree(place)


@only_root
@pytest.mark.host("namespace")
@pytest.mark.parametrize("line", ["tar xf archive", f"touch own; chown {STRANGER} own", "cp -a foreign/f own"])
def test_that_files_cannot_be_given_away_is_one_line(sandgate: Sandgate, line: str) -> None:
    foreign = sandgate.workspace / "foreign"
    foreign.mkdir()
    (foreign / "f").touch()
    os.chown(foreign / "f", STRANGER, STRANGER)
    subprocess.run(["tar", "cf", "archive", "foreign/f"], cwd=sandgate.workspace, check=True, timeout=30)
    done = sandgate("run", "--", "sh", "-c", line)
    told = [each for each in done.err.splitlines() if each.startswith("sandgate:")]
    assert (done.code != 0, told) == (True, [f"sandgate: warning: {NO_OTHERS}; {HINT}"])
    assert sandgate("run", "-s", "danger-full-access", "--", "sh", "-c", line).code == 0


@only_root
@pytest.mark.host("namespace")
@pytest.mark.parametrize("line", ["touch foreign/new", "chmod 700 foreign", "ls foreign/closed"])
def test_whose_it_is_is_one_line(sandgate: Sandgate, line: str) -> None:
    closed = sandgate.workspace / "foreign/closed"
    closed.mkdir(parents=True)
    closed.chmod(0o700)
    for place in (closed.parent, closed):
        os.chown(place, STRANGER, STRANGER)
    place = closed if "closed" in line else closed.parent
    done = sandgate("run", "--", "sh", "-c", line)
    told = [each for each in done.err.splitlines() if each.startswith("sandgate:")]
    whose = f"`{place}` belongs to user {STRANGER}, and in the sandbox root may do with it what anybody may"
    assert (done.code != 0, told) == (True, [f"sandgate: warning: {whose}; {HINT}"])
    assert sandgate("run", "-s", "danger-full-access", "--", "sh", "-c", line).code == 0


@pytest.mark.parametrize(
    "output",
    [b"touch: cannot touch 'none': Permission denied\n", b"nothing of that", b"tr: Invalid argument", b"\xff\0\n"],
)
def test_other_failures_are_not_explained_so(tmp_path: Path, output: bytes) -> None:
    made = ConfinedCommand("namespace", ("true",), str(tmp_path), {}, EffectivePermissions(), ())
    assert others_files(made, output) is None


@only_root
def test_what_a_command_may_not_know_is_not_told_to_it(tmp_path: Path) -> None:
    """Required: a command that says such a line of any path must not learn who has it."""
    foreign = tmp_path / "closed/a foreign one"
    foreign.mkdir(parents=True)
    os.chown(foreign, STRANGER, STRANGER)
    said = f"cat: {foreign}: Permission denied\n".encode()
    for hidden, is_told in ((), True), ((str(foreign.parent),), False), ((str(foreign),), False):
        permissions = EffectivePermissions(hidden=hidden)
        told = others_files(ConfinedCommand("namespace", ("true",), str(tmp_path), {}, permissions), said)
        assert (told is not None) is is_told
