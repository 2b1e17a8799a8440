"""A program at a terminal of its own, and a person who answers its questions with one key each."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
from pathlib import Path
from time import monotonic

ROWS, COLUMNS = 60, 180  # no line is broken because a home of the tests has a long name
PIECE_BYTES = 4096
QUESTION = re.compile(r"Your answer \[[^\n]*\]: $")


def typed_into(
    argv: tuple[str, ...], cwd: Path, environ: dict[str, str], keys: tuple[str, ...], *, limit_s: float
) -> str:
    """All that the terminal showed, with plain line ends. Each question is answered with the next key."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("4H", ROWS, COLUMNS, 0, 0))
    running = subprocess.Popen(
        ["setsid", "--ctty", "--wait", *argv], cwd=cwd, env=environ, stdin=slave, stdout=slave, stderr=slave
    )
    os.close(slave)
    left, shown, until = list(keys), "", monotonic() + limit_s
    try:
        while piece := _piece(master, until):
            shown += piece
            if QUESTION.search(shown):
                assert left, f"one question more than the page answers: {shown}"
                os.write(master, left.pop(0).encode())
        running.wait(limit_s)
    finally:
        running.kill()
        running.wait(limit_s)
        os.close(master)
    assert not left, f"the page has more answers than were asked for: {shown}"
    return shown


def _piece(master: int, until: float) -> str:
    """What is shown next; "" once nobody has the terminal any more."""
    ready, _, _ = select.select([master], [], [], max(0.0, until - monotonic()))
    assert ready, "the session did not come to its end"
    try:
        return os.read(master, PIECE_BYTES).decode("utf-8", "replace").replace("\r\n", "\n")
    except OSError:  # EIO: the last who had it has closed it
        return ""
