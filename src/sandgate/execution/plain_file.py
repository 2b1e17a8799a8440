"""Reads a file that commands may write: never through a link, never waiting for the other end of a pipe."""

from __future__ import annotations

import os
import stat

from sandgate.kernel.beneath import open_canonical


class NotPlain(OSError):
    """It is no plain file, or has a second name, by which it could be changed later."""


def read_plain(path: str, bytes_max: int, *, one_name: bool = True) -> tuple[int, bytes]:
    """Its inode and what it says, up to so many bytes. Raises OSError, `NotPlain` among them."""
    directory, _, name = path.rpartition("/")
    parent = open_canonical(directory or "/", os.O_PATH | os.O_DIRECTORY)
    try:
        held = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=parent)
    finally:
        os.close(parent)
    try:
        about = os.fstat(held)
        if not stat.S_ISREG(about.st_mode) or (one_name and about.st_nlink > 1):
            raise NotPlain("it is no plain file, or has a second name")
        with open(held, "rb", closefd=False) as file:
            return about.st_ino, file.read(bytes_max)
    finally:
        os.close(held)
