"""Permissions as an ordered list of mounts. Pure: `is_directory` is answered by the test."""

from __future__ import annotations

from sandgate.protocol.confinement import Mount
from sandgate.protocol.permissions import EffectivePermissions
from sandgate.sandbox.view import mounts_of


def view(permissions: EffectivePermissions, files: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    return [(mount.kind, mount.path) for mount in mounts_of(permissions, is_directory=lambda path: path not in files)]


def test_a_writable_part_of_a_hidden_part_of_a_root_is_reachable() -> None:
    """Required."""
    permissions = EffectivePermissions(writable=("/repo", "/repo/a/b"), hidden=("/repo/a",))
    assert view(permissions) == [
        ("write", "/repo"),
        ("hide_directory_with_openings", "/repo/a"),
        ("write", "/repo/a/b"),
    ]


def test_protected_paths_lie_on_top_of_their_root() -> None:
    permissions = EffectivePermissions(writable=("/repo", "/tmp"), read_only=("/repo/.git", "/repo/sub/.git"))
    assert view(permissions) == [
        ("write", "/repo"),
        ("write", "/tmp"),
        ("read", "/repo/.git"),
        ("read", "/repo/sub/.git"),
    ]


def test_files_and_directories_are_hidden_each_in_their_way() -> None:
    permissions = EffectivePermissions(hidden=("/home/me/.aws", "/home/me/.netrc"))
    assert view(permissions, files=("/home/me/.netrc",)) == [
        ("hide_directory", "/home/me/.aws"),
        ("hide_file", "/home/me/.netrc"),
    ]


def test_a_granted_socket_opens_its_hidden_directory() -> None:
    permissions = EffectivePermissions(hidden=("/run",), sockets=("/run/docker.sock",))
    assert view(permissions) == [("hide_directory_with_openings", "/run"), ("read", "/run/docker.sock")]


def test_a_reopened_path_is_bound_back_read_only() -> None:
    permissions = EffectivePermissions(hidden=("/run",), reopened=("/run/systemd/resolve/resolv.conf",))
    assert view(permissions) == [
        ("hide_directory_with_openings", "/run"),
        ("read", "/run/systemd/resolve/resolv.conf"),
    ]


def test_what_is_hidden_already_is_not_hidden_again() -> None:
    permissions = EffectivePermissions(hidden=("/run", "/run/user/1000"))
    assert view(permissions) == [("hide_directory", "/run")]


def test_what_is_read_only_already_is_not_bound_again() -> None:
    permissions = EffectivePermissions(
        writable=("/repo",), read_only=("/repo/.git", "/repo/.git/hooks"), sockets=("/srv/db.sock",)
    )
    assert view(permissions) == [("write", "/repo"), ("read", "/repo/.git")]


def test_a_pinned_directory_stays_a_mount_of_its_own() -> None:
    """Required: only a mount point cannot be renamed."""
    permissions = EffectivePermissions(writable=("/repo", "/repo/sub"), read_only=("/repo/sub/.git",))
    assert ("write", "/repo/sub") in view(permissions)


def test_a_named_path_inside_a_named_directory_is_no_mount_of_its_own() -> None:
    """Required: git replaces `.git/config` by renaming a new file over it, which fails on a mount point."""
    permissions = EffectivePermissions(writable=("/repo", "/repo/.git", "/repo/.git/config"))
    assert view(permissions, files=("/repo/.git/config",)) == [("write", "/repo")]


def test_a_named_directory_with_a_missing_name_to_guard_stays_a_mount() -> None:
    permissions = EffectivePermissions(writable=("/repo", "/repo/sub"), absent=("/repo/sub/.git",))
    assert view(permissions) == [("write", "/repo"), ("write", "/repo/sub")]


def test_a_named_path_beyond_something_read_only_is_opened_again() -> None:
    permissions = EffectivePermissions(writable=("/repo", "/repo/.git/config"), read_only=("/repo/.git",))
    assert view(permissions, files=("/repo/.git/config",)) == [
        ("write", "/repo"),
        ("read", "/repo/.git"),
        ("write", "/repo/.git/config"),
    ]


def test_something_hidden_inside_a_reopened_part_stays_hidden() -> None:
    permissions = EffectivePermissions(hidden=("/run", "/run/a/key"), reopened=("/run/a",))
    assert view(permissions, files=("/run/a/key",)) == [
        ("hide_directory_with_openings", "/run"),
        ("read", "/run/a"),
        ("hide_file", "/run/a/key"),
    ]


def test_order_is_by_depth_and_then_by_name() -> None:
    permissions = EffectivePermissions(writable=("/z", "/a/b/c", "/a"), hidden=("/a/b",))
    assert mounts_of(permissions, is_directory=lambda _path: True) == (
        Mount("write", "/a"),
        Mount("write", "/z"),
        Mount("hide_directory_with_openings", "/a/b"),
        Mount("write", "/a/b/c"),
    )


def test_a_hidden_file_that_is_seen_in_part_has_its_content_where_it_lies() -> None:
    """Also in a directory that is hidden as a whole: it is opened for it."""
    permissions = EffectivePermissions(
        hidden=("/home/u/.m2", "/home/u/.m2/settings.xml", "/home/u/.netrc", "/home/u/.npmrc"),
        copies=(("/home/u/.m2/settings.xml", b"<settings/>"), ("/home/u/.npmrc", b"")),
    )
    assert mounts_of(permissions, is_directory=lambda path: path == "/home/u/.m2") == (
        Mount("hide_directory_with_openings", "/home/u/.m2"),
        Mount("hide_file", "/home/u/.netrc"),
        Mount("hide_file", "/home/u/.npmrc", content=b""),
        Mount("hide_file", "/home/u/.m2/settings.xml", content=b"<settings/>"),
    )
