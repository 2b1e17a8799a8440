"""Which caches of the home a command gets as layers of its project's own: those that its programs use."""

from __future__ import annotations

import os
import stat
from itertools import repeat

from sandgate.commandline.invocation import everything_run, started_by
from sandgate.commandline.launcher_rows import LAUNCHING
from sandgate.commandline.split import segments
from sandgate.commandline.words import program_name
from sandgate.places.caches import KEPT_BY, LED_BY, caches_of
from sandgate.policy.safety import is_safe
from sandgate.protocol.confinement import Mount
from sandgate.sandbox.cache_layers import Layers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from sandgate.protocol.confinement import ConfinedCommand, Overlay
    from sandgate.protocol.permissions import EffectivePermissions
    from sandgate.sandbox.memory import LaterLook

    _Mark = tuple[int, int, str]  # device, inode, where a link leads


class ProjectCaches:
    """Adds layers to the plans of one session, over places of `homes`, which are canonical."""

    def __init__(self, homes: list[str]) -> None:
        self._homes = homes
        self._open: _Open | None = None  # to the last command
        self._layers: Layers | None = None  # those of the last command
        self._given: _Given | None = None  # to the last command
        self._last: tuple[tuple[object, ...], tuple[Mount, ...], tuple[Overlay, ...]] | None = None

    def added(
        self, plan: ConfinedCommand, project_tmp: Callable[[], str], *, reads: bool, later: LaterLook | None = None
    ) -> tuple[ConfinedCommand, str]:
        """`plan` with the layers its programs use, and a sentence to say or "". Where none can be kept the plan stays
        as it is. `project_tmp` finds the directory the project has as /tmp; "" where there is none. What only `reads`
        uses the places that it names: it shall see what others of the project wrote there. What the last command was
        given is given again, where a look finds all as it was: now, or `later` where that is owed one."""
        used = _named_in(plan)
        if not reads:
            used = tuple(dict.fromkeys((*used, *caches_of(writing_programs(plan.argv)))))
        given, said = self._given, ""
        if given is None or not given.may_be_given(used, plan.permissions, project_tmp) or not given.is_left(later):
            self._given = None
            given, said = self._found(plan, used, project_tmp)
        if given.led:
            plan = plan.but(env={**given.led, **plan.env})
        if not given.overlays:
            return plan, said
        key = (plan.mounts, given.overlays)
        if self._last is None or self._last[0] != key:
            self._last = key, with_overlays(plan.mounts, given.overlays), given.overlays
        return plan.but(mounts=self._last[1], overlays=self._last[2]), said

    def _found(
        self, plan: ConfinedCommand, used: tuple[str, ...], project_tmp: Callable[[], str]
    ) -> tuple[_Given, str]:
        if self._open is None or self._open.permissions is not plan.permissions:
            self._open = _Open(plan.permissions)
        marks = _Marks([f"{home}/{place}" for place in used for home in self._homes])  # before what they vouch for
        led = _led_elsewhere(plan, self._homes, used)
        places = existing(self._homes, used, self._open)
        private = project_tmp() if places else ""
        nothing = _Given(used, plan.permissions, led, marks)
        if not private:
            if not places:
                self._given = nothing
            return nothing, ""
        layers = self._layers
        if layers is None or layers.private != private:
            layers = self._layers = Layers(private)
        try:
            said = layers.look()
            if not layers.has_room():
                return nothing, said or f"no caches of the project's own: the disk of `{private}` is nearly full"
            overlays = layers.over(places)
        except OSError as problem:
            return nothing, f"no caches of the project's own: {problem.strerror} (`{problem.filename}`)"
        self._given = _Given(used, plan.permissions, led, marks, layers, overlays)
        return self._given, said


class _Given:
    """What one command was given, and what shows whether the next one is to be given the same."""

    def __init__(
        self,
        used: tuple[str, ...],
        permissions: EffectivePermissions,
        led: Mapping[str, str],
        marks: _Marks,
        layers: Layers | None = None,
        overlays: tuple[Overlay, ...] = (),
    ) -> None:
        self._used, self._permissions, self._marks, self._layers = used, permissions, marks, layers
        self.led, self.overlays = led, overlays
        self._stood = True  # when it was looked at last

    def may_be_given(
        self, used: tuple[str, ...], permissions: EffectivePermissions, project_tmp: Callable[[], str]
    ) -> bool:
        """Whether it is the answer to these questions, as far as that can be said without looking at the caches."""
        asked = self._stood and permissions is self._permissions and used == self._used
        return asked and (self._layers is None or self._layers.private == project_tmp())

    def is_left(self, later: LaterLook | None) -> bool:
        """Whether all is as it was, or will be looked at `later`."""
        if later is None or not later.is_owed:
            return self._stands()
        later.owe_also(self._stands)
        return True

    def _stands(self) -> bool:
        self._stood = self._marks.stand() and (self._layers is None or self._layers.are_ready(self.overlays))
        return self._stood


class _Marks:
    """Which of these paths lead anywhere, and where to. Most do not, and each takes one look."""

    def __init__(self, paths: list[str]) -> None:
        there = [path for path in paths if os.access(path, os.F_OK)]
        self._missing = [path for path in paths if path not in there]
        self._there = [(path, _mark(path)) for path in there]

    def stand(self) -> bool:
        came = any(map(os.access, self._missing, repeat(os.F_OK)))
        return not came and all(mark is not None and _mark(path) == mark for path, mark in self._there)


