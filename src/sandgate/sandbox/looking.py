"""Looks at the disk and keeps what an answer rests on, so that the answer can be used again while that stands.

A change time is what tells: any entry that is made, removed or renamed changes its directory's, any other change to a
file its own, and no program can set it. What is looked at twice in one look is asked for once. Each ground is taken
before what it vouches for, so whatever changes in between is noticed the next time.
"""

from __future__ import annotations

import errno
import os
import stat
import time

from sandgate.sandbox.file_bytes import read_bytes, refuse_if_ours
from sandgate.sandbox.filesystems import Filesystems
from sandgate.sandbox.following import Followed, resolve_links
from sandgate.sandbox.grounds import Grounds
from sandgate.sandbox.listing import NOTHING, read_listing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.sandbox.listing import Listing

    Known = tuple[int, int, int, Listing]  # device, inode, change time, and what the directory holds

# What changed this recently may change again within one tick of the clock, and show the same time.
UNSETTLED_NS = 50_000_000
UNSETTLED_WHOLE_SECONDS_NS = 1_050_000_000  # for a time without a fraction: the file system may keep none
_OPEN_TO_OWNER = stat.S_IRUSR | stat.S_IXUSR
_SECOND_NS = 1_000_000_000
# What has a longer name than a path may have cannot be asked for at all.
_NOT_THERE = (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG)
_NO_NAMES = ("", ".", "..")


