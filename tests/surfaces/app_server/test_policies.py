from __future__ import annotations

import pytest

from sandgate.protocol.permissions import DangerFullAccess, ExternalSandbox, ReadOnly, SandboxPolicy, WorkspaceWrite
from sandgate.protocol.wire import sandbox_json
from sandgate.surfaces.app_server.policies import sandbox_on_wire
from sandgate.surfaces.app_server.wire import objects
from sandgate.surfaces.app_server.wire.shapes import fault


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
    assert sandbox_on_wire(sandbox_json(policy)) == shown
    assert fault(shown, objects.SandboxPolicy, "policy", strict=True) is None
