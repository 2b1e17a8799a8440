"""Doubles for tests of programs that use Sandgate: a gate whose commands come from a script, a reviewer, a model.

A scripted gate is the real one: policy judges, the reviewer is asked, a denial is explained and a patch is written.
Only the processes are missing, and with them what a kernel is needed for. Everything here is imported when it is first
asked for, and nothing that a command passes imports any of it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.testing.gate_double import scripted_gate as scripted_gate
    from sandgate.testing.gate_double import scripted_runtime as scripted_runtime
    from sandgate.testing.model_script import ModelScript as ModelScript
    from sandgate.testing.reviewer_double import ReviewerDouble as ReviewerDouble
    from sandgate.testing.script import NotInScript as NotInScript
    from sandgate.testing.script import ScriptedCommand as ScriptedCommand

_HOMES = {
    "ModelScript": "sandgate.testing.model_script",
    "NotInScript": "sandgate.testing.script",
    "ReviewerDouble": "sandgate.testing.reviewer_double",
    "ScriptedCommand": "sandgate.testing.script",
    "scripted_gate": "sandgate.testing.gate_double",
    "scripted_runtime": "sandgate.testing.gate_double",
}
__all__ = [*_HOMES]  # the names above, in one place


def __getattr__(name: str) -> object:
    """See PEP 562."""
    if name not in _HOMES:
        raise AttributeError(f"module `{__name__}` has no attribute `{name}`")
    found: object = getattr(__import__(_HOMES[name], fromlist=[name]), name)
    return found
