"""Landlock's arithmetic, and the real kernel's answer to it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sandgate.kernel import landlock

pytestmark = pytest.mark.host("landlock")


def test_rights_grow_with_the_abi_and_never_include_devices() -> None:
    assert [landlock.handled_rights(abi) for abi in (1, 2, 3, 4, 5, 7)] == [
        0x1FFF,
        0x3FFF,
        0x7FFF,
        0x7FFF,
        0xFFFF,
        0xFFFF,
    ]
    assert landlock.read_rights(7) == 0b1101
    assert landlock.write_rights(7) == 0xFFFF & ~(1 << 6 | 1 << 11)


def test_this_kernel_offers_what_the_backend_wants() -> None:
    assert landlock.supported_abi() >= landlock.ABI_WANTED


def test_a_rule_tells_what_it_sits_on_and_a_missing_or_linked_path_gets_none(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("file")
    ruleset = landlock.create_ruleset(landlock.supported_abi(), network=False)
    try:
        rights = landlock.write_rights(landlock.supported_abi())
        found = [landlock.allow_path(ruleset, str(tmp_path / name), rights) for name in (".", "file", "link", "gone")]
    finally:
        os.close(ruleset)
    places = [(path.stat().st_dev, path.stat().st_ino) for path in (tmp_path, tmp_path / "file")]
    assert found == [*places, None, None]


def test_a_restricted_process_reads_and_writes_where_rules_are_and_nowhere_else(tmp_path: Path) -> None:
    import subprocess
    import sys

    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    program = f"""
import os
from sandgate.kernel import landlock
from sandgate.kernel.syscalls import caller
abi = landlock.supported_abi()
rules = landlock.create_ruleset(abi, network=False)
landlock.allow_path(rules, "{tmp_path}/in", landlock.write_rights(abi))
caller().call("prctl", 38, 1, 0, 0, 0)
landlock.restrict_self(rules)
for folder in ("in", "out"):
    try:
        open("{tmp_path}/" + folder + "/file", "w")
        print(folder, "written")
    except PermissionError:
        print(folder, "refused")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=30, check=True)
    assert done.stdout == b"in written\nout refused\n"
