"""Binding to a text that may lead astray."""

from __future__ import annotations

import os
import socket
import struct
from pathlib import Path

import pytest

from sandgate.kernel.confined_bind import bind_below

pytestmark = pytest.mark.host("landlock")


def raw(path: str) -> bytes:
    return struct.pack("=H", socket.AF_UNIX) + os.fsencode(path) + b"\0"


@pytest.fixture
def folder() -> Path:
    import tempfile

    return Path(tempfile.mkdtemp(prefix="sg"))  # a socket's path must be short


def test_a_socket_is_bound_to_the_very_text_but_never_beside_the_directory(folder: Path) -> None:
    (folder / "in").mkdir()
    (folder / "out").mkdir()
    (folder / "way").symlink_to("out")
    directory = os.open(folder / "in", os.O_PATH)
    base = os.open(folder, os.O_PATH)
    try:
        with socket.socket(socket.AF_UNIX) as fine:
            bind_below(fine.fileno(), raw(f"{folder}/in/s"), directory=directory, base=None)
            assert fine.getsockname() == f"{folder}/in/s"
        with socket.socket(socket.AF_UNIX) as relative:
            bind_below(relative.fileno(), raw("in/r"), directory=directory, base=base)
            assert relative.getsockname() == "in/r"
        with socket.socket(socket.AF_UNIX) as astray, pytest.raises(PermissionError):
            bind_below(astray.fileno(), raw(f"{folder}/way/s"), directory=directory, base=None)
    finally:
        os.close(directory)
        os.close(base)
    assert sorted(path.name for path in folder.rglob("*")) == ["in", "out", "r", "s", "way"]