def _mark(path: str) -> _Mark | None:
    """Device and inode of what lies there, and where a link leads; None for nothing."""
    try:
        about = os.lstat(path)
    except OSError:
        return None
    return about.st_dev, about.st_ino, _real_directory(path) if stat.S_ISLNK(about.st_mode) else ""


def _named_in(plan: ConfinedCommand) -> tuple[str, ...]:
    words = "\0".join((plan.cwd, *plan.argv))  # which holds no place that is not in one of them
    return tuple([place for place in KEPT_BY if place in words])


def is_cache_of(path: str, plan: ConfinedCommand) -> bool:
    """Whether this absolute path is a cache of the home that the programs of `plan` keep and its words do not name, or
    a directory that such a cache needs."""
    home = plan.env.get("HOME", "")
    if not home or not path.startswith(home + "/"):
        return False
    inner = path[len(home) + 1 :] + "/"
    about = [place for place in KEPT_BY if inner.startswith(place + "/") or place.startswith(inner)]
    about = [place for place in about if place not in _named_in(plan)]
    return bool(about) and not set(about).isdisjoint(caches_of(writing_programs(plan.argv)))


def _led_elsewhere(plan: ConfinedCommand, homes: list[str], used: tuple[str, ...]) -> Mapping[str, str]:
    """Variables for caches that the home has not: nothing is made there for a command."""
    tmp = plan.permissions.private_tmp
    if tmp is None or tmp.at not in plan.permissions.writable:
        return {}
    return {
        LED_BY[place]: f"{tmp.at}/.caches/{place}"
        for place in used
        if place in LED_BY and not any(os.path.lexists(os.path.join(home, place)) for home in homes)
    }


def writing_programs(argv: tuple[str, ...]) -> frozenset[str]:
    """The programs that these words start and that do more than read, by name; of git with the subcommand. The first
    word stands for what cannot be known."""
    everything = everything_run(segments(argv))
    own = [words for words in everything.commands if words and not _only_starts(words)]
    if everything.incomplete or not own:
        return frozenset((program_name(argv[0]),))
    return frozenset([_named(words) for words in own if not is_safe(words)])


def _only_starts(argv: tuple[str, ...]) -> bool:
    """Whether it keeps nothing itself, and what it starts is known: a script in a file is not."""
    if program_name(argv[0]) in LAUNCHING:
        return False
    started = started_by(argv)
    return bool(started.commands or started.scripts)


def _named(argv: tuple[str, ...]) -> str:
    name = program_name(argv[0])
    return f"git-{argv[1]}" if name == "git" and len(argv) > 1 else name


class _Open:
    """Which directories no rule of `permissions` speaks about: neither closed nor writable."""

    def __init__(self, permissions: EffectivePermissions) -> None:
        self.permissions = permissions
        self._known: dict[str, bool] = {}

    def __contains__(self, path: str) -> bool:
        known = self._known.get(path)
        if known is None:
            known = not self.permissions.may_write(path) and _is_open(path, self.permissions)
            self._known[path] = known
        return known


def existing(homes: list[str], places: Iterable[str], is_open: _Open) -> list[str]:
    """Of places below `homes` those that are there, where links lead, and that no rule speaks about."""
    found = []
    for place in [f"{home}/{place}" for place in places for home in homes]:
        real = _real_directory(place)
        if real and real in is_open:
            found.append(real)
    return [path for path in dict.fromkeys(found) if not any(path.startswith(other + "/") for other in found)]


def _real_directory(path: str) -> str:
    """Where links lead to a directory, as the kernel says: most are not there, and need no more than one look. "" for
    anything else."""
    if not os.access(path, os.F_OK):
        return ""
    try:
        fd = os.open(path, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        return os.readlink(f"/proc/self/fd/{fd}")
    except OSError:  # without /proc
        return os.path.realpath(path)
    finally:
        os.close(fd)


def _is_open(path: str, permissions: EffectivePermissions) -> bool:
    """Whether it can be read: nothing hides it, or something inside of that shows it again."""
    above = path
    while above != "/":
        if above in permissions.reopened:
            return True
        if above in permissions.hidden:
            return False
        above = os.path.dirname(above)
    tmp = permissions.private_tmp
    return tmp is None or not tmp.holds(path)


def with_overlays(mounts: tuple[Mount, ...], overlays: tuple[Overlay, ...]) -> tuple[Mount, ...]:
    """In the order of a plan, shallow first; a place that is only shown read-only is shown by its layer."""
    places = [overlay.lower for overlay in overlays]
    others = [mount for mount in mounts if mount.path not in places]
    both = (*others, *(Mount("overlay", place) for place in places))
    return tuple(sorted(both, key=lambda mount: (mount.path.count("/"), mount.path)))


def all_existing(homes: list[str]) -> tuple[str, ...]:
    """All caches below `homes` that are there, for commands that may change them."""
    return tuple([path for home in homes for place in KEPT_BY if os.path.isdir(path := os.path.join(home, place))])
