from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sandgate.protocol.operations_wire import approval_policy_of
from sandgate.protocol.permissions import (
    DangerFullAccess,
    ExternalSandbox,
    Granular,
    ReadOnly,
    SandboxPolicy,
    WorkspaceWrite,
)
from sandgate.surfaces.app_server.policies import approval_on_wire, asked_approval, asked_sandbox, sandbox_on_wire
from sandgate.surfaces.app_server.wire import objects
from sandgate.surfaces.app_server.wire.shapes import fault

if TYPE_CHECKING:
    from sandgate.protocol.permissions import ApprovalPolicy


@pytest.mark.parametrize(
    ("policy", "shown"),
    [
        (ReadOnly(), {"type": "readOnly", "networkAccess": False}),
        (DangerFullAccess(), {"type": "dangerFullAccess"}),
        (ExternalSandbox(network_access=True), {"type": "externalSandbox", "networkAccess": "enabled"}),
        (
            WorkspaceWrite(("/a",), network_access=True, exclude_slash_tmp=True),
            {
                "type": "workspaceWrite",
                "writableRoots": ["/a"],
                "networkAccess": True,
                "excludeTmpdirEnvVar": False,
                "excludeSlashTmp": True,
            },
        ),
    ],
)
def test_a_policy_is_told_as_the_wire_has_it(policy: SandboxPolicy, shown: dict[str, object]) -> None:
    assert sandbox_on_wire(policy) == shown
    assert fault(shown, objects.SandboxPolicy, "policy", strict=True) is None
    assert asked_sandbox(policy, dict(shown)) is None
    assert asked_sandbox(ReadOnly(network_access=True), dict(shown)) == policy


GRANULAR = Granular(sandbox_approval=True, rules=False, mcp_elicitations=True)


SHOWN = {
    "sandbox_approval": True,
    "rules": False,
    "mcp_elicitations": True,
    "skill_approval": False,
    "request_permissions": False,
}


@pytest.mark.parametrize(
    ("policy", "shown"), [("never", "never"), ("on-failure", "on-request"), (GRANULAR, {"granular": SHOWN})]
)
def test_an_approval_policy_is_told_in_words_of_today_and_repeating_them_changes_nothing(
    policy: ApprovalPolicy, shown: object
) -> None:
    assert approval_on_wire(policy) == shown
    assert fault(shown, objects.ApprovalInForce, "policy", strict=True) is None
    assert asked_approval(policy, shown) is None
    assert asked_approval("untrusted", shown) == approval_policy_of(shown)
