"""What a confined command may not read unless a person opens it: in homes, on the machine, and the keys that ssh's
own settings say are kept elsewhere.

No tree is walked. Only existing paths are reported, canonical, so that what is hidden is the file and not a link to
it.
"""

from __future__ import annotations

import os
import stat

from sandgate.places.home import standing
from sandgate.places.secrets import (
    MACHINES_LESS_SECRETS,
    ON_MACHINE,
    SEEN_BESIDE_SECRETS,
    SEEN_LESS_SECRETS,
    may_hold_secrets,
)
from sandgate.sandbox.git_config import IN_HOME, named_places
from sandgate.sandbox.home import Closed, closed_elsewhere, closed_in, linked_programs, program_directories
from sandgate.sandbox.roots import at_or_below

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from sandgate.sandbox.looking import Look

# Permission bits do not stop a confined command that *is* root.
ROOT_ONLY = tuple([path.rstrip("/") for path in ON_MACHINE if not path.startswith(("/proc/", "/dev/", "/root/"))])
_IN_ETC = tuple([(path, path.split("/", 3)[2]) for path in ROOT_ONLY if path.startswith("/etc/")])
_ELSEWHERE = tuple([path for path in ROOT_ONLY if not path.startswith("/etc/")])
SSH_CONFIG_BYTES_MAX = 65536
COPIED_BYTES_MAX = 32_768  # of a file that is shown without its secrets; a larger one is not
SETTINGS_BYTES_MAX = (
    1 << 18
)  # of a file that is open unless it holds secrets; a larger one with a sign of some is closed
SSH_CONFIG_FILES_MAX = 32  # followed through `Include`


def secrets_of(
    homes: Collection[str],
    look: Look,
    *,
    uid: int,
    opened: Collection[str] = (),
    path: str = "",
    kept: Collection[str] = (),
    settings: tuple[str, ...] = (),
) -> Closed:
    """What is closed in `homes` (canonical) and on the machine. `opened` are canonical paths that the configuration
    leaves readable, `path` is `$PATH`, `kept` are directories that a person works in, `settings` files of git's that
    the environment names.
    """
    programs = program_directories(path, homes, look)
    included = tuple(_named_by_git(homes, settings, look))
    runs = (*programs, *linked_programs(programs, homes, look), *included)
    found = [closed_in(home, look, opened=opened, runs=runs, kept=kept) for home in homes]
    found.append(closed_elsewhere(homes, look, uid=uid))
    known = [*(_root_only(look) if uid == 0 else ()), *(key for home in homes for key in _ssh_keys(home, look))]
    known += [path for one in found for path in one.known]
    with_secrets = _Settings(look, opened).less_secrets(homes, (*included, *settings), programs)
    closed = tuple(dict.fromkeys(path for path in (*known, *with_secrets) if path not in opened))
    copies = [(place, shown) for place, shown in with_secrets.items() if shown is not None]
    return Closed(
        closed,
        tuple(dict.fromkeys(path for one in found for path in one.unknown if path not in opened)),
        tuple(dict.fromkeys(path for one in found for path in one.openings if path not in with_secrets)),
        (*_copies(closed, homes, look), *copies),
    )


def _copies(closed: tuple[str, ...], homes: Collection[str], look: Look) -> Iterable[tuple[str, bytes]]:
    """What may be seen of closed files whose form is known; none of one that holds anything else, or is a link."""
    for home in homes:
        for inner, form in SEEN_BESIDE_SECRETS.items():
            path = f"{home}/{inner}"
            if path not in closed or not look.is_kind(path, stat.S_ISREG):
                continue
            from sandgate.places.without_secrets import without_secrets

            text = look.settled_text(path, COPIED_BYTES_MAX + 1)
            shown = without_secrets(form, text) if len(text) <= COPIED_BYTES_MAX else None
            if shown is not None:
                yield path, shown.encode("utf-8", "surrogateescape")


