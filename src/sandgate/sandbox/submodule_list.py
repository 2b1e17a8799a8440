"""Whether a `.gitmodules` that a command wrote holds nothing that git would run or be led astray by: gitmodules(5).

It may say where submodules lie, where they come from, and how much of them is wanted. What stood there before is a
person's and believed again.
"""

from __future__ import annotations

from sandgate.commandline import git_settings
from sandgate.sandbox.git_changed_config import CONFIG_CHARS_MAX, is_written_plainly, may_be_named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.sandbox.git_changed_config import ConfigPlace

SECTION = "submodule"
_ANY_VALUE = frozenset(("branch", "ignore", "fetchrecursesubmodules", "shallow"))
_UPDATES = frozenset(("checkout", "rebase", "merge", "none"))
_BAD_PARTS = frozenset(("", ".", "..", ".git"))


def refused_entry(old: str, new: str, place: ConfigPlace) -> str:
    """The setting for whose sake `new` may not take the place of `old`, or what else is wrong; "" if it may."""
    if max(len(old), len(new)) > CONFIG_CHARS_MAX:
        return "too many settings"
    if not is_written_plainly(old, new):
        return "a line that git would not write so"
    known = frozenset(git_settings.settings_in(old))
    fresh = [each for each in git_settings.settings_in(new) if each not in known]
    return next((key for key, value in fresh if not _is_harmless(key, value, place)), "")


def _is_harmless(key: str, value: str, place: ConfigPlace) -> bool:
    section, _, rest = key.partition(".")
    name, _, last = rest.rpartition(".")
    if section != SECTION or not _is_below(name):
        return False
    match last:
        case "path":
            return _is_below(value)
        case "url":
            return may_be_named(value, place, relative=True)
        case "update":
            return value in _UPDATES
        case _:
            return last in _ANY_VALUE


def _is_below(path: str) -> bool:
    """Of a name, too: git keeps a submodule of that name in a directory below its own."""
    return path[:1] != "-" and "\\" not in path and _BAD_PARTS.isdisjoint(path.lower().split("/"))
