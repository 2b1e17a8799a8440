"""Plans of lines of nothing but git, which may change the `.git` files of submodules and linked worktrees."""

from __future__ import annotations

import os

from sandgate.policy.repository_moves import NOTHING, lifted, moves_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.confinement import ConfinedCommand
    from sandgate.protocol.permissions import EffectivePermissions


def moving(permissions: EffectivePermissions, command: CommandRequest) -> EffectivePermissions:
    """The permissions without what stands in the way of such a line; the same for others."""
    moves = moves_of(command.argv, os.path.realpath(command.cwd))
    return permissions if moves == NOTHING else lifted(permissions, moves, os.path.isdir)


def with_steady_programs(plan: ConfinedCommand) -> ConfinedCommand:
    """Its programs are found where no command can put others, nor exchange what leads there."""
    places = plan.env.get("PATH", "").split(os.pathsep)
    real = [os.path.realpath(place) for place in places if place[:1] == "/"]
    steady = [place for place in real if not plan.permissions.may_write(place)]
    return plan.but(env={**plan.env, "PATH": os.pathsep.join(dict.fromkeys(steady))})
