"""Who runs beside a git directory is known to others."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from sandgate.execution.git_users import GitReaders, used
from sandgate.protocol.confinement import AttemptOutcome


def test_many_have_the_lock_and_nobody_has_it_alone(tmp_path: Path) -> None:
    outcome = AttemptOutcome(None)
    readers = GitReaders([str(tmp_path), f"{tmp_path}/gone"])
    one, alone = used(str(tmp_path)), os.open(tmp_path, os.O_RDONLY)
    assert one is not None
    os.close(one)
    try:
        fcntl.flock(alone, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        readers.release()
        readers.release()
        fcntl.flock(alone, fcntl.LOCK_EX | fcntl.LOCK_NB)
    else:
        raise AssertionError("nobody knew of it")
    assert used(str(tmp_path)) is None
    assert GitReaders([str(tmp_path)]).settled(outcome) is outcome
    os.close(alone)
