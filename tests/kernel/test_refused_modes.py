"""Which calls would make what nothing may make, by their registers alone; that they are told is seen in `escapes`."""

from __future__ import annotations

import os
import stat

import pytest

from sandgate.kernel.refused_modes import has_refused_mode

CREATE, WRITE, TMPFILE = os.O_CREAT, os.O_WRONLY, os.O_TMPFILE
HIGH = 1 << 40  # the kernel drops the upper half


@pytest.mark.parametrize("bits", [0o4755, 0o2755, 0o6000])
def test_set_id_bits_of_what_is_new_are_refused(bits: int) -> None:
    for flags in (CREATE, CREATE | WRITE, TMPFILE, CREATE | HIGH):
        assert has_refused_mode("open", (0, flags, bits, 0, 0, 0))
        assert has_refused_mode("openat", (0, 0, flags, bits | HIGH, 0, 0))
    assert has_refused_mode("creat", (0, bits, 0, 0, 0, 0))
    assert has_refused_mode("mknod", (0, stat.S_IFREG | bits, 0, 0, 0, 0))
    assert has_refused_mode("mknodat", (0, 0, stat.S_IFIFO | bits, 0, 0, 0))


@pytest.mark.parametrize("kind", [stat.S_IFCHR, stat.S_IFBLK])
def test_devices_are_refused(kind: int) -> None:
    assert has_refused_mode("mknod", (0, kind | 0o600, 0, 0, 0, 0))
    assert has_refused_mode("mknodat", (0, 0, kind | HIGH, 0, 0, 0))


def test_everything_else_is_judged_as_ever() -> None:
    """A mode counts only when a file is made; sticky and ordinary bits always may be."""
    assert not has_refused_mode("open", (0, WRITE, 0o4755, 0, 0, 0))
    assert not has_refused_mode("openat", (0, 0, CREATE, 0o1777, 0, 0))
    assert not has_refused_mode("creat", (0, 0o644, 0o4755, 0, 0, 0))
    for kind in (0, stat.S_IFREG, stat.S_IFIFO, stat.S_IFSOCK):
        assert not has_refused_mode("mknodat", (0, 0, kind | 0o644, 0, 0, 0))
    assert not has_refused_mode("mkdir", (0, 0o2755, 0, 0, 0, 0))
    assert not has_refused_mode("chmod", (0, 0o4755, 0, 0, 0, 0))
