from __future__ import annotations

import posixpath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.policy.patches import blocked_directories, patch_verdict, touched_paths
from sandgate.protocol.patches import FileChange
from sandgate.protocol.permissions import (
    DangerFullAccess,
    EffectivePermissions,
    ExternalSandbox,
    Grant,
    Granular,
    ReadOnly,
    WorkspaceWrite,
)
from sandgate.protocol.verdicts import Allow, Ask, Forbid
from support.suite.rows import every

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.permissions import ApprovalPolicy, SandboxPolicy

PERMISSIONS = EffectivePermissions(
    writable=("/tmp", "/ws", "/ws/.git/hooks/granted", "/ws/sub"),
    read_only=("/ws/.git", "/ws/.sandgate"),
    absent=("/ws/sub/.git",),
    hidden=("/home/u/.ssh", "/ws/secret"),
    reopened=("/ws/secret/public",),
)
UNCONFINED = EffectivePermissions(confined=False, network="on")
NO_QUESTIONS = Granular(sandbox_approval=False, rules=True, mcp_elicitations=True)
QUESTIONS = Granular(sandbox_approval=True, rules=False, mcp_elicitations=False)
READ_ONLY_REASON = "writing is blocked by the read-only sandbox, and nobody may be asked"
OUTSIDE_REASON = "writing outside of the project, and nobody may be asked"
PROTECTED_REASON = "writing to a protected place, and nobody may be asked"


def adding(*paths: str) -> tuple[FileChange, ...]:
    return tuple(FileChange("add", path) for path in paths)


def judged(
    changes: tuple[FileChange, ...],
    approval: ApprovalPolicy,
    sandbox: SandboxPolicy = WorkspaceWrite(),  # noqa: B008 - immutable
    *,
    backend: bool = True,
    resolved: dict[str, str] | None = None,
) -> str:
    permissions = PERMISSIONS
    if isinstance(sandbox, DangerFullAccess | ExternalSandbox):
        permissions = UNCONFINED
    elif isinstance(sandbox, ReadOnly):
        permissions = PERMISSIONS.but(writable=())
    verdict = patch_verdict(
        changes,
        approval=approval,
        sandbox=sandbox,
        permissions=permissions,
        backend_available=backend,
        resolved=resolved,
    )
    assert all(because.segment == ("apply_patch",) for because in verdict.because)
    match verdict:
        case Allow(bypass_sandbox=bypass):
            assert not bypass
            return "allow"
        case Ask():
            return "ask"
        case Forbid(reason=reason, by=by):
            assert by == "policy"
            return reason


IN, OUT = adding("/ws/a"), adding("/ws/a", "/etc/motd")


@every(
    "changes, approval, sandbox, backend, answer",
    [
        # row 1, before everything else
        *[((), approval, WorkspaceWrite(), True, "empty patch") for approval in ("untrusted", "never", "on-failure")],
        # row 2
        (IN, "untrusted", WorkspaceWrite(), True, "ask"),
        (IN, "untrusted", DangerFullAccess(), False, "ask"),
        # row 3
        (OUT, "on-request", DangerFullAccess(), False, "allow"),
        (OUT, "never", ExternalSandbox(), False, "allow"),
        (OUT, NO_QUESTIONS, DangerFullAccess(), True, "allow"),
        # row 4
        *[(IN, approval, WorkspaceWrite(), True, "allow") for approval in ("never", "on-request", "on-failure")],
        *[(IN, approval, WorkspaceWrite(), True, "allow") for approval in (QUESTIONS, NO_QUESTIONS)],
        (OUT, "on-failure", WorkspaceWrite(), True, "allow"),
        (OUT, "on-failure", ReadOnly(), True, "allow"),
        # row 5
        (IN, "never", WorkspaceWrite(), False, OUTSIDE_REASON),
        (IN, NO_QUESTIONS, WorkspaceWrite(), False, OUTSIDE_REASON),
        (IN, "on-request", WorkspaceWrite(), False, "ask"),
        (IN, QUESTIONS, WorkspaceWrite(), False, "ask"),
        (OUT, "on-failure", WorkspaceWrite(), False, "ask"),
        # row 6
        (OUT, "never", WorkspaceWrite(), True, OUTSIDE_REASON),
        (OUT, NO_QUESTIONS, WorkspaceWrite(), True, OUTSIDE_REASON),
        (IN, "never", ReadOnly(), True, READ_ONLY_REASON),
        (IN, NO_QUESTIONS, ReadOnly(), False, READ_ONLY_REASON),
        (OUT, "on-request", WorkspaceWrite(), True, "ask"),
        (IN, QUESTIONS, ReadOnly(), True, "ask"),
    ],
)
def test_the_table_decides(
    changes: tuple[FileChange, ...], approval: ApprovalPolicy, sandbox: SandboxPolicy, backend: bool, answer: str
) -> None:
    """Required: row by row, with its exact reasons."""
    assert judged(changes, approval, sandbox, backend=backend) == answer


