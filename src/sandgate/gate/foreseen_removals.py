"""What a command's own words have removed where it may not write: a yes to run it is a yes to that, and gives it.

Without it one intent would be two questions: whether it runs, and, at the call, whether it may do what it says. Only
what is named in full counts, without a link on the way or a `cd` before it; everything else is asked about at its call.
"""

from __future__ import annotations

from os.path import basename, dirname, join, lexists, realpath

from sandgate.commandline import segments
from sandgate.commandline.invocation import everything_run
from sandgate.errors import SandgateError
from sandgate.policy.small_grants import ALIKE_MAX
from sandgate.policy.targets import targets_of
from sandgate.protocol.denials import Refused
from sandgate.protocol.implied_grants import without_implied
from sandgate.protocol.permissions import Grant
from sandgate.sandbox.refused_changes import RefusedChanges

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.gate.contracts import Confining
    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.confinement import ConfinedCommand


def foreseen_removals(command: CommandRequest, confinement: Confining) -> tuple[Grant, ...]:
    """One grant each; empty where nothing of that kind is named, or not all of it can be given so."""
    targets = targets_of(command, command.cwd)
    if not targets.removed or command.wish != "use_default" or _goes_elsewhere(command):
        return ()
    try:
        plan = confinement.plan(command, (), reads=False, later=None)
    except SandgateError:  # what is wrong is said where it would run
        return ()
    there = [place for place in targets.removed if lexists(place)]
    outside = [place for place in there if plan.confined and not plan.permissions.may_write(place)]
    grants = tuple([Grant("remove", place) for place in outside])
    if len(grants) > ALIKE_MAX or any(targets.common(place) for place in outside):
        return ()
    return without_implied(grants) if all(_would_be_offered(each.value, grants, plan) for each in grants) else ()


def _goes_elsewhere(command: CommandRequest) -> bool:
    return any(argv[0] in ("cd", "pushd", "popd") for argv in everything_run(segments(command.argv)).commands)


def _would_be_offered(place: str, grants: tuple[Grant, ...], plan: ConfinedCommand) -> bool:
    """Whether its refused call would be given nothing but what is named, if somebody said yes."""
    if join(realpath(dirname(place)), basename(place)) != place:
        return False
    offered = RefusedChanges(plan).grants(Refused("delete", "unlinkat", place, program="rm")) or ()
    return bool(offered) and {*offered} <= {*grants}
