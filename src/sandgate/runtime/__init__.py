"""The one API every surface uses, and the place where the parts are put together."""

from __future__ import annotations

from sandgate.runtime.runtime import Environment, Forecast, Runtime, open_runtime
from sandgate.runtime.stdio import CAPTURED, PASSED_THROUGH, Stdio

__all__ = ["CAPTURED", "PASSED_THROUGH", "Environment", "Forecast", "Runtime", "Stdio", "open_runtime"]
