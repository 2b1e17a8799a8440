"""Starts a child from a plan without the C helper: unconfined, or confined by Landlock and seccomp.

The two ways share a contract (`kernel.child.Child`) and nothing else; each is imported when it is used, because
an unconfined command must not pay for ctypes and a confined one pays for much.
"""

from __future__ import annotations

from sandgate.errors import ConfinementError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.kernel.child import Child
    from sandgate.protocol.confinement import ConfinedCommand


def start(plan: ConfinedCommand, *, stdin: int, stdout: int, stderr: int) -> Child:
    """Starts `plan` with the three descriptors as its stdio; they stay the caller's to close.

    Returns at once with a child whose `failure` is set when nothing could be started. Raises
    `ConfinementError` for a plan made for another backend.
    """
    if plan.backend == "none":
        from sandgate.kernel.plain import start_plain

        return start_plain(plan, stdin=stdin, stdout=stdout, stderr=stderr)
    if plan.backend == "landlock":
        from sandgate.kernel.restricted import start_restricted

        return start_restricted(plan, stdin=stdin, stdout=stdout, stderr=stderr)
    raise ConfinementError(
        f"cannot start a plan for `{plan.backend}` here", why="the launcher knows `none` and `landlock` only"
    )
