"""Which grants a view is made for, and which a supervisor carries out in the stead of a command.

A file that may be changed is not mounted where a supervisor can do without: a mount can neither be replaced, as editors
do, nor stand for what does not exist. A directory that is there is mounted, and so is what only a view opens.
"""

from __future__ import annotations

import os
from os.path import dirname, isdir, islink, join, lexists, normpath, realpath, split

from sandgate.errors import ConfinementError
from sandgate.places import git
from sandgate.policy.small_grants import is_closed_for_good
from sandgate.protocol.permissions import ESCALATE, NAMED_KINDS, PATH_CHARS_MAX, Grant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sandgate.protocol.confinement import ConfinedCommand
    from sandgate.protocol.permissions import EffectivePermissions, RuleGrant

    Grants = tuple[Grant, ...]
    Notes = tuple[str, ...]

SHOWN_CHARS = 80  # of a path that is none
CARRIED_MAX = 256  # grants of one plan, PLAN_GRANTS_MAX of native/plan.h; what is beyond is refused as without it


def parted(
    settled: Grants, grants: Grants, permissions: Callable[[Grants], EffectivePermissions]
) -> tuple[Grants, Grants]:
    """Those for a view, and those to be carried out; `permissions` are what a command with grants may touch.

    `settled` stand in settings and options, as somebody wrote them; `grants` were shown as they are.
    """
    wanted = [each for each in (*settled, *grants) if each.kind in NAMED_KINDS]
    if not wanted or ESCALATE in grants:
        return grants, ()
    others = tuple([each for each in grants if each not in wanted])
    seen = permissions(others)
    if not seen.confined:
        return grants, ()
    wanted = list(dict.fromkeys([*[_canonical(each, seen) for each in settled], *wanted[len(settled) :]]))
    _refuse_closed(wanted, seen)
    carried = [each for each in wanted if each.kind != "write_path" or not _is_mounted(each.value, seen)]
    mounted = tuple([each for each in wanted if each not in carried])
    return (*others, *mounted), tuple(carried[:CARRIED_MAX])


def given_here(given: tuple[RuleGrant, ...], permissions: EffectivePermissions) -> tuple[tuple[RuleGrant, ...], Notes]:
    """What rules give, as calls name it, and a sentence for each rule that can give nothing here.

    A rule is written once and meant for long: what it names may be gone, or lead elsewhere by now.
    """
    found, notes = [], []
    for each in given if permissions.confined else ():
        try:
            grant = _canonical(each.grant, permissions)
            _refuse_closed([grant], permissions)
        except ConfinementError as wrong:
            notes.append(f"the {each.rule} gives nothing: {wrong.why}")
            continue
        if grant.kind != "write_root" or (isdir(grant.value) and not islink(grant.value)):
            found.append(each.but(grant=grant))
    return tuple(found), tuple(notes)


def _canonical(grant: Grant, permissions: EffectivePermissions) -> Grant:
    """As calls name it. Raises ConfinementError where a link leads there that commands could have made."""
    directory, name = split(normpath(grant.value))
    real = realpath(directory)
    if real != directory and (link := _made_link(directory, permissions)):
        raise ConfinementError(
            f"cannot grant `{grant.value}`",
            why=f"`{link}` is a symbolic link in a directory that confined commands can change",
            hint=f"grant `{join(real, name)}`, if that is what you mean",
        )
    return Grant(grant.kind, join(real, name))


def _made_link(directory: str, permissions: EffectivePermissions) -> str:
    parts = directory.split("/")
    above = ["/".join(parts[:count]) for count in range(2, len(parts) + 1)]
    return next((each for each in above if islink(each) and permissions.may_write(each)), "")


def _refuse_closed(grants: Iterable[Grant], permissions: EffectivePermissions) -> None:
    for grant in grants:
        if len(os.fsencode(grant.value)) >= PATH_CHARS_MAX:
            raise ConfinementError(
                f"cannot grant `{grant.value[:SHOWN_CHARS]}…`",
                why=f"no path has more than {PATH_CHARS_MAX - 1} bytes",
                hint="take it out of `--grant`, and of `grants` in the settings",
            )
        if is_closed_for_good(grant.value, permissions):
            raise ConfinementError(
                f"cannot grant `{grant.value}`",
                why="it belongs to Sandgate itself, to the Python that runs it, or to the kernel",
                hint="take it out of `--grant`, and of `grants` in the settings",
            )


def with_standing(plan: ConfinedCommand, given: Grants) -> ConfinedCommand:
    """The plan with the places that its session was given, so that it need not fail first."""
    if not plan.carries_calls:
        return plan
    named = [each for each in given if each.kind in (*NAMED_KINDS, "write_root")]
    carried = tuple(dict.fromkeys((*plan.supervised_grants, *named)))[:CARRIED_MAX]
    return plan.but(supervised_grants=carried) if carried != plan.supervised_grants else plan


def only_a_view_opens(path: str, permissions: EffectivePermissions) -> bool:
    """Whether a change of it takes a view that is made for it, also when it is allowed."""
    if git.in_directory(path) or path in permissions.judged:
        return True
    return lies_in(path, permissions.hidden) and not lies_in(path, permissions.reopened) and lexists(path)


def is_missing_name(path: str, permissions: EffectivePermissions) -> bool:
    """Whether there is nothing of that name where anything else may be made: then the name itself is protected."""
    return not lexists(path) and permissions.may_write(dirname(path))


def _is_mounted(path: str, permissions: EffectivePermissions) -> bool:
    if islink(path):  # nothing is mounted behind it: it may lead elsewhere by now
        return False
    return isdir(path) or only_a_view_opens(path, permissions) or is_missing_name(path, permissions)


def lies_in(path: str, places: tuple[str, ...]) -> bool:
    """Whether it is one of `places` or below one."""
    return any(path == place or path.startswith(place + "/") for place in places)
