"""The one API every surface uses, and the place where the parts are put together.

Each name is loaded when it is first asked for: what lists past sessions needs no gate.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.environment import Environment
    from sandgate.protocol.stdio import CAPTURED, Stdio
    from sandgate.runtime.opening import open_runtime
    from sandgate.runtime.runtime import Runtime
    from sandgate.tools.script_shell import shell_argv

__all__ = ["CAPTURED", "Environment", "Runtime", "Stdio", "open_runtime", "shell_argv"]

_PLACES = {
    "CAPTURED": "sandgate.protocol.stdio",
    "Environment": "sandgate.protocol.environment",
    "Runtime": "sandgate.runtime.runtime",
    "Stdio": "sandgate.protocol.stdio",
    "open_runtime": "sandgate.runtime.opening",
    "shell_argv": "sandgate.tools.script_shell",
}


def __getattr__(name: str) -> object:
    """See PEP 562."""
    place = _PLACES.get(name)
    if place is None:
        raise AttributeError(f"module `{__name__}` has no attribute `{name}`")
    found: object = getattr(__import__(place, fromlist=[name]), name)
    globals()[name] = found
    return found
