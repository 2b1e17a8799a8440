"""Reads objects that a repository had before a command, through the machine's own git: git-cat-file(1).

The directory is the real one, to which no command writes, so its settings are a person's. Nothing is fetched, nothing
stands for another object, and no settings but the repository's own are read.
"""

from __future__ import annotations

import os
import subprocess
import time
from select import POLLIN, poll

from sandgate.modulecache import is_trusted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO

GIT_PLACES = ("/usr/bin/git", "/usr/local/bin/git", "/bin/git")  # never one from PATH: commands may write there
OBJECT_BYTES_MAX = 64 << 20
READS_LIMIT_S = 60  # for all objects of one draft together
_HEADER_BYTES_MAX = 256
_CHUNK_BYTES = 1 << 16
_ENVIRONMENT = {
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",  # the same for a git before 2.45
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "HOME": "/nonexistent",
    "LC_ALL": "C",
    "PATH": "/usr/bin:/bin",
}


class Unreadable(Exception):
    """There is no git to ask, or it did not answer."""


class OldObjects:
    """The objects of the git directory `directory`. To be closed."""

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._process: subprocess.Popen[bytes] | None = None
        self._until = 0.0
        self._unread = b""

    def read(self, name: str) -> tuple[bytes, bytes] | None:
        """Type and content of what `name` (hexadecimal digits, or such as `HEAD^{tree}`) means; None when it is not
        there. Raises Unreadable."""
        if "\n" in name:
            return None
        process = self._process or self._start()
        requests, answers = process.stdin, process.stdout
        if requests is None or answers is None:
            raise Unreadable("git has no streams")
        try:
            requests.write(f"{name}\n".encode())
            requests.flush()
        except OSError as problem:
            raise Unreadable(f"git has ended: {problem.strerror}") from problem
        header = self._line(answers).split()
        if len(header) != 3 or not header[2].isdigit():
            return None  # missing, or not a name
        size = int(header[2])
        if size > OBJECT_BYTES_MAX:
            raise Unreadable(f"`{name}` is larger than {OBJECT_BYTES_MAX} bytes")
        content = self._exactly(answers, size + 1)
        return header[1], content[:-1]

    def close(self) -> None:
        """Ends git."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    stream.close()
            process.wait()

    def _start(self) -> subprocess.Popen[bytes]:
        program = _git()
        if not program:
            raise Unreadable(f"there is no git at {' or '.join(GIT_PLACES)}")
        self._until = time.monotonic() + READS_LIMIT_S
        try:
            self._process = subprocess.Popen(
                [program, "-c", "safe.directory=*", f"--git-dir={self._directory}", "cat-file", "--batch"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=_ENVIRONMENT,
                cwd="/",
                bufsize=0,
            )
        except OSError as problem:
            raise Unreadable(f"git cannot be started: {problem.strerror}") from problem
        return self._process

    def _line(self, answers: IO[bytes]) -> bytes:
        while b"\n" not in self._unread:
            if len(self._unread) > _HEADER_BYTES_MAX:
                raise Unreadable("git's answer has another form")
            self._more(answers)
        line, _, self._unread = self._unread.partition(b"\n")
        return line

    def _exactly(self, answers: IO[bytes], count: int) -> bytes:
        parts, have = [self._unread], len(self._unread)
        while have < count:
            self._unread = b""
            self._more(answers)
            parts.append(self._unread)
            have += len(self._unread)
        content = b"".join(parts)
        self._unread = content[count:]
        return content[:count]

    def _more(self, answers: IO[bytes]) -> None:
        waiting = poll()
        waiting.register(answers, POLLIN)
        if not waiting.poll(max(0.0, self._until - time.monotonic()) * 1000):
            raise Unreadable(f"git did not answer within {READS_LIMIT_S} s")
        more = os.read(answers.fileno(), _CHUNK_BYTES)
        if not more:
            raise Unreadable("git has ended")
        self._unread += more


def _git() -> str:
    for place in GIT_PLACES:
        try:
            found = os.stat(place)
        except OSError:
            continue
        if is_trusted(found, 0) and os.access(place, os.X_OK):
            return place
    return ""
