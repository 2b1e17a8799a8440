"""Whether a file of settings that a command wrote may take the place of the one before it: git-config(1).

It may when both say the same but for settings that cannot run a program, load a file or lead a later `git push`
elsewhere. Two readers of one file must not differ, so what is new has to be written as plainly as git itself writes it;
whatever else stands there has to have stood there before.
"""

from __future__ import annotations

import posixpath
import re

from sandgate.commandline import git_settings
from sandgate.places.git_draft import is_ref_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Settings = list[tuple[str, str]]

CONFIG_CHARS_MAX = 1 << 20  # of one file
_HEADER = re.compile(r'\[[A-Za-z][A-Za-z0-9.-]*(?: "[^"\\\x00-\x1f\x7f]*")?\]')
_VALUE = r'(?:[^"\\#;\x00-\x1f\x7f]*|"[^"\\\x00-\x1f\x7f]*")'
_SETTING = re.compile(r"[ \t]*[A-Za-z][A-Za-z0-9-]*(?:[ \t]*=[ \t]*" + _VALUE + r")?[ \t]*")
_OVER_THE_NETWORK = re.compile(r"(?:https?|ssh|git)://(?!-|[^/]*@-)[^\s\x00-\x1f]+")
_OVER_SSH = re.compile(r"(?:[A-Za-z0-9._]+@)?[A-Za-z0-9][A-Za-z0-9.-]*:(?!//|[/:]*:)[^\s\x00-\x1f-][^\s\x00-\x1f]*")
_FETCHED = re.compile(r"\+?refs/(heads|tags)/[^\s:]*:refs/(remotes|tags)/[^\s:]*")
_TAGOPTS = ("--no-tags", "--tags")


class ConfigPlace:
    """Where the settings hold. `may_name`: whether a local repository at this absolute path may be named by them."""

    __slots__ = ("may_name", "worktree")

    def __init__(self, may_name: Callable[[str], bool], worktree: str = "") -> None:
        self.may_name = may_name
        self.worktree = worktree  # what `core.worktree` of a submodule has to be, as git writes it; "": none


def refused_setting(old: str, new: str, place: ConfigPlace) -> str:
    """The setting for whose sake `new` may not take the place of `old`, or what else is wrong; "" if it may."""
    if max(len(old), len(new)) > CONFIG_CHARS_MAX:
        return "too many settings"
    if not is_written_plainly(old, new):
        return "a line that git would not write so"
    before, after = git_settings.settings_in(old), git_settings.settings_in(new)
    fixed = _fixed(before)
    if fixed != _fixed(after):
        return _first_difference(fixed, _fixed(after))
    known = set(before)
    fresh = [each for each in after if each not in known and git_settings.leads(each[0])]
    gone = [each for each in before if each not in set(after) and _must_stay(each[0])]
    return next((key for key, _ in gone), "") or next(
        (key for key, value in fresh if not _may_lead(key, value, before, place)), ""
    )


def refused_of_submodule(old: str, new: str, place: ConfigPlace) -> str:
    """The same for the settings of a submodule, which may have been there or not: they say where its files are, and
    do not while it is not checked out."""
    named = _worktrees(new)
    if named and named != [place.worktree]:
        return "core.worktree"
    before = _worktrees(old)
    if len(before) > 1:
        return "core.worktree"
    return refused_setting(_without_worktree(old, before), _without_worktree(new, named), place)


def _worktrees(text: str) -> list[str]:
    return [value for key, value in git_settings.settings_in(text) if key == "core.worktree"]


def _without_worktree(text: str, named: list[str]) -> str:
    """Only where it stands as git writes it."""
    if not named:
        return text
    return "\n".join([line for line in text.split("\n") if line.strip(" \t") != f"worktree = {named[0]}"])


def is_written_plainly(old: str, new: str) -> bool:
    """Lines that stood there are believed again, if each stands for itself.

    Git ends a line at a line feed alone, our reader also at others: where these differ, nothing is believed.
    """
    known = frozenset(old.split("\n"))
    goes_on = "\\\n" in old or old.endswith("\\")
    is_alike = all(len(line.splitlines()) <= 1 for line in (*known, *new.split("\n")))
    return is_alike and not goes_on and all(line in known or _is_plain_line(line) for line in new.split("\n"))


def _is_plain_line(line: str) -> bool:
    bare = line.strip(" \t")
    return not bare or _HEADER.fullmatch(bare) is not None or _SETTING.fullmatch(line) is not None


def _fixed(settings: Settings) -> Settings:
    return [each for each in settings if not git_settings.harmless(each[0]) and not git_settings.leads(each[0])]


def _first_difference(before: Settings, after: Settings) -> str:
    for was, now in zip(before, after, strict=False):
        if was != now:
            return now[0]
    return (after[len(before) :] or before[len(after) :])[0][0]


def _must_stay(key: str) -> bool:
    """Else one command takes it away, and the next puts another one in its place."""
    return key.startswith("remote.") and key.endswith(("url", "fetch"))


def _may_lead(key: str, value: str, before: Settings, place: ConfigPlace) -> bool:
    """A remote that was there leads where it led, and a branch that had one keeps it."""
    section, _, rest = key.partition(".")
    name, _, last = rest.rpartition(".")
    had = any(old.startswith(f"{section}.{name}.") for old, _ in before)
    if section == "branch":
        return (
            value == "." or _others_had(value, last, before) or (last == "remote" and _may_follow(key, value, before))
        )
    if last == "fetch":
        return _FETCHED.fullmatch(value) is not None
    if last == "tagopt":
        return value in _TAGOPTS
    if section == "remote" and (had or not _is_free_name(name, before)):
        return False
    return all(old != key for old, _ in before) and may_be_named(value, place, relative=section == "submodule")


def _is_free_name(name: str, before: Settings) -> bool:
    """As git names remotes, and no address or path that a branch follows by itself: it would lead there from now on."""
    return is_ref_name(f"refs/remotes/{name}") and all(value != name for _, value in before)


def _may_follow(key: str, value: str, before: Settings) -> bool:
    """Whether a branch without a remote may get this one: one that was there, or the first of a repository."""
    if any(old == key for old, _ in before):
        return False
    remotes = {old.partition(".")[2].rpartition(".")[0] for old, _ in before if old.startswith("remote.")}
    return value in remotes or (not remotes and is_ref_name(f"refs/remotes/{value}") and "/" not in value)


def _others_had(value: str, last: str, before: Settings) -> bool:
    """A branch that was renamed takes its settings along."""
    return any(old == value and key.startswith("branch.") and key.endswith(f".{last}") for key, old in before)


def may_be_named(value: str, place: ConfigPlace, *, relative: bool) -> bool:
    """Whether a repository at this address, or this path, can be fetched from and runs nothing."""
    if value.startswith("-") or "::" in value:
        return False
    if value.startswith("/"):
        return posixpath.normpath(value) == value and place.may_name(value)
    if relative and value.startswith(("./", "../")):
        return True
    return any(form.fullmatch(value) is not None for form in (_OVER_THE_NETWORK, _OVER_SSH))