@every(
    "path, contained",
    [
        ("/ws/a/b/c", True),
        ("/tmp/x", True),
        ("/ws/a/../b", True),
        ("/ws/.git/hooks/granted", True),
        ("/ws/.git/hooks/granted/x", True),
        ("/ws/.gitignore", True),
        ("/ws/../etc/motd", False),
        ("/ws/sub/../../etc/motd", False),
        ("/wsx/a", False),
        ("/etc/motd", False),
        ("/", False),
        ("/ws/.git", False),
        ("/ws/.git/config", False),
        ("/ws/x/../.git/config", False),
        ("/ws//.git/config", False),
        ("//ws/.git/config", False),
        ("/ws/./.git/hooks/x", False),
        ("/ws/sub/.git", False),
        ("/ws/sub/.git/config", False),
        ("/ws/secret/x", False),
        ("/ws/secret/public/x", False),
        ("/home/u/.ssh/id", False),
        ("ws/a", False),
        ("", False),
        (".", False),
    ],
)
def test_a_path_is_contained_when_the_nearest_entry_is_a_writable_root(path: str, contained: bool) -> None:
    reason = PROTECTED_REASON if "/.git" in path or "/secret" in path else OUTSIDE_REASON
    assert judged(adding(path), "never") == ("allow" if contained else reason)


def test_every_kind_of_change_and_every_move_target_counts() -> None:
    """Required: one path outside is enough."""
    for change in (
        FileChange("delete", "/etc/motd"),
        FileChange("update", "/etc/motd"),
        FileChange("update", "/ws/a", move_path="/etc/motd"),
        FileChange("update", "/ws/a", move_path="/ws/.git/hooks/pre-commit"),
        FileChange("update", "/etc/motd", move_path="/ws/a"),
    ):
        inside = str(change.move_path).startswith("/ws/.git")
        assert judged((*IN, change), "never") == (PROTECTED_REASON if inside else OUTSIDE_REASON)


def test_protected_names_are_compared_without_case_where_the_disk_does() -> None:
    """Required: `.GIT` is `.git` there."""
    permissions = PERMISSIONS.but(case_insensitive=True)
    verdict = patch_verdict(
        adding("/ws/.GIT/config"),
        approval="never",
        sandbox=WorkspaceWrite(),
        permissions=permissions,
        backend_available=True,
    )
    assert isinstance(verdict, Forbid)
    assert judged(adding("/ws/.GIT/config"), "never") == "allow"


def test_where_a_path_leads_has_to_be_contained_as_well() -> None:
    assert judged(IN, "never", resolved={"/ws/a": "/tmp/a"}) == "allow"
    assert judged(IN, "never", resolved={"/ws/a": "/etc/motd"}) == OUTSIDE_REASON
    assert judged(adding("/etc/motd"), "never", resolved={"/etc/motd": "/ws/a"}) == OUTSIDE_REASON


def test_a_question_names_the_paths_and_cannot_be_used_to_fake_text() -> None:
    verdict = patch_verdict(
        adding("/etc/a\n\u202e", "/ws/ok", "/etc/b", "/etc/c", "/etc/d", "/etc/e"),
        approval="on-request",
        sandbox=WorkspaceWrite(),
        permissions=PERMISSIONS,
        backend_available=True,
    )
    assert isinstance(verdict, Ask)
    assert verdict.reason == (
        "writes to `/etc/a\\n\\u202e`, `/etc/b`, `/etc/c` and 2 more, outside of what it may write"
    )


def test_touched_paths_are_told_once_and_in_order() -> None:
    changes = (FileChange("update", "/b", move_path="/a"), FileChange("delete", "/b"), FileChange("add", "/c"))
    assert touched_paths(changes) == ("/b", "/a", "/c")


@pytest.mark.parametrize(
    ("paths", "grants"),
    [
        (("/ws/a",), ()),
        (("/etc/motd", "/etc/hosts"), (Grant("write_root", "/etc"),)),
        (("/opt/a/b/c", "/opt/a/d"), (Grant("write_root", "/opt/a"),)),
        (("/opt/a", "/opt2/a"), (Grant("write_root", "/opt"), Grant("write_root", "/opt2"))),
        (("/ws/.git/config",), (Grant("write_path", "/ws/.git/config"),)),
        (("/ws/sub/.git",), (Grant("write_path", "/ws/sub/.git"),)),
        (("/home/u/.ssh/id",), (Grant("write_path", "/home/u/.ssh/id"),)),
        (("/motd",), (Grant("write_path", "/motd"),)),
        (("/proc/self/mem",), (Grant("write_path", "/proc/self/mem"),)),
        (("/dev/null",), (Grant("write_path", "/dev/null"),)),
    ],
)
def test_the_grants_are_the_smallest_that_help(paths: tuple[str, ...], grants: tuple[Grant, ...]) -> None:
    assert blocked_directories(adding(*paths), PERMISSIONS) == grants


def test_where_nothing_is_confined_nothing_is_blocked() -> None:
    assert blocked_directories(adding("/etc/motd"), UNCONFINED) == ()


NAMES = st.sampled_from(["ws", "etc", ".git", "sub", "secret", "..", ".", "a", "tmp", ""])


@given(st.lists(NAMES, max_size=6).map(lambda names: "/" + "/".join(names)))
def test_what_is_allowed_under_never_lies_in_a_root_and_under_no_protection(path: str) -> None:
    """Required: however a path is spelled, it is judged by where it lies."""
    if judged(adding(path), "never") == "allow":
        lexical = posixpath.normpath("/" + path.lstrip("/"))
        assert lexical.split("/")[1] in ("ws", "tmp")
        assert not any(f"{lexical}/".startswith(f"{shut}/") for shut in ("/ws/.git", "/ws/secret", "/ws/sub/.git"))
        assert blocked_directories(adding(path), PERMISSIONS) == ()
    else:
        assert blocked_directories(adding(path), PERMISSIONS) != ()