class Look:
    """One look. Paths are absolute; what is missing or out of reach is None, "" or empty, never an error."""

    __slots__ = (
        "_began_ns",
        "_canonical",
        "_details",
        "_is_alone",
        "_listings",
        "_rests",
        "_settled",
        "_stats",
        "_texts",
        "_trusted",
        "filesystems",
        "locked",
    )

    def __init__(
        self,
        listings: dict[str, Known] | None = None,
        filesystems: Filesystems | None = None,
        *,
        before: Look | None = None,
    ) -> None:
        """`before` is a look of the same moment: what that one saw is not asked for again, and it cannot be told any
        more what each answer rests on. Not where something was out of reach: each look has to meet that by itself.
        """
        self._listings = {} if listings is None else listings  # shared by all looks of one memory
        self.filesystems = Filesystems() if filesystems is None else filesystems
        self._began_ns = time.time_ns()
        self._settled = True
        shared = before if before is not None and before._settled else None
        self._is_alone = shared is None
        self._stats: dict[str, os.stat_result | None] = {} if shared is None else shared._stats
        # Directories that were reached without a link.
        self._canonical: set[str] = set() if shared is None else shared._canonical
        self._rests: dict[str, None] = {}  # directories whose entries matter, not only that they are there
        self._details: dict[str, None] = {}  # what was asked for more than its type
        self._texts: dict[tuple[str, int, bool], bytes | None] = {}
        # Our own directories whose mode keeps us out, and their owner may change it back; and mounts that do not answer
        self.locked: dict[str, None] = {}
        self._trusted: dict[int, bool] = {}  # device → whether its change times tell everything

    def lstat(self, path: str) -> os.stat_result | None:
        """What lies under this name, links not followed."""
        self._details[path] = None
        return self._seen(path)

    def exists(self, path: str) -> bool:
        """Whether there is anything of that name, be it a link to nowhere."""
        return self._seen(path) is not None

    def is_kind(self, path: str, test: Callable[[int], bool]) -> bool:
        """Whether the mode of what lies under this name passes a test of its type: stat.S_ISDIR and so on."""
        found = self._seen(path)
        return found is not None and test(found.st_mode)

    def is_link(self, path: str) -> bool:
        found = self._seen(path)
        return found is not None and stat.S_ISLNK(found.st_mode)

    def is_directory(self, path: str) -> bool:
        """Whether it is a directory, or a link to one."""
        return self._is_led_to(path, stat.S_ISDIR)

    def leads_anywhere(self, path: str) -> bool:
        """Whether it exists and is no link to nowhere."""
        return self._is_led_to(path, lambda _mode: True)

    def is_same_file(self, one: str, other: str) -> bool:
        """Whether two different names are one file."""
        if one == other or (there := self._seen(other)) is None:
            return False
        return (here := self.lstat(one)) is not None and os.path.samestat(here, there)

    def names(self, directory: str) -> list[str]:
        """The entries of a directory, in no order."""
        if not self.is_directory(directory):
            return []
        self._entries_matter(directory)
        try:
            return os.listdir(directory)
        except OSError as problem:
            self._is_out_of_reach(directory, problem)
            return []

    def entries(self, directory: str) -> list[tuple[str, bool]]:
        """The names in a directory, in no order, each with whether it is a link."""
        if not self.is_directory(directory):
            return []
        self._entries_matter(directory)
        try:
            with os.scandir(directory) as entries:
                return [(entry.name, entry.is_symlink()) for entry in entries]
        except OSError as problem:
            self._is_out_of_reach(directory, problem)
            return []

    def listing(self, directory: str) -> Listing:
        """Protected-looking names and subdirectories, from memory while the directory has not changed."""
        found = self._seen(directory)
        if found is None or not stat.S_ISDIR(found.st_mode):
            return NOTHING
        self._rests[directory] = None
        mark = (found.st_dev, found.st_ino, found.st_ctime_ns)
        known = self._listings.get(directory)
        if known is not None and known[:3] == mark:
            return known[3]
        self._listings.pop(directory, None)
        try:
            listing = read_listing(directory, self.is_same_file)
        except OSError as problem:
            self._is_out_of_reach(directory, problem)
            return NOTHING
        if self._may_keep(directory, found):
            self._listings[directory] = (*mark, listing)
        return listing

    def text(self, path: str, limit: int, *, follows: bool = True) -> str:
        """The first `limit` bytes of a file."""
        key = (path, limit, follows)
        if key not in self._texts:
            self._texts[key] = read_bytes(path, limit, follows=follows)
        content = self._texts[key]
        return "" if content is None else os.fsdecode(content)

    def links(self, directory: str) -> list[tuple[str, str]]:
        """The links in a directory, in no order: path, and what it says. Nothing on their ways is looked at."""
        paths = [f"{directory}/{name}" for name, is_link in self.entries(directory) if is_link]
        return [(path, target) for path in paths if (target := self._target(path)) is not None]

    def settled_text(self, path: str, limit: int) -> str:
        """As `text`, of a file that only its owner changes, and not while it lies mapped into memory."""
        return os.fsdecode(self.settled_bytes(path, limit))

    def settled_bytes(self, path: str, limit: int) -> bytes:
        """The same, as it is."""
        led = self.follow(path)
        if led is None or self.lstat(led.real) is None:
            return b""
        return read_bytes(led.real, limit, follows=False) or b""

    def follow(self, path: str) -> Followed | None:
        """Resolves `path`; None when it leads nowhere, may not be looked at, or has too many links."""
        if self._lies_plainly(path):
            return Followed(path)
        led = resolve_links(path, self._seen, self._target)
        if led is not None and led.real == path:
            self._canonical.add(path.rpartition("/")[0])
        return led

    def _lies_plainly(self, path: str) -> bool:
        """Whether it is there, is no link, and lies in a directory that was reached without one."""
        above, _, name = path.rpartition("/")
        if above not in self._canonical or name in _NO_NAMES:
            return False
        found = self._seen(path)
        return found is not None and not stat.S_ISLNK(found.st_mode)

    def real(self, path: str) -> str:
        """The canonical path; of what does not exist, as far as it does."""
        if self._lies_plainly(path):
            return path
        led = self.follow(path)
        if led is not None:
            return led.real
        try:
            return os.path.realpath(path)
        except RecursionError:  # link after link, by the thousand: no kernel follows them, so nothing lies there
            return path

    def cannot_be_kept(self) -> None:
        """The answer rests on something that is not on the disk."""
        self._settled = False

    @property
    def is_kept_by_marks(self) -> bool:
        """Whether its answer rests on what a change time tells, and on nothing else."""
        return self._settled and not self._texts

    def sees_other_than(self, first: Look) -> bool:
        """Whether it did not go on with what `first` saw."""
        return self._stats is not first._stats

    def take_over(self, looks: list[Look]) -> None:
        """Rest on what all of these rest on, which share what they saw, since the first of them began."""
        self._began_ns, self._stats = looks[0]._began_ns, looks[0]._stats
        for look in looks:
            self._rests |= look._rests
            self._details |= look._details

    def grounds(self) -> Grounds | None:
        """What the answer rests on; None when nothing would tell whether that still stands."""
        same, unchanged = [], []
        if not self._is_alone:
            return None
        for path, found in self._stats.items():
            if found is None or self._is_vouched_for(path):
                continue
            if stat.S_ISDIR(found.st_mode) and path not in self._rests:
                same.append((path, found.st_dev, found.st_ino, stat.S_IFMT(found.st_mode)))
            elif self._may_keep(path, found):
                unchanged.append((path, found.st_dev, found.st_ino, found.st_ctime_ns))
            else:
                return None
        texts = tuple((*key, content) for key, content in self._texts.items())
        return Grounds(tuple(same), tuple(unchanged), texts) if self._settled else None

    def _is_vouched_for(self, path: str) -> bool:
        """Whether the directory above tells when anything else comes to lie under this name, and no more was asked."""
        return path not in self._rests and path not in self._details and _above(path) in self._rests

    def _is_led_to(self, path: str, test: Callable[[int], bool]) -> bool:
        if not self.is_link(path):
            return self.is_kind(path, test)
        led = self.follow(path)
        return led is not None and self.is_kind(led.real, test)

    def _seen(self, path: str) -> os.stat_result | None:
        try:
            return self._stats[path]
        except KeyError:
            return self._first_look(path)

    def _first_look(self, path: str) -> os.stat_result | None:
        """Of what is missing everything above is looked at, too: without recursion, as commands name deep paths."""
        first, missing = path, []
        while path and path not in self._stats:
            self._stats[path] = found = self._looked_at(path)
            if found is not None:
                break
            missing.append(path)
            path = _above(path)
        for each in reversed(missing):
            self._entries_matter(_above(each))
        return self._stats[first]

    def _looked_at(self, path: str) -> os.stat_result | None:
        try:
            for place in self.filesystems.hanging():
                if path == place or path.startswith(place + "/"):
                    self._is_no_answer(place)
                    return None
            return os.lstat(path)
        except OSError as problem:
            if problem.errno not in _NOT_THERE or "/" not in path:
                self._is_out_of_reach(path, problem)
        except ValueError:  # a zero byte: there is no such file, and never will be
            pass
        return None

    def _entries_matter(self, directory: str) -> None:
        found = self._seen(directory) if directory else None
        if found is not None and stat.S_ISLNK(found.st_mode):
            led = self.follow(directory)
            directory = "" if led is None else led.real
        if directory:
            self._rests[directory] = None

    def _is_no_answer(self, mount: str) -> None:
        """It stays closed as a whole, and may answer the next time."""
        self._settled = False
        self.locked[mount] = None

    def _target(self, link: str) -> str | None:
        try:
            return os.readlink(link)
        except OSError as problem:  # exchanged since it was looked at, or not ours to read
            self._is_out_of_reach(link, problem)
            return None

    def _is_out_of_reach(self, path: str, problem: OSError) -> None:
        """Nothing for a confined command either, then; but not for longer than it leaves a mode of ours as it is."""
        refuse_if_ours(path, problem)
        self._settled = False
        while path != "/":
            try:
                found = os.lstat(path)
            except OSError:
                path = os.path.dirname(path)
                continue
            closed = stat.S_ISDIR(found.st_mode) and found.st_mode & _OPEN_TO_OWNER != _OPEN_TO_OWNER
            if closed and found.st_uid == os.geteuid():
                self.locked[path] = None
            return

    def _may_keep(self, path: str, found: os.stat_result) -> bool:
        if not would_show_change(found.st_ctime_ns, at_ns=self._began_ns):
            return False
        device = found.st_dev
        if device not in self._trusted:
            directory, name = os.path.split(path)
            place = os.path.join(os.path.realpath(directory), name)  # a link may lead to another file system
            self._trusted[device] = self.filesystems.keep_change_times(place)
        return self._trusted[device]


def grounds_of_all(looks: list[Look]) -> Grounds | None:
    """What the answers of all these looks of one moment rest on; None where nothing would tell whether that stands."""
    first = looks[0]
    if any(not look.is_kept_by_marks or look.sees_other_than(first) for look in looks):
        return None
    together = Look(filesystems=first.filesystems)
    together.take_over(looks)
    return together.grounds()


def _above(path: str) -> str:
    """`os.path.dirname`, which takes three times as long."""
    directory = path.rpartition("/")[0]
    return directory if directory and directory[-1] != "/" else os.path.dirname(path)


def would_show_change(changed_ns: int, *, at_ns: int) -> bool:
    """Whether a change after `at_ns`, on the same clock, would show another change time than this."""
    unsettled = UNSETTLED_NS if changed_ns % _SECOND_NS else UNSETTLED_WHOLE_SECONDS_NS
    return at_ns - changed_ns > unsettled
