"""What of a home is closed to confined commands, on this disk: `places.home` applied to what there is.

An entry is closed as a whole where that is possible: what comes to exist in it later is closed, too. A link cannot be
shown inside of a covered directory, so where something harmless is one, each entry beside it is closed by itself.
"""

from __future__ import annotations

import os
import stat

from sandgate.places.home import has_more_below, standing, verdict_on
from sandgate.places.secrets import PLAIN_NAMES_IN_HOME
from sandgate.record import Record
from sandgate.sandbox.roots import at_or_below

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from sandgate.sandbox.looking import Look

HOMES = "/home"
ROOTS_HOME = "/root"
SHARED_HOMES = frozenset(("linuxbrew",))  # in `/home`, and no person's home: programs for all users
MAIL = ("/var/mail", "/var/spool/mail")
# What belongs to a program on the path beside its own directory `bin`.
OF_A_PREFIX = ("lib", "lib64", "libexec", "share", "include", "pyvenv.cfg")
_PROGRAM_DIRECTORIES = frozenset(("bin", "sbin", "shims"))
_SYSTEM_TREES = ("/bin", "/boot", "/dev", "/etc", "/gnu", "/lib", "/lib64", "/nix", "/opt", "/proc", "/run", "/sbin",
                 "/snap", "/sys", "/usr")  # fmt: skip
_OTHERS_MAY_LOOK = 0o055


class Closed(Record):
    """Existing paths, canonical."""

    known: tuple[str, ...] = ()  # they hold secrets
    unknown: tuple[str, ...] = ()  # no list says that they hold none
    openings: tuple[str, ...] = ()  # harmless, and below one of the others
    copies: tuple[tuple[str, bytes], ...] = ()  # of files in `known`: what they hold beside secrets


class _Inside:
    """What was found in one directory."""

    __slots__ = ("known", "linked", "openings", "rest")

    def __init__(self) -> None:
        self.known: list[str] = []
        self.openings: list[str] = []
        self.rest: list[str] = []  # to be closed one by one, where the directory cannot be closed as a whole
        self.linked = False  # it cannot

    def take_in(self, other: _Inside) -> None:
        self.known += other.known
        self.openings += other.openings


def closed_in(
    home: str, look: Look, *, opened: Collection[str] = (), runs: Collection[str] = (), kept: Collection[str] = ()
) -> Closed:
    """`home` is canonical. `opened` are canonical paths that the configuration leaves readable, `runs` directories
    that programs are started from, `kept` those that a person works in: a link to a part of one closes nothing there.
    """
    return _Home(home, look, opened, runs, kept).closed()


class _Home:
    def __init__(
        self, home: str, look: Look, opened: Collection[str], runs: Collection[str], kept: Collection[str]
    ) -> None:
        self._home = home
        self._look = look
        self._opened = opened
        self._runs = runs
        self._kept = kept

    def closed(self) -> Closed:
        inside = _Inside()
        for name, is_link in self._look.entries(self._home):
            if name[0] == ".":
                self._entry(self._home, "", name, is_link, True, inside)
            elif name in PLAIN_NAMES_IN_HOME:
                self._entry(self._home, "", name, is_link, False, inside)
        openings = [*inside.openings, *self._programs(inside), *self._opened_below((*inside.known, *inside.rest))]
        return Closed(_distinct(inside.known), _distinct(inside.rest), _distinct(openings))

    def _contents(self, directory: str, inner: str, closed: bool) -> _Inside:
        """What is in a directory that the table names something in."""
        inside = _Inside()
        for name, is_link in self._look.entries(directory):
            self._entry(directory, inner, name, is_link, closed, inside)
        return inside

    def _entry(self, directory: str, inner: str, name: str, is_link: bool, closed: bool, inside: _Inside) -> None:
        """One name; `closed`: what is unknown in `directory` is."""
        path = f"{directory}/{name}"
        below = f"{inner}/{name}" if inner else name
        verdict = "open" if path in self._opened else verdict_on(inner, name)
        if not verdict and closed and path in self._runs:
            verdict = "open"
        has_more = has_more_below(below)
        if not (verdict or closed or has_more):
            return
        reals = self._covered(path, known=verdict == "closed") if is_link else [path]
        if is_link and closed and not reals and not verdict:
            verdict = "open"  # it leads to where nothing is closed
        if verdict == "open" and closed:
            inside.linked |= is_link
            inside.openings += [] if is_link else [path]
        still_closed = verdict == "closed" or (closed and verdict != "open")
        deeper = self._contents(self._look.real(path), below, still_closed) if has_more else _Inside()
        inside.take_in(deeper)
        if not still_closed:
            return
        place = inside.known if verdict == "closed" else inside.rest
        place += deeper.rest if deeper.linked else reals
        inside.linked |= deeper.linked

    def _covered(self, link: str, *, known: bool) -> list[str]:
        """What to cover so that a link shows nothing: what it leads to, unless that would close what must be open."""
        led = self._look.follow(link)
        if led is None or led.real == "/" or at_or_below(self._home, [led.real]):
            return []
        if known:
            return [led.real]
        if at_or_below(led.real, (*_SYSTEM_TREES, *self._kept)) or any(
            at_or_below(one, [led.real]) for one in self._kept
        ):
            return []
        harmless = led.real.startswith(self._home + "/") and standing(led.real[len(self._home) + 1 :]) == "harmless"
        return [] if harmless else [led.real]

    def _programs(self, inside: _Inside) -> list[str]:
        """Directories on the path in closed places, and what is installed together with them."""
        found: list[str] = []
        for directory in self._runs:
            if not at_or_below(directory, inside.rest) or at_or_below(directory, (*inside.known, *inside.openings)):
                continue
            found.append(directory)
            prefix, _, name = directory.rpartition("/")
            if name in _PROGRAM_DIRECTORIES and not has_more_below(prefix[len(self._home) + 1 :]):
                found += self._existing(f"{prefix}/{beside}" for beside in OF_A_PREFIX)
        return found

    def _opened_below(self, closed: Collection[str]) -> list[str]:
        return self._existing(path for path in self._opened if path not in closed and at_or_below(path, closed))

    def _existing(self, paths: Iterable[str]) -> list[str]:
        return [path for path in paths if self._look.exists(path) and not self._look.is_link(path)]


