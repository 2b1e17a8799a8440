"""Who holds a transcript."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sandgate.errors import SessionBusy
from sandgate.session.transcript_lock import holder, take

HOLD = (
    "import fcntl, sys; file = open(sys.argv[1], 'rb+'); fcntl.flock(file, fcntl.LOCK_EX); print(flush=True); input()"
)


def test_nobody_holds_a_free_file(tmp_path: Path) -> None:
    with (tmp_path / "file").open("wb") as file:
        assert holder(file.fileno()) == 0


def test_the_holder_is_named_while_it_lives(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch()
    child = subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.readline()
    with path.open("rb+") as file:
        with pytest.raises(SessionBusy) as busy:
            take(file.fileno(), str(path))
        assert busy.value.pid == child.pid
        child.kill()
        child.communicate(timeout=10)
        take(file.fileno(), str(path))
        assert holder(file.fileno()) == os.getpid()
