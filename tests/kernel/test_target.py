"""Looking into a process; here into ourselves."""

from __future__ import annotations

import ctypes
import errno
import os

import pytest

from sandgate.kernel.target import Target

ME = Target(os.getpid())


def test_memory_is_read_as_bytes_and_text() -> None:
    buffer = ctypes.create_string_buffer(b"/a/\xff\0rest")
    assert ME.text_at(ctypes.addressof(buffer)) == "/a/\udcff"
    assert ME.exactly(ctypes.addressof(buffer), 3) == b"/a/"


def test_bad_addresses_and_endless_text_are_the_kernels_errors() -> None:
    endless = ctypes.create_string_buffer(b"x" * 5000)
    codes = []
    for address in (0, 1 << 63, ctypes.addressof(endless)):
        with pytest.raises(OSError, match=r".") as caught:
            ME.text_at(address)
        codes.append(caught.value.errno)
    assert codes == [errno.EFAULT, errno.EFAULT, errno.ENAMETOOLONG]


def test_the_process_its_mask_and_its_name_are_told() -> None:
    old = os.umask(0o027)
    try:
        assert (Target(os.getpid()).umask, ME.pid) == (0o027, os.getpid())
    finally:
        os.umask(old)
    with open("/proc/self/comm") as file:
        assert ME.program == file.read().strip()
