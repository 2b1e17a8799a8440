"""Picks who starts a plan. The choice was made when the plan was made; here it is only carried out."""

from __future__ import annotations

from sandgate.errors import BackendUnavailable
from sandgate.record import never_reached

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from sandgate.kernel.child import Child
    from sandgate.protocol.confinement import ConfinedCommand

    class Starter(Protocol):
        """Turns a plan into a running child; `start_child` is the real one."""

        def __call__(
            self, plan: ConfinedCommand, *, stdin: int, stdout: int, stderr: int, helper: str | None
        ) -> Child: ...


def start_child(plan: ConfinedCommand, *, stdin: int, stdout: int, stderr: int, helper: str | None) -> Child:
    """Starts `plan` on these descriptors, which stay the caller's to close.

    `helper` is the path of the program that builds namespaces. Raises ConfinementError when the plan's own backend
    cannot be used; another is never tried instead.
    """
    match plan.backend:
        case "namespace":
            if helper is None:
                raise BackendUnavailable(
                    "cannot confine with namespaces",
                    why="the helper program `sandgate-exec` is missing",
                    hint="run `sandgate doctor`",
                )
            from sandgate.kernel.helper import start as start_helper

            return start_helper(plan, stdin=stdin, stdout=stdout, stderr=stderr, helper=helper)
        case "landlock" | "none":
            from sandgate.kernel.launcher import start as start_launcher

            return start_launcher(plan, stdin=stdin, stdout=stdout, stderr=stderr)
        case "bwrap":
            raise BackendUnavailable(
                "cannot start a plan for `bwrap`",
                why="plans are carried out by the helper, by Landlock, or not confined at all",
                hint='pick `sandbox.backend = "auto"`',
            )
        case _:
            return never_reached(plan.backend)
