"""The one API every surface uses, and the place where the parts are put together."""

from __future__ import annotations

from sandgate.runtime.environment import Environment
from sandgate.runtime.opening import open_runtime
from sandgate.runtime.runtime import Runtime
from sandgate.runtime.stdio import CAPTURED, Stdio

__all__ = ["CAPTURED", "Environment", "Runtime", "Stdio", "open_runtime"]
