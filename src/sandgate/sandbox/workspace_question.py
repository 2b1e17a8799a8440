"""What is asked of the disk about one workspace."""

from __future__ import annotations

from sandgate.protocol.environment import STATE_VARIABLE
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.permissions import Grant, SandboxPolicy
    from sandgate.sandbox.protection import Protection

SOCKET_VARIABLES = ("HOME", "TMPDIR", "XDG_RUNTIME_DIR", "SSH_AUTH_SOCK")  # what leads to sockets and roots
GIT_VARIABLES = ("XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM")  # what leads to settings of git
CACHE_VARIABLE = "XDG_CACHE_HOME"  # what leads to our own environments
SAID_BY = (
    *SOCKET_VARIABLES,
    *(STATE_VARIABLE, *GIT_VARIABLES, CACHE_VARIABLE, "PATH"),
)


class WorkspaceQuestion(Record):
    """All that the facts depend on beside the disk and what we are ourselves."""

    policy: SandboxPolicy
    policy_cwd: str
    state_directory: str
    extra_roots: tuple[str, ...]
    grants: tuple[Grant, ...]
    protection: Protection
    configured: tuple[tuple[str, ...], tuple[str, ...]]  # secrets that are opened, and further ones
    private_tmp: str | None
    scratch: str
    uid: int
    listening: tuple[str, ...]
    said: tuple[str | None, ...]  # what the variables `SAID_BY` say

    @property
    def variables(self) -> dict[str, str]:
        return {name: value for name, value in zip(SAID_BY, self.said, strict=True) if value is not None}
