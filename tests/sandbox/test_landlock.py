"""Permissions as an allow-list."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable

import pytest

from sandgate.errors import ConfinementError
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.confinement import Mount
from sandgate.protocol.permissions import EffectivePermissions
from sandgate.sandbox.backend import WITHOUT_NEWS, WITHOUT_RETRIES
from sandgate.sandbox.landlock import DEVICES, RULES_MAX, LandlockBackend, rules_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.sandbox.landlock import Listing

TREE = ("/bin/", "/dev/", "/etc/passwd", "/etc/shadow", "/home/u/.ssh/id", "/home/u/.ssh/known", "/home/u/notes")
WORK = ("/w/.git/config", "/w/src/a", "/w/doc/", "/w/file", "/w/sub/.git/", "/w/sub/lib/", "/w/sub/file")


def listing_of(paths: Iterable[str]) -> Listing:
    """The entries of an invented tree: directories end in a slash or have something below."""
    found: dict[str, dict[str, bool]] = {}
    for path in paths:
        is_directory = path.endswith("/")
        path = path.rstrip("/")
        while path != "/":
            parent, name = posixpath.split(path)
            entries = found.setdefault(parent, {})
            entries[name] = entries.get(name, False) or is_directory
            path, is_directory = parent, True
    return lambda path: found.get(path, {}).items()


def rules(permissions: EffectivePermissions, paths: Iterable[str] = TREE + WORK) -> set[str]:
    """`kind path` of each rule, without the devices that are always there."""
    devices = {f"/dev/{name}" for name in DEVICES}
    found = rules_of(permissions, listing=listing_of(paths))
    assert devices <= {rule.path for rule in found}
    return {f"{rule.kind} {rule.path}" for rule in found if rule.path not in devices}


def test_everything_but_dev_is_shown() -> None:
    assert rules(EffectivePermissions()) == {"read /bin", "read /etc", "read /home", "read /w"}


def test_siblings_of_hidden_paths_are_shown_along_the_way() -> None:
    found = rules(EffectivePermissions(hidden=("/etc/shadow", "/home/u/.ssh")))
    assert found == {"read /bin", "read /etc/passwd", "read /home/u/notes", "read /w"}


def test_what_is_reopened_below_a_hidden_directory_is_shown() -> None:
    found = rules(EffectivePermissions(hidden=("/home/u/.ssh",), reopened=("/home/u/.ssh/known",)))
    assert "read /home/u/.ssh/known" in found
    assert "read /home/u/.ssh" not in found


def test_a_root_without_closed_names_is_one_rule() -> None:
    assert "write /w" in rules(EffectivePermissions(writable=("/w",)))


def test_directories_beside_protected_and_missing_names_are_opened_and_the_root_is_not() -> None:
    permissions = EffectivePermissions(
        writable=("/w",), read_only=("/w/.git", "/w/sub/.git"), absent=("/w/.codex",), hidden=()
    )
    found = {rule for rule in rules(permissions) if rule.startswith("write")}
    assert found == {"write /w/src", "write /w/doc", "write /w/sub/lib"}


def test_a_root_that_will_have_no_codex_is_never_granted_as_a_whole() -> None:
    found = rules(EffectivePermissions(writable=("/w",), absent=("/w/.codex",)))
    assert "write /w" not in found


def test_a_granted_file_is_a_rule_of_its_own() -> None:
    assert "write /etc/passwd" in rules(EffectivePermissions(writable=("/etc/passwd",)))


def test_too_many_siblings_are_refused_rather_than_opened() -> None:
    crowd = [f"/home/u/f{number}" for number in range(RULES_MAX + 1)]
    with pytest.raises(ConfinementError, match=str(RULES_MAX)):
        rules(EffectivePermissions(hidden=("/home/u/secret",)), crowd)


def test_granted_hosts_leave_the_network_off() -> None:
    """The supervisor connects to them; to nothing else is the network opened."""
    permissions = EffectivePermissions(hosts=("10.0.0.1:443",))
    plan = LandlockBackend().confine(CommandRequest(("true",), "/", {}), permissions)
    assert plan.permissions.hosts == ("10.0.0.1:443",)
    assert "network-off" in plan.guarantees
    assert plan.env["SANDGATE_SANDBOX_NETWORK_DISABLED"] == "1"


def test_a_plan_says_what_holds_here_and_marks_the_environment() -> None:
    command = CommandRequest(("true",), "/", {"A": "b", "SSH_AUTH_SOCK": "/tmp/agent"})
    plan = LandlockBackend().confine(command, EffectivePermissions())
    assert (plan.backend, plan.argv) == ("landlock", ("true",))
    assert plan.env == {
        "A": "b",
        "GIT_OPTIONAL_LOCKS": "0",
        **WITHOUT_NEWS,
        **WITHOUT_RETRIES,
        "SANDGATE_SANDBOX": "landlock",
        "SANDGATE_SANDBOX_NETWORK_DISABLED": "1",
        "CODEX_SANDBOX_NETWORK_DISABLED": "1",
    }
    assert Mount("write", "/dev/null") in plan.mounts
    assert "process-isolation" not in plan.guarantees
    assert {"network-off", "exact-denials", "held-calls", "protected-names", "missing-protected-names"} <= set(
        plan.guarantees
    )


def test_network_on_promises_no_silence() -> None:
    plan = LandlockBackend().confine(
        CommandRequest(("true",), "/", {}), EffectivePermissions(network="on"), report="off"
    )
    assert not {"network-off", "exact-denials", "held-calls"} & set(plan.guarantees)
