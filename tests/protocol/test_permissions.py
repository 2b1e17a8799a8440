"""Permissions as people are told them."""

from __future__ import annotations

from sandgate.protocol.permissions import EffectivePermissions, Grant, values_of

NESTED = EffectivePermissions(
    writable=("/tmp", "/tmp/ws", "/tmp/ws/sub", "/tmp/ws/.git/hooks"),
    read_only=("/tmp/ws/.git", "/elsewhere/.git"),
    absent=("/tmp/ws/.codex",),
    hidden=("/tmp/ws/secret", "/home/me/.ssh"),
    pinned=("/tmp/ws/sub",),
)


def test_what_is_only_kept_from_being_moved_is_no_place_of_its_own() -> None:
    """Our choice: the workspace is named also where it lies in another writable directory."""
    assert NESTED.open_places == ("/tmp", "/tmp/ws", "/tmp/ws/.git/hooks")


def test_what_is_closed_inside_a_writable_directory_is_told_and_nothing_else() -> None:
    assert NESTED.closed_places == ("/tmp/ws/.git", "/tmp/ws/secret")
    assert EffectivePermissions(read_only=("/ws/.git",)).closed_places == ()


def test_grants_are_sorted_by_kind() -> None:
    assert values_of((Grant("host", "a:1"), Grant("read_path", "/x"), Grant("host", "b:2")), "host") == ["a:1", "b:2"]