class _Settings:
    """Files that are open but for the secrets in them."""

    def __init__(self, look: Look, opened: Collection[str]) -> None:
        self._look = look
        self._opened = opened
        self._texts: dict[str, str] = {}  # of every file that was looked at
        self._shown: dict[str, bytes | None] = {}

    def less_secrets(
        self, homes: Collection[str], of_git: Iterable[str], programs: Iterable[str]
    ) -> dict[str, bytes | None]:
        """What to close, each with what is shown in its place; None: nothing. `programs` are directories of `$PATH`,
        beside which an environment of Python's has its settings. Where one file of git's has a secret, all of them are
        named: where nothing can lie in their place, git has to do without any, as one includes another.
        """
        gits = [*of_git]
        for home in homes:
            first = frozenset(self._look.names(home))  # most of them are not there
            for inner, form in SEEN_LESS_SECRETS.items():
                if inner[-1] != "*" and inner.partition("/")[0] not in first:
                    continue
                there = list(self._named(home, inner))
                gits += there if form == "git" else ()
                self._take((path for path in there if form != "git"), form)
            beside = [f"{os.path.dirname(directory)}/pip.conf" for directory in programs]
            self._take((path for path in beside if _may_be_seen(path, home)), "lines")
        for path, form in MACHINES_LESS_SECRETS.items():
            self._take((path,), form)
        before = len(self._shown)
        of_git = self._take(gits, "git")
        if len(self._shown) > before:
            for path in of_git:
                self._shown.setdefault(path, os.fsencode(self._texts[path]))
        for path in of_git:
            self._shown |= dict.fromkeys(self._stores(path, homes))
        return self._shown

    def _named(self, home: str, inner: str) -> Iterable[str]:
        directory, _, name = f"{home}/{inner}".rpartition("/")
        if name[-1] != "*":
            return (f"{directory}/{name}",)
        names = [each for each in self._look.names(directory) if each.startswith(name[:-1])]
        return [path for each in names if _may_be_seen(path := f"{directory}/{each}", home)]

    def _take(self, paths: Iterable[str], form: str) -> list[str]:
        """The canonical paths of those that are files."""
        taken = []
        for path in paths:
            real = self._look.real(path) if self._look.exists(path) else ""
            if not real or not self._look.is_kind(real, stat.S_ISREG) or at_or_below(real, self._opened):
                continue
            taken.append(real)
            if real not in self._texts:
                self._texts[real] = text = self._look.settled_text(real, SETTINGS_BYTES_MAX + 1)
                if may_hold_secrets(text):
                    self._without_tokens(real, form, text)
        return taken

    def _without_tokens(self, path: str, form: str, text: str) -> None:
        from sandgate.places.without_tokens import without_tokens

        shown = without_tokens(form, text) if len(text) <= SETTINGS_BYTES_MAX else None
        if shown != text:
            self._shown[path] = None if shown is None or len(shown) > COPIED_BYTES_MAX else os.fsencode(shown)

    def _stores(self, path: str, homes: Collection[str]) -> Iterable[str]:
        """Files of secrets that git's settings name: below a home, as what lies elsewhere is a program's."""
        text = self._texts[path]
        if not may_hold_secrets(text):
            return
        from sandgate.places.without_tokens import stores_of_git

        for said in stores_of_git(text):
            for home in homes:
                place = _from_home(said.replace("$HOME/", "~/").replace("${HOME}/", "~/"), home, base=home)
                if (real := _canonical(place, self._look)) and at_or_below(real, (home,)) and real != home:
                    yield real


def _may_be_seen(path: str, home: str) -> bool:
    return path.startswith(f"{home}/") and standing(path[len(home) + 1 :]) in ("plain", "harmless")


def _named_by_git(homes: Collection[str], settings: Collection[str], look: Look) -> Iterable[str]:
    """What git's settings of a home include, and where its hooks and templates are: git fails where it may not read
    them, and what they include is as much its settings as they are.
    """
    for home in homes:
        files = [path for path in (*(f"{home}/{name}" for name in IN_HOME), *settings) if look.exists(path)]
        if files:
            named = named_places(tuple(files), home, (home,), look)
            yield from (look.real(place.path) for place in named if place.kind != "word")


def _root_only(look: Look) -> Iterable[str]:
    there = frozenset(look.names("/etc"))  # where nearly all of them would be
    for path in (*_ELSEWHERE, *(path for path, entry in _IN_ETC if entry in there)):
        if real := _canonical(path, look):
            yield real
    for name in look.names("/etc/ssh"):
        if name.startswith("ssh_host_") and name.endswith("_key"):
            yield "/etc/ssh/" + name


def _ssh_keys(home: str, look: Look) -> Iterable[str]:
    """Private keys by their usual names, and every file that ssh's own settings name as one."""
    directory = home + "/.ssh"
    names = look.names(directory)
    for name in names:
        if name.startswith("id_") and not name.endswith(".pub") and (path := _canonical(f"{directory}/{name}", look)):
            yield path
    pending, read = ([directory + "/config"] if "config" in names else []), 0
    while pending and read < SSH_CONFIG_FILES_MAX:
        keys, included = _ssh_settings(pending.pop(), home, look)
        read += 1
        pending += included
        for key in keys:
            if path := _canonical(key, look):
                yield path


def _ssh_settings(config: str, home: str, look: Look) -> tuple[list[str], list[str]]:
    """The private keys and the further files one ssh configuration file names."""
    keys: list[str] = []
    included: list[str] = []
    for line in look.text(config, SSH_CONFIG_BYTES_MAX).splitlines():
        words = line.strip().replace("=", " ", 1).split(None, 1)
        if len(words) < 2:
            continue
        value = words[1].strip().strip('"')
        keyword = words[0].lower()
        if keyword == "identityfile" and "%" not in value.replace("%d", ""):
            keys.append(_from_home(value.replace("%d", home), home, base=home))
        elif keyword == "include":
            for pattern in value.split():
                included += _matches(_from_home(pattern, home, base=home + "/.ssh"), look)
    return keys, included


def _from_home(value: str, home: str, *, base: str) -> str:
    if value == "~" or value.startswith("~/"):
        return home + value[1:]
    return value if value.startswith("/") else f"{base}/{value}"


def _matches(pattern: str, look: Look) -> list[str]:
    if not any(char in pattern for char in "*?["):
        return [pattern]
    import glob  # heavy (re, fnmatch); few configurations include by pattern

    look.cannot_be_kept()
    return sorted(glob.glob(pattern))


def _canonical(path: str, look: Look) -> str | None:
    """The real path of something that exists."""
    if not look.exists(path):  # most entries end here, for the price of one call
        return None
    if not look.is_link(path) or look.leads_anywhere(path):
        return look.real(path)
    return None
