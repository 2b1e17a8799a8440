"""What the kernel says a socket is bound to."""

import os
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandgate.kernel.socket_diag import INODE_MASK, bound_file, bound_name

GONE = (1 << 32) - 1  # no socket has this inode


def inode(made: socket.socket) -> int:
    return os.fstat(made.fileno()).st_ino


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="sg") as path:  # a socket's path must be short
        yield Path(path)


def test_a_bound_socket_is_told_with_its_file_whatever_that_is_called_by_then(folder: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        assert (bound_file(inode(made)), bound_name(inode(made))) == (None, None)
        made.bind(f"{folder}/s")
        (folder / "s").rename(folder / "other")
        assert bound_file(inode(made)) == (folder / "other").stat().st_ino & INODE_MASK
        assert bound_name(inode(made)) == os.fsencode(f"{folder}/s") + b"\0"


def test_an_abstract_name_is_told_as_long_as_its_socket_is_open() -> None:
    name = b"\0sandgate\n\0" + str(os.getpid()).encode()
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(name)
        number = inode(made)
        assert (bound_name(number), bound_file(number)) == (name, None)
    assert bound_name(number) is None
    assert bound_name(GONE) is None
