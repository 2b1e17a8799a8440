"""A file that the command gets only to read, as its standard input, cannot be changed through that descriptor."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sandgate.kernel.build import helper_path

pytestmark = pytest.mark.host("namespace")

# The command reads first: it goes on where the caller's offset was.
CHANGE = """
import os, sys
kind, fd = sys.argv[1], int(sys.argv[2])
def attempt(what, *arguments):
    try:
        what(*arguments)
    except OSError:
        return
    print("changed", arguments, flush=True)
print(os.read(fd, 100).decode() if kind == "file" else sorted(os.listdir(fd)), flush=True)
for path in (f"/proc/self/fd/{fd}", f"/dev/fd/{fd}"):
    if kind == "file":
        attempt(os.open, path, os.O_WRONLY)
        attempt(os.open, path, os.O_RDWR)
        attempt(os.truncate, path, 0)
        attempt(os.setxattr, path, "user.a", b"b")
    attempt(os.chmod, path, 0o700)
    attempt(os.utime, path, (1, 1))
attempt(os.fchmod, fd, 0o700)
attempt(os.utime, fd, (1, 1))
attempt(os.setxattr, fd, "user.a", b"b")
if kind == "directory":
    attempt(lambda name: os.open(name, os.O_WRONLY, dir_fd=fd), "input")
    attempt(lambda name: os.open(name, os.O_WRONLY | os.O_CREAT, dir_fd=fd), "new")
    attempt(lambda name: os.mkdir(name, dir_fd=fd), "made")
    attempt(lambda name: os.unlink(name, dir_fd=fd), "input")
"""

# Python does not start with a directory as its standard input.
MOVED = 'exec "$0" -I -S -c "$@" 5<&0 0</dev/null'

RUN = """
import os, select, sys
from sandgate.kernel.helper import start
from sandgate.protocol.confinement import ConfinedCommand, Mount
from sandgate.protocol.permissions import EffectivePermissions
helper, workspace, stdin, *argv = sys.argv[1:]
plan = ConfinedCommand(
    backend="namespace", argv=tuple(argv), cwd=workspace, env={}, mounts=(Mount("write", workspace),),
    permissions=EffectivePermissions(writable=(workspace,)),
)
if argv[-2] == "file":
    os.lseek(int(stdin), 5, os.SEEK_SET)
child = start(plan, stdin=int(stdin), stdout=1, stderr=2, helper=helper)
while child.descriptors():
    select.select(child.descriptors(), (), ())
    child.handle(child.descriptors()[0])
sys.exit(child.ended.exit_code if child.ended else f"failed: {child.failure!r}")
"""


@pytest.mark.parametrize("kind", ["file", "directory"])
def test_it_is_read_and_stays_as_it_was(tmp_path: Path, kind: str) -> None:
    outside, workspace = tmp_path / "outside", tmp_path / "workspace"
    outside.mkdir()
    workspace.mkdir()
    file = outside / "input"
    file.write_text("first second")
    file.chmod(0o644)
    subject = file if kind == "file" else outside
    before = [(about.st_mode, about.st_size, about.st_mtime_ns) for about in (file.stat(), outside.stat())]
    stdin = os.open(subject, os.O_RDONLY)
    try:
        ran = subprocess.run(
            [
                sys.executable,
                "-c",
                RUN,
                helper_path(),
                str(workspace),
                str(stdin),
                "/bin/sh",
                "-c",
                MOVED,
                sys.executable,
                CHANGE,
                kind,
                "5",
            ],
            pass_fds=(stdin,),
            capture_output=True,
            text=True,
            timeout=30,
        )
    finally:
        os.close(stdin)
    read = " second\n" if kind == "file" else "['input']\n"
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, read, "")
    assert [(about.st_mode, about.st_size, about.st_mtime_ns) for about in (file.stat(), outside.stat())] == before
    assert os.listdir(outside) == ["input"]
