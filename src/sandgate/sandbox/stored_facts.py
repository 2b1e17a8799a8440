"""What the disk said to earlier sessions of a project, with all that it rests on, in one file of ours.

A session's first command mostly finds everything as the last one left it; looking at each of some hundred marks tells,
and costs a tenth of finding out. The file lies in the project's own directory, where no command can read or write, and
is trusted as little as can be: it must be ours, it must have been written by this very code, and the question must be
the same to the letter. Nothing depends on it; without it everything is the same, only slower. (docs/decisions/0062)
"""

from __future__ import annotations

import marshal
import os
import stat
import sys

from sandgate.modulecache import first_sources
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.policy.effective import WorkspaceFacts
    from sandgate.sandbox.grounds import Grounds
    from sandgate.sandbox.looking import Known
    from sandgate.sandbox.memory import Mark, Memory
    from sandgate.sandbox.workspace_question import WorkspaceQuestion

    Source = tuple[str, int, int]  # of a module that took part: path, mtime in ns, size

FORMAT = "sandgate facts 2"
ENTRIES_MAX = 4  # questions of one project; the oldest go first
MARKS_MAX = 20_000  # directories and files that one answer rests on; a larger one costs as much to read as to find out
FILE_BYTES_MAX = 16 << 20
FILE_MODE = 0o600
UNFINISHED = ".new"  # after its name: what is being written, under a lock (flock(2))
PACKAGE = "sandgate."
_OTHERS_MAY_WRITE = 0o022
_DAMAGED = (OSError, ValueError, EOFError, TypeError)  # what reading and unmarshalling raise


class Stored(Record):
    """An answer of an earlier session, which holds if its grounds stand."""

    facts: WorkspaceFacts
    grounds: Grounds
    listings: dict[str, Known]


def recalled(file: str, question: WorkspaceQuestion) -> Stored | None:
    """What `file` holds for this question; that its grounds stand is not looked at yet."""
    asked = _said(question)
    for known, entry in _entries(file):
        if known == asked:
            try:
                return _read(entry)
            except _DAMAGED:
                return None
    return None


def save(memory: Memory) -> None:
    """Writes what the first command of a session had to find out. Failing costs nothing."""
    unsaved, memory.unsaved = memory.unsaved, None
    if unsaved is None:
        return
    file, question, facts, moment = unsaved
    from sandgate.sandbox.own_code import own_grounds

    grounds, own = moment.grounds(), own_grounds()
    if grounds is None or own is None or own.texts or len(grounds.same) + len(grounds.unchanged) > MARKS_MAX:
        return
    asked = _said(question)
    values = facts.fields()
    values["resolved"] = dict(values["resolved"])
    try:
        layers = _layers_below((*grounds.unchanged, *own.unchanged))
        if layers is None:
            return
        rests = layers, grounds.same, grounds.unchanged
        entry = marshal.dumps((_sources(), own.same, own.unchanged, *rests, values, _plain(memory.listings)))
        others = [each for each in _entries(file) if each[0] != asked][: ENTRIES_MAX - 1]
        _write(file, marshal.dumps((FORMAT, sys.hexversion, [(asked, entry), *others])))
    except _DAMAGED:
        return


def _layers_below(marks: tuple[tuple[str, int, int, int], ...]) -> tuple[str, ...] | None:
    """The layers that some of these rest on, if any; None where another image could show the same marks."""
    from sandgate.sandbox.filesystems import LAYERED, OF_IMAGES, Filesystems, layers

    mounts, of_devices = Filesystems(), {device: path for path, device, _, _ in marks}
    above = [os.path.split(path) for path in of_devices.values()]  # a link's own place, not where it leads
    kinds = {mounts.type_of(os.path.join(os.path.realpath(directory), name)) for directory, name in above}
    if kinds & OF_IMAGES:
        return None
    return layers() if LAYERED in kinds else ()


def _said(question: WorkspaceQuestion) -> str:
    """The question, and what we are ourselves."""
    ourselves = (
        *(__file__, os.__file__, sys.executable, sys.prefix, sys.base_prefix, sys.pycache_prefix, sys.path),
        *(list(map(os.path.abspath, sys.argv[:1])), os.environ.get("PATH"), os.getegid(), os.getgroups()),
    )
    return repr((question, ourselves))


def _sources() -> tuple[Source, ...]:
    """The modules that may have taken part: what they say of the world may be another thing in their next version."""
    files = [str(module.__file__) for name, module in sorted(sys.modules.items()) if name.startswith(PACKAGE)]
    return tuple([(file, about.st_mtime_ns, about.st_size) for file in files for about in (os.stat(file),)])


def _read(entry: bytes) -> Stored | None:
    sources, own_same, own_unchanged, layers, same, unchanged, values, listings = marshal.loads(entry)
    from sandgate.sandbox.grounds import Grounds, marks_stand

    if not _are_sources(sources) or not marks_stand(own_same, own_unchanged, os.lstat):
        return None
    if layers and not _lie_as_before(layers):
        return None
    from sandgate.policy.effective import WorkspaceFacts
    from sandgate.sandbox.listing import Listing

    known = {path: (*mark, Listing(*listing)) for path, mark, listing in listings}
    return Stored(WorkspaceFacts(**values), Grounds(same, unchanged, ()), known)


def _lie_as_before(before: tuple[str, ...]) -> bool:
    from sandgate.sandbox.filesystems import layers

    return layers() == before


def _plain(listings: dict[str, Known]) -> list[tuple[str, Mark, tuple[frozenset[str], tuple[str, ...], bool]]]:
    return [
        (path, known[:3], (known[3].names, known[3].directories, known[3].ignores_case))
        for path, known in listings.items()
    ]


def _are_sources(sources: tuple[Source, ...]) -> bool:
    """Whether all are what they were; those that our modules were loaded for in this process need no second look."""
    loaded = first_sources()
    return all(source in loaded or _is_source(*source) for source in sources)


def _is_source(file: str, mtime_ns: int, size: int) -> bool:
    about = os.stat(file)
    return about.st_mtime_ns == mtime_ns and about.st_size == size


def _entries(file: str) -> list[tuple[str, bytes]]:
    """The questions and their answers, the newest first; none of a file that is not ours alone, or of another kind."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return []
    try:
        about = os.fstat(descriptor)
        if not _is_ours_alone(about) or about.st_size > FILE_BYTES_MAX:
            return []
        form, version, entries = marshal.loads(os.read(descriptor, about.st_size))
        return entries if (form, version) == (FORMAT, sys.hexversion) else []
    except _DAMAGED:
        return []
    finally:
        os.close(descriptor)


def _is_ours_alone(about: os.stat_result) -> bool:
    return stat.S_ISREG(about.st_mode) and about.st_uid == os.geteuid() and not about.st_mode & _OTHERS_MAY_WRITE


def _write(file: str, content: bytes) -> None:
    """At once and as a whole: who reads meanwhile has the old one. One session writes at a time, and the next one takes
    over what a killed one left; raises BlockingIOError where another writes."""
    if len(content) > FILE_BYTES_MAX:
        return
    from fcntl import LOCK_EX, LOCK_NB, flock

    new = f"{file}{UNFINISHED}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(new, flags, FILE_MODE)
    try:
        flock(descriptor, LOCK_EX | LOCK_NB)
        about = os.fstat(descriptor)
        if not _is_ours_alone(about) or not os.path.samestat(about, os.lstat(new)):
            return  # not ours, or the last one has just finished it
        os.ftruncate(descriptor, 0)
        os.write(descriptor, content)
        os.replace(new, file)
    finally:
        os.close(descriptor)
