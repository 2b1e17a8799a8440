"""System calls by name."""

from __future__ import annotations

import errno
import os

import pytest

from sandgate.kernel.call_groups import NEWEST_KNOWN
from sandgate.kernel.syscalls import NUMBERS, caller, number_of


def test_both_machines_have_numbers_and_none_is_used_twice() -> None:
    for numbers in NUMBERS.values():
        assert len(set(numbers.values())) == len(numbers)
        assert max(numbers.values()) <= NEWEST_KNOWN


def test_well_known_numbers_are_right() -> None:
    assert [number_of(name, machine="x86_64") for name in ("open", "openat", "ptrace", "clone")] == [2, 257, 101, 56]
    assert [number_of(name, machine="aarch64") for name in ("open", "openat", "ptrace", "clone")] == [
        None,
        56,
        117,
        220,
    ]


def test_calls_numbered_since_they_became_common_are_the_same_everywhere() -> None:
    """From 424 on the kernel gives every machine the same number."""
    for name, number in NUMBERS["x86_64"].items():
        if 424 <= number < 512:
            assert number_of(name, machine="aarch64") == number


def test_a_misspelt_call_is_an_error_not_a_missing_rule() -> None:
    with pytest.raises(KeyError):
        number_of("opennat", machine="x86_64")


def test_a_call_returns_its_result_or_raises_its_errno() -> None:
    assert caller().call("getpid") == os.getpid()
    with pytest.raises(OSError, match="Bad file descriptor") as caught:
        caller().call("fchmod", -1, 0)
    assert caught.value.errno == errno.EBADF
