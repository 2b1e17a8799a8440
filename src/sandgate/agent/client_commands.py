"""A session for single commands of a server's client, without a model and without anybody to ask.

What would take an answer is refused. A client may ask for a sandbox that is as strict as the server's, or stricter.
"""

from __future__ import annotations

from sandgate.agent.turn_changes import checked_sandbox
from sandgate.config import with_policies
from sandgate.errors import RequestError
from sandgate.gate.event_loop import on_thread
from sandgate.policy.tightness import confines_no_less
from sandgate.protocol.permissions import sandbox_mode
from sandgate.runtime.aio import open_server_gate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.environment import Environment
    from sandgate.protocol.permissions import SandboxPolicy
    from sandgate.runtime.aio import AsyncGate
    from sandgate.runtime.runtime import Runtime

LOOSER = "`{mode}` is looser than the sandbox of this server, `{now}`"


async def open_client_gate(environment: Environment, sandbox: SandboxPolicy | None, *, loosening: bool) -> AsyncGate:
    """To be closed. None: the sandbox that is configured there. Raises ConfigError, RuleError, RequestError."""
    gate = await open_server_gate(environment.but(person_present=False))
    if sandbox is None:
        return gate
    try:
        await on_thread(lambda: _hold(gate.runtime, checked_sandbox(sandbox), loosening=loosening))
    except BaseException:
        await gate.close()
        raise
    return gate


def _hold(runtime: Runtime, sandbox: SandboxPolicy, *, loosening: bool) -> None:
    now = runtime.settings.sandbox
    if not (loosening or confines_no_less(sandbox, now)):
        raise RequestError(LOOSER.format(mode=sandbox_mode(sandbox), now=sandbox_mode(now)))
    loaded = runtime.loaded
    settings = with_policies(loaded.settings, runtime.settings.approval, sandbox)
    runtime.hold(runtime.environment, loaded.but(settings=settings))
