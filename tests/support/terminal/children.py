"""Unconfined commands for tests of the driver: plans for them, and a starter of their children."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sandgate.kernel import plain
from sandgate.protocol.confinement import ConfinedCommand
from sandgate.protocol.permissions import EffectivePermissions

if TYPE_CHECKING:
    from collections.abc import Mapping


def start_plain(
    plan: ConfinedCommand, *, stdin: int, stdout: int, stderr: int, helper: str | None = None
) -> plain.PlainChild:
    """A `Starter`; it has no use for a helper."""
    del helper
    return plain.start_plain(plan, stdin=stdin, stdout=stdout, stderr=stderr)


def plan(*argv: str, cwd: str = "/", env: Mapping[str, str] | None = None, tty: bool = False) -> ConfinedCommand:
    """An unconfined plan with a small environment, in which a shell keeps no history."""
    return ConfinedCommand(
        backend="none",
        argv=argv,
        cwd=cwd,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C", "HISTFILE": "/dev/null"} if env is None else env,
        permissions=EffectivePermissions(confined=False),
        tty=tty,
    )


def shell(script: str, *, tty: bool = False) -> ConfinedCommand:
    """A plan for `sh -c script`."""
    return plan("/bin/sh", "-c", script, tty=tty)
