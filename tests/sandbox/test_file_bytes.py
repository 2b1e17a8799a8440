"""Reading a file without waiting for it, and without taking what others are to read."""

from __future__ import annotations

import os
from pathlib import Path

from sandgate.sandbox.file_bytes import read_bytes


def test_a_directory_cannot_be_read_as_a_text(tmp_path: Path) -> None:
    assert read_bytes(str(tmp_path), 10, follows=True) is None
    assert read_bytes(f"{tmp_path}/a\0b", 10, follows=True) is None


def test_what_somebody_else_is_to_read_stays_there(tmp_path: Path) -> None:
    """Required: a command may make `.git` a link to our own terminal, and what a person types would be gone."""
    keys, terminal = os.openpty()
    os.set_blocking(terminal, False)
    os.mkfifo(tmp_path / "pipe")
    pipe = os.open(tmp_path / "pipe", os.O_RDWR | os.O_NONBLOCK)
    (tmp_path / "terminal").symlink_to(os.ttyname(terminal))
    os.write(keys, b"typed\n")
    os.write(pipe, b"said")
    try:
        for name in ("terminal", "pipe"):
            assert read_bytes(f"{tmp_path}/{name}", 10, follows=True) is None
        assert os.read(terminal, 10) == b"typed\n"
        assert os.read(pipe, 10) == b"said"
    finally:
        for each in (keys, terminal, pipe):
            os.close(each)
