"""What a change that was refused, and did not wait, would have taken: the same small grants as at a call that waits.

One table decides for both (`policy/small_grants.py`). What differs afterwards is said here: of a rename one name alone
is told, names made up at random are others the next time, and what only a view opens is left to it: git directories,
files that are judged when a command ends, and what is there already in a closed place.
"""

from __future__ import annotations

from os.path import basename, dirname, isdir, isfile, islink, join, lexists

from sandgate.commandline import segments
from sandgate.commandline.invocation import everything_run
from sandgate.places import git
from sandgate.policy.small_grants import REMOVES_FIRST, grants_for, intent_of, is_destination
from sandgate.policy.targets import targets_of
from sandgate.protocol.held_calls import HeldCall
from sandgate.protocol.permissions import Grant
from sandgate.sandbox.carried_grants import is_missing_name, lies_in, only_a_view_opens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.policy.small_grants import HeldIntent
    from sandgate.protocol.confinement import ConfinedCommand
    from sandgate.protocol.denials import Refused
    from sandgate.protocol.permissions import EffectivePermissions

    Grants = tuple[Grant, ...]

CHANGES = ("write", "create", "delete", "rename", "metadata")
MAKES_DIRECTORIES = ("mkdir", "mkdirat")
SCRATCH = ("/tmp", "/var/tmp")  # names in these are made up at random: the next run would want another one


class RefusedChanges:
    """Of one attempt, to be asked about in the order in which they were refused."""

    def __init__(self, plan: ConfinedCommand) -> None:
        self._plan = plan
        self._intent: HeldIntent | None = None
        self._given: Grants = plan.supervised_grants

    def grants(self, refused: Refused) -> Grants | None:
        """The fewest that its intent takes; None where they are found in another way."""
        path, permissions = refused.path, self._plan.permissions
        if refused.operation not in CHANGES or path is None or not refused.host_allows:
            return None
        if _takes_a_view(refused, path, permissions):
            return None
        if self._intent is None:
            self._intent = looked_up(self._plan)
        if place := self._scratch_around(refused, path):
            return (Grant("write_root", place),)
        place = git.bare_repository(path, lexists)
        if place and not git.is_code(path, place):
            return None if self._intent.targets.common(place) else (Grant("write_root", place),)
        if tree := self._tree_around(refused, path):
            return (Grant("remove", tree),)
        given = () if refused.operation == "rename" else self._given  # what it had made itself it could have moved
        found = grants_for(self._as_held(refused, path), self._intent, given)
        if found and lies_in(path, permissions.hidden) and {*found} <= {*self._plan.supervised_grants}:
            return None  # it takes something that is hidden: a link to it, or its move
        self._given += found or ()
        return found

    def _scratch_around(self, refused: Refused, path: str) -> str:
        named = self._intent is not None and path in self._intent.targets.named
        return dirname(path) if refused.operation == "create" and dirname(path) in SCRATCH and not named else ""

    def _tree_around(self, refused: Refused, path: str) -> str:
        """What the words have removed with all that is in it: it goes last, and is one with its first step."""
        if refused.operation != "delete" or self._intent is None:
            return ""
        from sandgate.sandbox.removed_trees import removed_tree

        tree = removed_tree(path, self._plan)
        return "" if not tree or self._intent.targets.common(tree) else tree

    def _as_held(self, refused: Refused, path: str) -> HeldCall:
        """With the other name of a rename, as far as the words of the command tell it."""
        if refused.operation != "rename":
            return HeldCall(0, refused)
        if not lexists(path):  # then it is the new name: the old one was free
            return HeldCall(0, refused.but(operation="create"))
        if self._makes_room(refused, path):
            return HeldCall(0, refused.but(operation="delete"))
        named = self._named_with(path)
        others = [each for each in named if each != path]
        if others and path == named[-1]:
            return HeldCall(0, refused.but(operation="write"))
        target = others[-1] if others else ""
        return HeldCall(0, refused, join(target, basename(path)) if target and isdir(target) else target)

    def _makes_room(self, refused: Refused, path: str) -> bool:
        """Whether its program removes what is there: from a place of the command's own it copies, as between disks."""
        if refused.program not in REMOVES_FIRST or self._intent is None or not is_destination(path, self._intent):
            return False
        writable = self._plan.permissions.may_write
        return any(each != path and lexists(each) and writable(dirname(each)) for each in self._intent.targets.named)

    def _named_with(self, path: str) -> tuple[str, ...]:
        """What the command names that also names `path`."""
        plan = self._plan
        commands = everything_run(segments(plan.argv)).commands
        found = (targets_of(plan.but(argv=argv), plan.cwd).named for argv in commands)
        return next((named for named in found if path in named), ())


def _takes_a_view(refused: Refused, path: str, permissions: EffectivePermissions) -> bool:
    """What a supervisor cannot do, or what the command would not see once it is done: its place is covered."""
    if only_a_view_opens(path, permissions) and refused.operation in ("write", "create", "rename"):
        return True
    if git.in_directory(path) or (refused.operation == "rename" and is_missing_name(path, permissions)):
        return True
    if path in permissions.hidden and refused.operation == "delete" and isdir(path):
        return True  # it looks empty, and is not
    covered = lies_in(path, permissions.hidden) and not lies_in(path, permissions.reopened)
    return covered and (refused.operation == "rename" or refused.syscall in MAKES_DIRECTORIES)


def looked_up(plan: ConfinedCommand) -> HeldIntent:
    """What the words of a command are about, compared with what there is now."""
    return intent_of(plan, plan.permissions, exists=lexists, is_file=is_file_or_link)


def is_file_or_link(path: str) -> bool:
    """Whether it can be replaced by a file."""
    return isfile(path) or islink(path)
