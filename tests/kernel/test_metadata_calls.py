"""Modes, owners, times and attributes."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.kernel.confined_runs import Account, change_nothing_outside, confined, seen

pytestmark = [pytest.mark.host("landlock"), pytest.mark.host("notify")]

pytest_plugins = ["support.kernel.landlock_fixtures"]


PYTHON = "/usr/bin/python3"


METADATA_OUTSIDE = {
    "chmod": "chmod 777 {o}/file",
    "chmod by descriptor": f"{PYTHON} -c \"import os; os.fchmod(os.open('{{o}}/file', 0), 0o777)\"",
    "chmod through a link": "ln -s {o}/file lnk && chmod 777 lnk",
    "touch": "touch -d 2001-01-01 {o}/file",
    "xattr": f"{PYTHON} -c \"import os; os.setxattr('{{o}}/file', 'user.a', b'1')\"",
}


@pytest.mark.parametrize("attack", METADATA_OUTSIDE.values(), ids=METADATA_OUTSIDE)
def test_no_mode_owner_time_or_attribute_outside_changes(
    attack: str, account: Account, workspace: Path, outside: Path, shelf: Path
) -> None:
    """Required: no Landlock rule covers these calls."""
    change_nothing_outside(account, attack, workspace=workspace, outside=outside, shelf=shelf)


def test_what_has_no_path_belongs_to_whoever_holds_it_open(my_workspace: Path) -> None:
    program = (
        "import os, tempfile\n"
        "os.fchmod(os.pipe()[0], 0o600); os.fchmod(os.memfd_create('m'), 0o600)\n"
        "with tempfile.TemporaryFile() as file:\n"
        "    os.fchmod(file.fileno(), 0o640); print(oct(os.fstat(file.fileno()).st_mode))\n"
    )
    assert confined((PYTHON, "-c", program), str(my_workspace))["output"] == "0o100640\n"


def test_a_file_named_like_a_deleted_one_is_no_loophole(my_workspace: Path, outside: Path) -> None:
    (outside / "file (deleted)").touch(mode=0o644)
    program = f"import os; os.fchmod(os.open('{outside}/file (deleted)', 0), 0o777)"
    outcome = confined((PYTHON, "-c", program), str(my_workspace))
    assert seen(outcome) == [("metadata", f"{outside}/file (deleted)")]
    assert (outside / "file (deleted)").stat().st_mode & 0o777 == 0o644


def test_times_keep_their_nanoseconds(my_workspace: Path) -> None:
    program = (
        "import os; open('a', 'w').close(); os.utime('a', ns=(5_000_000_007, 6_000_000_008)); "
        "s = os.stat('a'); print(s.st_atime_ns, s.st_mtime_ns)"
    )
    assert confined((PYTHON, "-c", program), str(my_workspace))["output"] == "5000000007 6000000008\n"
