"""Sandgate: the gate an AI coding agent's commands pass through.

`open_gate` (for programs with an event loop) and `open_runtime` are where a program begins. Everything here is imported
when it is first asked for.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.agent.agent import Agent as Agent
    from sandgate.agent.agent import Agents as Agents
    from sandgate.agent.options import AgentOptions as AgentOptions
    from sandgate.patterns.wanted import Wanted as Wanted
    from sandgate.protocol.decisions import ApprovalRequest as ApprovalRequest
    from sandgate.protocol.decisions import Decision as Decision
    from sandgate.protocol.environment import Environment as Environment
    from sandgate.protocol.operations import ContextChange as ContextChange
    from sandgate.runtime.aio import AsyncGate as AsyncGate
    from sandgate.runtime.aio import open_gate as open_gate
    from sandgate.runtime.opening import open_runtime as open_runtime
    from sandgate.runtime.runtime import Runtime as Runtime

__version__ = "0.1.0"

_HOMES = {
    "Agent": "sandgate.agent.agent",
    "AgentOptions": "sandgate.agent.options",
    "Agents": "sandgate.agent.agent",
    "ApprovalRequest": "sandgate.protocol.decisions",
    "AsyncGate": "sandgate.runtime.aio",
    "ContextChange": "sandgate.protocol.operations",
    "Decision": "sandgate.protocol.decisions",
    "Environment": "sandgate.protocol.environment",
    "Runtime": "sandgate.runtime.runtime",
    "Wanted": "sandgate.patterns.wanted",
    "open_gate": "sandgate.runtime.aio",
    "open_runtime": "sandgate.runtime.opening",
}
__all__ = [*_HOMES]  # the names above, in one place


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module `sandgate` has no `{name}`")
    found: object = getattr(__import__(_HOMES[name], fromlist=[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
