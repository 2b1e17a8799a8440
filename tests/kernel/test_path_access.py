"""Whose a path is."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandgate.kernel.path_access import PathAccess, identity_of
from sandgate.protocol.permissions import EffectivePermissions

PERMISSIONS = EffectivePermissions(
    writable=("/w", "/w/.git/open", "/file"),
    read_only=("/w/.git", "/w/sub/.git"),
    absent=("/w/.codex",),
    hidden=("/w/keys", "/home/secret"),
    reopened=("/home/secret/shown",),
)


@pytest.mark.parametrize(
    ("path", "writable"),
    [
        ("/w", True),
        ("/w/a", True),
        ("/w/.gitignore", True),
        ("/w/.git", False),
        ("/w/.git/config", False),
        ("/w/.git/open/x", True),
        ("/w/.codex", False),
        ("/w/.codex/rules", False),
        ("/w/sub/.codex", True),
        ("/w/keys/id", False),
        ("/file", True),
        ("/files", False),
        ("/", False),
    ],
)
def test_the_most_specific_entry_says_what_is_writable(path: str, writable: bool) -> None:
    assert PathAccess(PERMISSIONS, {}, {}).writable(path) is writable


def test_nothing_with_a_closed_name_in_it_moves_and_no_root_goes() -> None:
    access = PathAccess(PERMISSIONS, {}, {})
    paths = ("/w/a", "/w/sub", "/w/sub/lib", "/w", "/w/.git", "/file")
    assert [path for path in paths if access.movable(path)] == ["/w/a", "/w/sub/lib"]


def test_hidden_is_unreadable_but_for_what_is_reopened_in_it() -> None:
    access = PathAccess(PERMISSIONS, {}, {})
    paths = ("/etc", "/w/keys/id", "/home/secret", "/home/secret/shown/x", "/home/secret/other")
    assert [path for path in paths if access.readable(path)] == ["/etc", "/home/secret/shown/x"]


def test_names_are_compared_without_case_where_the_file_system_does() -> None:
    """Required: `.GIT` and a decomposed spelling reach the same directory there."""
    folded = PathAccess(PERMISSIONS.but(case_insensitive=True, absent=("/w/caf\u00e9",)), {}, {})
    assert [folded.writable(path) for path in ("/w/.GIT/config", "/w/cafe\u0301", "/w/other")] == [False, False, True]


def test_a_rule_counts_only_while_its_directory_is_the_same(tmp_path: Path) -> None:
    ruled = tmp_path / "ruled"
    ruled.mkdir()
    identity = identity_of(str(ruled))
    assert identity is not None
    access = PathAccess(EffectivePermissions(), {str(ruled): identity}, {})
    before = (access.by_kernel(f"{ruled}/file"), access.by_kernel(str(ruled)))
    ruled.rename(tmp_path / "moved")
    ruled.mkdir()
    assert (before, access.by_kernel(f"{ruled}/file")) == ((True, False), False)
