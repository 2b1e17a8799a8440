"""Opening below a held directory, with no link on the way."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandgate.kernel.beneath import open_beneath, open_canonical


@pytest.fixture
def held(tmp_path: Path) -> Iterator[int]:
    (tmp_path / "in" / "d").mkdir(parents=True)
    (tmp_path / "in" / "d" / "f").write_text("a")
    (tmp_path / "in" / "link").symlink_to("d")
    (tmp_path / "in" / "out").symlink_to("/etc")
    (tmp_path / "f").write_text("b")
    descriptor = os.open(tmp_path / "in", os.O_PATH | os.O_DIRECTORY)
    yield descriptor
    os.close(descriptor)


def test_what_lies_below_opens(held: int) -> None:
    descriptor = open_beneath(held, "d/f", os.O_RDONLY)
    try:
        assert os.read(descriptor, 10) == b"a"
        assert os.get_inheritable(descriptor) is False
    finally:
        os.close(descriptor)
    os.close(open_beneath(held, "", os.O_PATH))


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("../f", errno.EXDEV),
        ("/etc/passwd", errno.EXDEV),
        ("link/f", errno.ELOOP),
        ("out/passwd", errno.ELOOP),
        ("none", errno.ENOENT),
    ],
)
def test_no_way_out_is_taken(held: int, path: str, code: int) -> None:
    """Required: each of these opens something with a plain open, but for the last."""
    if path != "none":
        os.close(os.open(path, os.O_RDONLY, dir_fd=held))
    with pytest.raises(OSError, match=os.strerror(code)):
        open_beneath(held, path, os.O_RDONLY)


def test_a_canonical_path_opens_and_one_with_a_link_does_not(tmp_path: Path, held: int) -> None:
    del held
    os.close(open_canonical(str(tmp_path / "in" / "d"), os.O_PATH))
    with pytest.raises(OSError, match=os.strerror(errno.ELOOP)):
        open_canonical(str(tmp_path / "in" / "link"), os.O_PATH)


def test_a_magic_link_of_proc_is_not_followed() -> None:
    with pytest.raises(OSError, match=os.strerror(errno.ELOOP)):
        open_canonical("/proc/self/root/etc", os.O_PATH)
