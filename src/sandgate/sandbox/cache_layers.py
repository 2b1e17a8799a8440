"""A project's own layers over the caches of a home: what its commands write there, and read again the next time.

They lie beside the project's `/tmp` (`private_tmp.py`), in the state directory that no command sees, and go with it.
What is in a layer is a command's work and may be anything: nothing here follows a link in it. Its size is looked at
beside a command, at most every MEASURE_EVERY_S seconds of use, and before the next one where that never came to
an end; a layer above its limits is set aside and made anew. During a command only the disk bounds it, and no command
starts with a kept layer on a disk with less than FREE_BYTES_MIN left.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import time

from sandgate.protocol.confinement import Overlay
from sandgate.record import Record
from sandgate.sandbox.private_tmp import DIRECTORY_FLAGS, DIRECTORY_NAME, OWN_MODE, place_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LAYERS_NAME = "caches-1"  # beside the project's /tmp; another number for another way to lay them out
STAMP = ".measured"  # in it: when a look at the size ended last, since the epoch, or one of these two
TOO_LARGE_S, UNCOUNTED_S = 0, 1
LAYER_BYTES_MAX = 4 << 30  # of all layers of a project
LAYER_FILES_MAX = 200_000
FREE_BYTES_MIN = 1 << 30  # on the disk
MEASURE_EVERY_S = 10 * 60
PLACES_MAX = 16  # in one command; half of OVERLAYS_MAX in native/plan.h
DEPTH_MAX = 64  # directories below a layer; what lies deeper, or cannot be entered, cannot be counted
_UPPER, _WORK = "upper", "work"
_CLAIM = "claim"  # in the second, as native/claims.c has it: whose mount this is
_CLAIM_FLAGS = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NOTHING_TO_LOCK = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
_UNIT_BYTES = 512  # of st_blocks


class Size(Record):
    """What a layer takes up."""

    bytes: int = 0
    files: int = 0

    known: bool = True  # everything was counted

    @property
    def is_too_large(self) -> bool:
        return self.bytes > LAYER_BYTES_MAX or self.files > LAYER_FILES_MAX


class Layer(Record):
    """One that is kept: of `project`, over `place`, both as `place_name` wrote them; `path` holds it."""

    project: str
    place: str
    path: str
    size: Size
    used_s: float  # since the epoch, its project's last command


class Layers:
    """The layers of one project. `private` is what `private_directory` gave: the directory it has as /tmp."""

    def __init__(self, private: str) -> None:
        self.private = private
        self._known: dict[str, Overlay] = {}  # by place; the same object each time
        self.path = os.path.join(os.path.dirname(private), LAYERS_NAME)

    def over(self, places: Iterable[str]) -> tuple[Overlay, ...]:
        """Overlays for canonical directories, made if need be, PLACES_MAX at most. Raises OSError."""
        return tuple([self._over(place) for place in list(places)[:PLACES_MAX]])

    def _over(self, place: str) -> Overlay:
        known = self._known.get(place)
        if known is None:
            kept = os.path.join(self.path, place_name(place))
            known = Overlay(place, os.path.join(kept, _UPPER), os.path.join(kept, _WORK), lasting=True)
            self._known[place] = known
        self._make(known)
        return known

    def _make(self, layer: Overlay) -> None:
        place, upper, work = layer.lower, layer.upper, layer.work
        mode = _mode_of(upper)
        if mode < 0 or _mode_of(work) < 0:
            kept = os.path.dirname(upper)
            if os.path.lexists(kept) and remove(kept) != "removed":
                raise OSError(errno.EBUSY, os.strerror(errno.EBUSY), kept)
            os.makedirs(kept, OWN_MODE)
            os.mkdir(work, OWN_MODE)
            os.mkdir(upper, OWN_MODE)
            mode = 0
        if mode & OWN_MODE != OWN_MODE:  # the mode is what commands see of the place itself, and may change
            os.chmod(upper, os.stat(place).st_mode & 0o777 | OWN_MODE)

    def has_room(self) -> bool:
        """Whether the disk has enough left to begin with."""
        left = os.statvfs(os.path.dirname(self.path))
        return left.f_bavail * left.f_frsize >= FREE_BYTES_MIN

    def are_ready(self, overlays: Iterable[Overlay]) -> bool:
        """Whether these, which `over` has made, can be used as they are, and neither `look` nor `has_room` would say
        or do anything."""
        try:
            age = time.time() - os.lstat(os.path.join(self.path, STAMP)).st_mtime
            if not 0 <= age <= MEASURE_EVERY_S or not self.has_room():
                return False
            modes = [os.lstat(part).st_mode for layer in overlays for part in (layer.upper, layer.work)]
        except OSError:
            return False
        return all(stat.S_ISDIR(mode) and mode & OWN_MODE == OWN_MODE for mode in modes)

    def look(self) -> str:
        """Has the size measured where that is due; one sentence when the layers had to go."""
        try:
            last = os.lstat(os.path.join(self.path, STAMP)).st_mtime
        except OSError:
            self._stamp(time.time())
            return ""
        age = time.time() - last
        stays = last > UNCOUNTED_S
        if stays and age > 2 * MEASURE_EVERY_S:
            self.measure()
            last = os.lstat(os.path.join(self.path, STAMP)).st_mtime
        elif stays and age > MEASURE_EVERY_S:
            from _thread import start_new_thread

            start_new_thread(self.measure, ())
        return "" if last > UNCOUNTED_S else self._make_anew(counted=last != UNCOUNTED_S)

    def measure(self) -> None:
        """Looks at everything and stamps what it found; our end at any time does no harm."""
        try:
            size = self._size()
            self._stamp(TOO_LARGE_S if size.is_too_large else time.time() if size.known else UNCOUNTED_S)
        except OSError:
            return

    def _size(self) -> Size:
        each = [size_of(os.path.join(self.path, place, _UPPER)) for place in _names(self.path)]
        return Size(sum(one.bytes for one in each), sum(one.files for one in each), all(one.known for one in each))

    def _make_anew(self, *, counted: bool) -> str:
        if remove(self.path) != "removed":
            return ""
        if counted:
            what = f"had grown above {LAYER_BYTES_MAX >> 30} GiB or {LAYER_FILES_MAX} files"
        else:
            what = f"held directories that cannot be looked into, or more than {DEPTH_MAX} of them in each other"
        return f"this project's caches {what}: they begin anew (`sandgate caches`)"

    def _stamp(self, at_s: float) -> None:
        os.makedirs(self.path, OWN_MODE, exist_ok=True)
        stamp = os.path.join(self.path, STAMP)
        os.close(os.open(stamp, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
        os.utime(stamp, (at_s, at_s))


def _mode_of(path: str) -> int:
    """The permissions of a directory that is none by a link; -1 for anything else."""
    try:
        about = os.lstat(path)
    except OSError:
        return -1
    return stat.S_IMODE(about.st_mode) if stat.S_ISDIR(about.st_mode) else -1


def size_of(path: str) -> Size:
    """Of everything below `path`, as far as the limit of files goes and one beyond."""
    taken = files = 0
    try:
        for about in _below(path, DEPTH_MAX):
            taken += about.st_blocks * _UNIT_BYTES
            files += 1
            if files > LAYER_FILES_MAX:
                return Size(taken, files, known=False)
    except OSError:
        return Size(taken, files, known=False)
    return Size(taken, files)


def _below(directory: str, depth: int) -> Iterator[os.stat_result]:
    """Without what is removed while we look, or was never made."""
    if not depth:
        raise OSError(errno.ELOOP, directory)
    try:
        entries = os.scandir(directory)
    except FileNotFoundError:
        return
    with entries:
        for entry in entries:
            try:
                yield entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue
            if entry.is_dir(follow_symlinks=False):
                yield from _below(entry.path, depth - 1)


def kept_layers(state: str) -> tuple[Layer, ...]:
    """Those of all projects of this user, in the state directory `state`."""
    above = os.path.join(state, DIRECTORY_NAME)
    found = []
    for project in _names(above):
        path = os.path.join(above, project, LAYERS_NAME)
        for place in _names(path):
            kept = os.path.join(path, place)
            if os.path.isdir(kept):
                used_s = os.stat(os.path.join(above, project)).st_mtime
                found.append(Layer(project, place, kept, size_of(os.path.join(kept, _UPPER)), used_s))
    return tuple(found)


def _names(directory: str) -> list[str]:
    try:
        return sorted(name for name in os.listdir(directory) if not name.startswith("."))
    except OSError:
        return []


def remove(path: str) -> str:
    """ "removed", or "used" by a command that runs: all layers of a project (`Layers.path`), or one of them.

    What is removed is gone at once for the next command, and from the disk with this sweep and the next ones.
    """
    held: dict[tuple[int, int], int] = {}  # by device and inode: several places may have one claim
    try:
        for more in ((), *((name,) for name in _names(path))):
            work = os.path.join(path, *more, _WORK)
            _lock_alone(work, DIRECTORY_FLAGS, held)
            _lock_alone(os.path.join(work, _CLAIM), _CLAIM_FLAGS, held)
        for fd in held.values():
            if stat.S_ISREG(os.fstat(fd).st_mode):
                os.ftruncate(fd, 0)  # who borrows what was claimed sees that it is not
        _set_aside(path)
    except BlockingIOError:
        return "used"
    finally:
        for fd in held.values():
            os.close(fd)
    return "removed"


def _lock_alone(path: str, flags: int, held: dict[tuple[int, int], int]) -> None:
    """Until what is `held` is closed. Raises BlockingIOError while somebody else has the lock."""
    try:
        fd = os.open(path, flags)
    except OSError as problem:
        if problem.errno in _NOTHING_TO_LOCK:
            return
        raise
    about = os.fstat(fd)
    key = (about.st_dev, about.st_ino)
    if key in held:
        os.close(fd)
        return
    held[key] = fd
    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _set_aside(path: str) -> None:
    """As something that `sweeping` empties: directly in the directory of all projects."""
    from sandgate.sandbox.sweeping import STALE_PREFIX, sweep

    before, name, _ = path.partition(f"/{LAYERS_NAME}")
    if not name:
        raise ValueError(path)
    above = os.path.dirname(before)
    try:
        os.rename(path, os.path.join(above, STALE_PREFIX + os.urandom(8).hex()))
    except FileNotFoundError:
        return
    sweep(os.path.dirname(above))
