"""What a confined command may not read unless somebody opens it: in homes, on the machine, and the keys that ssh's
own settings say are kept elsewhere.

No tree is walked. Only existing paths are reported, canonical, so that what is hidden is the file and not a link to
it.
"""

from __future__ import annotations

import stat

from sandgate.places.secrets import ON_MACHINE
from sandgate.sandbox.git_config import IN_HOME, named_places
from sandgate.sandbox.home import Closed, closed_elsewhere, closed_in, linked_programs, program_directories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from sandgate.sandbox.looking import Look

# Permission bits do not stop a confined command that *is* root.
ROOT_ONLY = tuple([path.rstrip("/") for path in ON_MACHINE if not path.startswith(("/proc/", "/dev/", "/root/"))])
# Of a home, and of a form that `places.without_secrets` knows.
FORMS = (".npmrc", ".config/pip/pip.conf", ".pip/pip.conf", ".docker/config.json", ".m2/settings.xml")
SSH_CONFIG_BYTES_MAX = 65536
COPIED_BYTES_MAX = 32_768  # of a file that is shown without its secrets; a larger one is not
SSH_CONFIG_FILES_MAX = 32  # followed through `Include`


def secrets_of(
    homes: Collection[str],
    look: Look,
    *,
    uid: int,
    opened: Collection[str] = (),
    path: str = "",
    kept: Collection[str] = (),
) -> Closed:
    """What is closed in `homes` (canonical) and on the machine. `opened` are canonical paths that the configuration
    leaves readable, `path` is `$PATH`, `kept` are directories that somebody works in.
    """
    programs = program_directories(path, homes, look)
    runs = (*programs, *linked_programs(programs, homes, look), *_named_by_git(homes, look))
    found = [closed_in(home, look, opened=opened, runs=runs, kept=kept) for home in homes]
    found.append(closed_elsewhere(homes, look, uid=uid))
    known = [*(_root_only(look) if uid == 0 else ()), *(key for home in homes for key in _ssh_keys(home, look))]
    known += [path for one in found for path in one.known]
    closed = tuple(dict.fromkeys(path for path in known if path not in opened))
    return Closed(
        closed,
        tuple(dict.fromkeys(path for one in found for path in one.unknown if path not in opened)),
        tuple(dict.fromkeys(path for one in found for path in one.openings)),
        tuple(_copies(closed, homes, look)),
    )


def _copies(closed: tuple[str, ...], homes: Collection[str], look: Look) -> Iterable[tuple[str, bytes]]:
    """What may be seen of closed files whose form is known; none of one that holds anything else, or is a link."""
    for home in homes:
        for inner in FORMS:
            path = f"{home}/{inner}"
            if path not in closed or not look.is_kind(path, stat.S_ISREG):
                continue
            from sandgate.places.without_secrets import without_secrets

            text = look.settled_text(path, COPIED_BYTES_MAX + 1)
            shown = without_secrets(inner, text) if len(text) <= COPIED_BYTES_MAX else None
            if shown is not None:
                yield path, shown.encode("utf-8", "surrogateescape")


def _named_by_git(homes: Collection[str], look: Look) -> Iterable[str]:
    """What git's settings of a home include, and where its hooks and templates are: git fails where it may not read
    them, and what they include is as much its settings as they are.
    """
    for home in homes:
        files = [path for name in IN_HOME if look.exists(path := f"{home}/{name}")]
        if files:
            named = named_places(tuple(files), home, (home,), look)
            yield from (look.real(place.path) for place in named if place.kind != "word")


def _root_only(look: Look) -> Iterable[str]:
    there = frozenset(look.names("/etc"))  # where nearly all of them would be
    for path in ROOT_ONLY:
        if path[:5] == "/etc/" and path.split("/", 3)[2] not in there:
            continue
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
    led = look.follow(path)
    return None if led is None else led.real