def closed_elsewhere(homes: Collection[str], look: Look, *, uid: int) -> Closed:
    """Homes of others that this user may look into, and mail."""
    known = [path for path in MAIL if look.is_kind(path, stat.S_ISDIR)]
    unknown = [path for path in _homes_of_others(look) if _is_anothers(path, homes, look, uid=uid)]
    return Closed(tuple(known), tuple(unknown))


def _homes_of_others(look: Look) -> Iterable[str]:
    yield from (f"{HOMES}/{name}" for name in look.names(HOMES) if name not in SHARED_HOMES)
    yield ROOTS_HOME


def _is_anothers(path: str, homes: Collection[str], look: Look, *, uid: int) -> bool:
    if any(at_or_below(home, [path]) for home in homes):
        return False
    found = look.lstat(path)
    if found is None or not stat.S_ISDIR(found.st_mode) or found.st_uid == uid:
        return False
    return uid == 0 or bool(found.st_mode & _OTHERS_MAY_LOOK)


def program_directories(path: str, homes: Collection[str], look: Look) -> tuple[str, ...]:
    """The directories of `$PATH` below a home, canonical."""
    found = []
    for directory in path.split(":"):
        if directory[:1] == "/" and look.is_directory(directory) and at_or_below(real := look.real(directory), homes):
            found.append(real)
    return _distinct(found)


def linked_programs(directories: Iterable[str], homes: Collection[str], look: Look) -> Iterable[str]:
    """What has to be shown so that programs run which `directories` of `$PATH` only link to, where that is closed: the
    directories `bin` that they lie in, or else the programs alone.

    What a link says decides whether its way is looked at: all but a few lead to where nothing is closed, or to a
    neighbour, which is shown as the directory is.
    """
    for directory in directories:
        for link, target in look.links(directory):
            if "/" not in target and target not in (".", ".."):
                continue
            place = os.path.normpath(f"{directory}/{target}" if target[:1] != "/" else target)
            above = os.path.dirname(place)
            if not _is_unknown(place, homes) or (led := look.follow(link)) is None or look.real(above) != above:
                continue  # a link on its way could not be shown inside of what is covered
            yield from (_shown_with(each, look) for each in (place, led.real))


def _is_unknown(path: str, homes: Collection[str]) -> bool:
    inners = [path[len(home) + 1 :] for home in homes if path.startswith(f"{home}/")]
    return any(standing(inner) == "unknown" for inner in inners)


def _shown_with(program: str, look: Look) -> str:
    directory = os.path.dirname(program)
    return directory if os.path.basename(directory) in _PROGRAM_DIRECTORIES else look.real(program)


def _distinct(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(paths))
