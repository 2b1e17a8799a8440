"""Commands that can destroy more than they should, recognised however they are dressed.

The list is short on purpose: a prompt for every delete teaches people to say yes. It looks at everything a
command line runs, through wrappers and inside scripts we could not fully read, because a match may only ever
make a verdict stricter.
"""

from __future__ import annotations

from sandgate.commandline.split import segments
from sandgate.commandline.words import program_name
from sandgate.commandline.wrappers import STARTERS
from sandgate.policy.danger import NONE_SPARED as NONE_SPARED
from sandgate.policy.danger import Danger as Danger
from sandgate.policy.danger import danger_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.commandline.split import Segments

    Argv = tuple[str, ...]


def find_danger(what: Segments, spared: frozenset[Argv] = NONE_SPARED) -> Danger | None:
    """The first dangerous thing a command line does, or None. `spared`: commands of it that are none, as is known."""
    if what.script is None and (not what.argv or program_name(what.argv[0]) not in STARTERS):
        why = danger_of(what.argv) if what.argv and what.argv not in spared else ""
        return Danger(what.argv, why) if why else None
    from sandgate.policy.danger_in_company import find_in_company

    return find_in_company(what, spared)


def dangerous_segments(what: Segments, danger: Danger | None, spared: frozenset[Argv]) -> list[bool]:
    """Which segments are dangerous by themselves; the last one stands for a danger of the line as a whole."""
    if danger is None:
        return [False] * len(what.commands)
    if len(what.commands) == 1:
        return [True]
    found = {command: find_danger(segments(command), spared) is not None for command in dict.fromkeys(what.commands)}
    each = [found[command] for command in what.commands]
    return each if any(each) else [*each[:-1], True]
