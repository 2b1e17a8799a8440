"""What the sandbox would stop, told beforehand."""

from __future__ import annotations

import pytest

from sandgate.policy.foreseen import STOPPED_MAX, Stopped, would_be_stopped
from sandgate.protocol.permissions import EffectivePermissions
from sandgate.protocol.risk import CONTACTS, IF_REPLACED, NOT_HERE, SENDS, STAYS_HERE, Fact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.risk import FactKind

PERMISSIONS = EffectivePermissions(
    writable=("/tmp", "/project"),
    read_only=("/project/.git",),
    absent=("/project/.sandgate",),
    hidden=("/home/u/.ssh",),
    reopened=("/home/u/.ssh/known_hosts",),
)


@pytest.mark.parametrize(
    ("kind", "target", "operation"),
    [
        ("writes", "/project/a", None),
        ("writes", "/project", None),
        ("writes", "/projectshop/a", "write"),
        ("writes", "/etc/motd", "write"),
        ("writes", "/project/.git/config", "write"),
        ("deletes", "/project/.git", "delete"),
        ("writes", "/project/.sandgate", "write"),
        ("deletes", "/home/u/x", "delete"),
        ("writes", "/dev/null", None),
        ("writes", "?", None),
        ("reads", "/etc/passwd", None),
        ("reads", "/home/u/.ssh/id_rsa", "read"),
        ("reads", "/home/u/.ssh/known_hosts", None),
        ("contacts", "example.com", "connect"),
        ("runs", "make", None),
    ],
)
def test_what_lies_outside_is_foreseen(kind: FactKind, target: str, operation: str | None) -> None:
    found = would_be_stopped([Fact(kind, target, "")], PERMISSIONS)
    assert [(each.operation, each.target) for each in found] == ([(operation, target)] if operation else [])


@pytest.mark.parametrize(
    ("kind", "target", "operation"),
    [
        ("writes", "/project/.git", None),
        ("writes", "/project/.git/refs/heads/main", None),
        ("writes", "/project/.git/hooks/pre-commit", "write"),
        ("deletes", "/project/.git", "delete"),
    ],
)
def test_what_git_writes_in_its_draft_is_not_stopped(kind: FactKind, target: str, operation: str | None) -> None:
    """A commit works, so nothing else may be foreseen of it; to remove the directory does not."""
    found = would_be_stopped([Fact(kind, target, "")], PERMISSIONS.but(drafts=("/project/.git",)))
    assert [each.operation for each in found] == ([operation] if operation else [])


@pytest.mark.parametrize("why", [NOT_HERE, f"deletes recursively ({IF_REPLACED})"])
def test_what_happens_elsewhere_or_only_behind_a_shell_is_not_stopped_here(why: str) -> None:
    assert would_be_stopped([Fact("deletes", "/etc", why)], PERMISSIONS) == ()


def test_with_the_network_on_no_connection_is_stopped() -> None:
    assert would_be_stopped([Fact("contacts", "example.com", "")], PERMISSIONS.but(network="on")) == ()


@pytest.mark.parametrize(
    "target", ["git push", "?", "publish", "gh", "psexec.py", "database", "a remote of this repository"]
)
def test_what_is_no_host_is_not_named_as_one(target: str) -> None:
    (stopped,) = would_be_stopped([Fact("contacts", target, "talks to something")], PERMISSIONS)
    assert (stopped, stopped.words) == (Stopped("connect", "?"), "connect to other machines")


@pytest.mark.parametrize(
    ("target", "why"),
    [("example.com", ""), ("10.0.0.1:443", ""), ("[::1]:80", ""), ("build", CONTACTS), ("nas", SENDS)],
)
def test_a_host_is_named(target: str, why: str) -> None:
    (stopped,) = would_be_stopped([Fact("contacts", target, why)], PERMISSIONS)
    assert (stopped.target, stopped.words) == (target, f"connect {target}")


def test_a_named_machine_stands_for_those_that_are_not() -> None:
    clone = Fact("contacts", "git clone", "downloads a repository")
    named, local = Fact("contacts", "example.com", CONTACTS), Fact("contacts", "localhost", STAYS_HERE)
    assert would_be_stopped([clone, named], PERMISSIONS) == (Stopped("connect", "example.com"),)
    assert would_be_stopped([clone, local], PERMISSIONS) == (Stopped("connect", "?"), Stopped("connect", "localhost"))


def test_nothing_is_stopped_where_nothing_confines() -> None:
    assert would_be_stopped([Fact("writes", "/etc/motd", "")], PERMISSIONS.but(confined=False)) == ()


def test_the_list_is_bounded_and_says_nothing_twice() -> None:
    facts = [Fact("writes", f"/etc/{number % 40}", "") for number in range(80)]
    assert len(would_be_stopped(facts, PERMISSIONS)) == STOPPED_MAX
    assert len(would_be_stopped(facts[:1] * 5, PERMISSIONS)) == 1
