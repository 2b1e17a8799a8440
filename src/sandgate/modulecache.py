"""Loads the modules of one command from a single file instead of ninety.

Finding, opening and checking small byte-code files costs more than what is in them does, on the path of every
command (docs/decisions/0006). So the program keeps the byte code of what a run imported, of itself and of Python's
library, in one file beside Python's own caches, with the same trust and the same checks: a module whose source has
another size or time is loaded the ordinary way, and the file is written anew. What every run begins with is not even
looked for: it is loaded at once, in the order in which it was once complete. Nothing depends on the file; without it
everything is the same, only slower.
"""

import marshal
import sys
from _frozen_importlib import BuiltinImporter, ModuleSpec
from _frozen_importlib_external import ExtensionFileLoader
from os import O_CLOEXEC, O_NOFOLLOW, O_RDONLY, close, fstat, getegid, geteuid, getpid, pread, replace, stat
from os import open as open_descriptor
from os import path as ospath

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from os import stat_result
    from types import CodeType, ModuleType
    from typing import Any

    About = tuple[str, bool, int, int]  # its source, is a package, its mtime in ns, its size
    Made = tuple[About, CodeType | None]
    Place = tuple[int, int]  # start and length of marshalled code, from where the code begins; none: an extension
    Single = dict[str, tuple[About, Place]]  # modules one by one
    # What a run begins with, a few at each place; and what is in C, of which nothing lies here.
    First = tuple[tuple[tuple[str, About], ...], tuple[Place, ...], dict[str, About]]

FORMAT = "sandgate modules 9"
# The lengths of two indices, little endian; then these, then the code. The first index is of what a run begins with;
# the other one, of everything that any program ever took, is not read by a run that needs no more than that.
LENGTH_BYTES = 8
PACKAGE = "sandgate"
INDEX_BYTES_MAX = 1 << 20  # some thousand modules
# Of what a run begins with so much is read at once: a block of a heap that already has one as large, so that memory is
# touched for the first of them alone (mallopt(3): from 128 KiB on, each would be fresh from the kernel).
READ_AT_ONCE_BYTES = 96 << 10
DIRECTORY = ospath.dirname(ospath.abspath(__file__))  # a copy of the package elsewhere has another file to trust
LIBRARY = ospath.dirname(getattr(ospath, "__file__", f"{DIRECTORY}/"))  # Python's own modules
FILE_NAME = f"{{name}}.{sys.implementation.cache_tag}.modules"
GROUP_MAY_WRITE, OTHERS_MAY_WRITE = 0o020, 0o002
# So often a run takes its modules one by one, and what it began with is loaded first from then on: that was found out
# from a single run, which may have begun with much more than most, or with less.
NARROWED_EVERY = 16
FILE_MODE = 0o644  # whatever the umask
OF_FUNCTION = 0x1  # CO_OPTIMIZED of Python's code.h
# What a run imports only to ask a reviewer; the next one mostly need not.
RARELY_FIRST = (f"{PACKAGE}.reviewers.terminal", f"{PACKAGE}.assessment")
_DAMAGED = (OSError, ValueError, EOFError, TypeError, SystemError)  # what reading and unmarshalling raise
_NOTHING: "First" = ((), (), {})
_installed: "list[ModuleCache]" = []


class ModuleCache:
    """A finder and loader in the sense of `sys.meta_path`. `used` are the modules that came from it."""

    def __init__(self, file: str, rarely: tuple[str, ...] = RARELY_FIRST) -> None:
        self._file, self._rarely = file, rarely
        self._descriptor, self._single_at, (self._first, self._first_at, self._in_c) = _opened(file)
        self._known_single: Single | None = None
        self._code: dict[str, CodeType] = {}  # found, and about to be run
        self._before = frozenset(sys.modules)  # came too early for us
        self._extensions: set[str] = set()  # found here, and loaded as usual
        self.used: dict[str, None] = {}  # in the order in which they were complete
        self._begun: int | None = None  # how many of these a run begins with; None: all
        self._is_narrowing = False
        self.loaded_first: tuple[tuple[str, About], ...] = ()

    def load_first(self) -> None:
        """What every run begins with; nothing if any of it has changed."""
        if not all(_is_unchanged(about) for _name, about in self._first):
            self._first = ()
            return
        if self._first and NARROWED_EVERY and getpid() % NARROWED_EVERY == 0:
            self._is_narrowing = True
            return
        fresh = {name: self._made(name, about) for name, about in self._first if name not in sys.modules}
        try:
            for (name, about), code in zip(self._first, self._codes_of_first(), strict=True):
                if name in fresh and self._ran(code, fresh[name], is_package=about[1]):
                    self._complete(name, fresh.pop(name))
            self.loaded_first = self._first
        except Exception:
            self._first = ()  # cut short or damaged: to be found out anew
        finally:
            for name, module in fresh.items():
                if sys.modules.get(name) is module:
                    del sys.modules[name]

    @staticmethod
    def _ran(code: "CodeType", module: "ModuleType", *, is_package: bool) -> bool:
        """False if it failed, and is left to whoever imports it: it may need what its package defines before importing
        it, as `ctypes._endian` does, and was complete before that. Of a package all that is in it would be left.
        """
        try:
            exec(code, module.__dict__)
        except Exception:
            if is_package:
                raise
            del sys.modules[module.__name__]
            return False
        return True

    def _codes_of_first(self) -> "Iterator[CodeType]":
        for place in self._first_at:
            yield from marshal.loads(self._read(place))

    def find_spec(self, name: str, _path: "Sequence[str] | None" = None, _target: object = None) -> ModuleSpec | None:
        """A spec for a module whose source is still what it was; None leaves it to the next finder."""
        about, place = (self._in_c[name], None) if name in self._in_c else self._single.get(name, (None, None))
        if about is None or not _is_unchanged(about):
            return None
        if place is None:  # of Python's library, in C: looking for it lists directories
            self._extensions.add(name)
            spec = ModuleSpec(name, ExtensionFileLoader(name, about[0]), origin=about[0])
            spec.has_location = True
            return spec
        try:
            self._code[name] = marshal.loads(self._read(place))
        except _DAMAGED:
            return None  # cut short or damaged
        return self._spec(name, about)

    def create_module(self, _spec: ModuleSpec) -> "ModuleType | None":
        """The ordinary kind of module."""
        return None

    def exec_module(self, module: "ModuleType") -> None:
        """Run the cached code in the new module."""
        name = module.__name__
        exec(self._code.pop(name), module.__dict__)
        self.used[name] = None

    def begun(self) -> None:
        """What a run begins with is there; what comes later waits until it is asked for, next time as well."""
        if self._begun is None:
            self._begun = len(self.used)

    def keep(self) -> None:
        """Write the file anew if it would have served this process better. Failing costs nothing."""
        # A copy, taken at once: a thread may still import.
        served = self.used.keys() | self._extensions | self._before
        fresh = [(name, each) for name, each in list(sys.modules.items()) if name not in served]
        missing = {name: each for name, each in fresh if _is_kept(name, each)}
        # The order is known of a run that took all from here; a package that is missing would make what is in it fail.
        # One that never began, as it only told its options, knows nothing of what others begin with.
        needed = self._needed() if self._is_narrowing and self._begun is not None else ()
        rarely = any(name.startswith(self._rarely) for name in self.used)
        is_first = self._begun is not None and not (self._first or missing or rarely)
        if (missing or is_first) and not sys.dont_write_bytecode:
            found = {name: one for name, each in missing.items() if (one := _made_of(each)) is not None}
            if is_first or not found.keys().isdisjoint(self._single.keys() | self._in_c.keys()):
                first = tuple(self.used)[: self._begun] if is_first else tuple(name for name, _about in self._first)
                if found or first:
                    _write_anew(self._file, self._known() | found, first)
            elif found:
                self._extend(found)
        elif needed and {*needed} != {name for name, _about in self._first} and not sys.dont_write_bytecode:
            _write_anew(self._file, self._known(), needed)
        descriptor, self._descriptor, self._known_single, self._first = self._descriptor, -1, {}, ()
        if descriptor >= 0:
            close(descriptor)  # last: a thread that still imports must not read another file under this number

    def _needed(self) -> tuple[str, ...]:
        """What this run began with; of a run that asks a reviewer, no more than what is loaded first."""
        needed = tuple(self.used)[: self._begun]
        if any(name.startswith(self._rarely) for name in needed):
            return tuple([name for name, _about in self._first if name in needed])
        return needed

    def _extend(self, found: "dict[str, Made]") -> None:
        """Write the file with more modules. What it has is copied as it is: reading it takes a tenth of a second."""
        known, single = b"", self._single
        if self._descriptor >= 0:
            try:
                known = self._read((0, fstat(self._descriptor).st_size))
            except OSError:
                return
        _write(self._file, known, single, (self._first, self._first_at, self._in_c), found)

    def _made(self, name: str, about: "About") -> "ModuleType":
        """As the import system makes it, less all the looking; there for others to find, and still empty."""
        spec = self._spec(name, about)
        module = type(sys)(name)
        module.__spec__, module.__file__ = spec, spec.origin
        module.__loader__ = self  # type: ignore[assignment] # typeshed wants what only old loaders have
        module.__package__ = spec.parent
        if about[1]:
            module.__path__ = spec.submodule_search_locations or []
        sys.modules[name] = module
        return module

    def _complete(self, name: str, module: "ModuleType") -> None:
        above, _, last = name.rpartition(".")
        if above:
            setattr(sys.modules[above], last, module)
        self.used[name] = None

    def _spec(self, name: str, about: "About") -> ModuleSpec:
        source = about[0]
        spec = ModuleSpec(name, self, origin=source, is_package=about[1])  # type: ignore[arg-type] # typeshed wants more
        spec.has_location = True
        if about[1]:
            spec.submodule_search_locations = [ospath.dirname(source)]
        return spec

    @property
    def _single(self) -> "Single":
        if self._known_single is None:
            try:
                self._known_single = marshal.loads(pread(self._descriptor, self._single_at[1], self._single_at[0]))
            except _DAMAGED:
                self._known_single = {}
        return self._known_single

    def _read(self, place: "Place") -> bytes:
        return pread(self._descriptor, place[1], sum(self._single_at) + place[0])

    def _known(self) -> "dict[str, Made]":
        """All that the file holds and that still holds; nothing when it cannot be read."""
        try:
            known = {name: (about, marshal.loads(self._read(place))) for name, (about, place) in self._single.items()}
        except _DAMAGED:
            return {}
        known |= {name: (about, None) for name, about in self._in_c.items()}
        return {name: made for name, made in known.items() if _is_unchanged(made[0])}


def install(name: str = "run", *, is_whole: bool = False) -> "ModuleCache":
    """Put the cache in front of all finders but the one of what is built in; an unreadable or foreign file is as none.

    `name` is that of the file: commands that begin alike share one. `is_whole`: they do nothing but begin.
    """
    cache = ModuleCache(_place(name), () if is_whole else RARELY_FIRST)
    sys.meta_path.insert(sys.meta_path.index(BuiltinImporter) + 1, cache)
    _installed.append(cache)
    return cache


def is_trusted(found: "stat_result", owner: int) -> bool:
    """Whether no other user can have written this file or directory: it belongs to root, to us or to `owner`, whom we
    trust already, and others may not write to it. A group counts as others unless it is the user's private one.
    """
    if found.st_uid not in (0, geteuid(), owner) or found.st_mode & OTHERS_MAY_WRITE:
        return False
    is_private = found.st_gid == 0 or found.st_gid == getegid() == geteuid()
    return is_private or not found.st_mode & GROUP_MAY_WRITE


def begun() -> None:
    """Says so to the cache that is installed, if one is."""
    for cache in _installed:
        cache.begun()


def first_sources() -> "set[tuple[str, int, int]]":
    """Path, mtime in ns and size of the sources that were looked at just before their modules were loaded at once."""
    return {(source, mtime_ns, size) for each in _installed for _, (source, _, mtime_ns, size) in each.loaded_first}


def _is_unchanged(about: "About") -> bool:
    try:
        now = stat(about[0])
    except OSError:
        return False
    return (now.st_mtime_ns, now.st_size) == about[2:]


def _is_kept(name: str, module: "ModuleType") -> bool:
    """Ours or one of Python's library, there under its own name, and made from a file that lies where it should."""
    spec: Any = getattr(module, "__spec__", None)
    if getattr(spec, "name", None) != name or not spec.has_location:
        return False
    if isinstance(spec.loader, ExtensionFileLoader):
        return name in sys.stdlib_module_names and bool(spec.origin.startswith(f"{LIBRARY}/"))
    if not spec.origin.endswith(".py"):
        return False
    if name.startswith(f"{PACKAGE}."):
        return bool(spec.origin.startswith(f"{DIRECTORY}/"))
    return name.partition(".")[0] in sys.stdlib_module_names and bool(spec.origin.startswith(f"{LIBRARY}/"))


def _place(name: str) -> str:
    file = FILE_NAME.format(name=name)
    if sys.pycache_prefix:
        return ospath.join(sys.pycache_prefix, DIRECTORY.lstrip("/"), file)
    return ospath.join(DIRECTORY, "__pycache__", file)


def _opened(file: str) -> "tuple[int, Place, First]":
    """A descriptor, where the index of single modules lies, and the other one; only what is used is read later."""
    try:
        descriptor = open_descriptor(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    except OSError:
        return -1, (0, 0), _NOTHING
    try:
        if not is_trusted(fstat(descriptor), stat(DIRECTORY).st_uid):
            raise ValueError("another user can have written it")
        head = pread(descriptor, 2 * LENGTH_BYTES, 0)
        first, single = (int.from_bytes(each, "little") for each in (head[:LENGTH_BYTES], head[LENGTH_BYTES:]))
        index = marshal.loads(pread(descriptor, min(first, INDEX_BYTES_MAX), 2 * LENGTH_BYTES))
        if index[:3] == (FORMAT, sys.hexversion, (DIRECTORY, LIBRARY)):
            modules, places, in_c = index[3]
            return descriptor, (2 * LENGTH_BYTES + first, min(single, INDEX_BYTES_MAX)), (modules, places, in_c)
    except _DAMAGED:
        pass  # damaged, or another format: as if there were none
    close(descriptor)
    return -1, (0, 0), _NOTHING


def _write_anew(file: str, made: "dict[str, Made]", first: tuple[str, ...]) -> None:
    names = [name for name in first if name in made]
    code, places = b"", []
    for group in _groups([_undocumented(made[name][1]) for name in names]):
        codes = marshal.dumps(group)
        places.append((len(code), len(codes)))
        code += codes
    _write(file, code, {}, (tuple((name, made[name][0]) for name in names), tuple(places), {}), made)


def _undocumented(code: "CodeType | None") -> "CodeType | None":
    """Without the texts that document modules, classes and functions: a tenth of the bytes, and no run shows any."""
    if code is None:
        return None
    from opcode import opmap

    consts = [_undocumented(each) if isinstance(each, type(code)) else each for each in code.co_consts]
    steps = [*zip(code.co_code[::2], code.co_code[1::2], strict=True)]
    takes = (opmap["LOAD_CONST"], opmap.get("RETURN_CONST", opmap["LOAD_CONST"]))  # the second: Python 3.12 and 3.13
    # Which one each step takes, by number: none of those beyond what one byte says, as a text always stands in front.
    taken = [
        number if step in takes and before[0] != opmap["EXTENDED_ARG"] else None
        for before, (step, number) in zip([(0, 0), *steps], steps, strict=False)
    ]
    if code.co_flags & OF_FUNCTION and code.co_name[0] != "<" and isinstance(consts[0], str) and 0 not in taken:
        consts[0] = None  # there, and nowhere used: the text
    for number, (then, name) in zip(taken, steps[1:], strict=False):
        is_said = then == opmap["STORE_NAME"] and code.co_names[name : name + 1] == ("__doc__",)
        if is_said and number is not None and taken.count(number) == 1:
            consts[number] = None
    return code.replace(co_consts=tuple(consts))


def _groups(codes: "list[CodeType | None]") -> "Iterator[tuple[CodeType | None, ...]]":
    """In order, as many together as are read at once."""
    group: list[CodeType | None] = []
    length = 0
    for code in codes:
        more = len(marshal.dumps(code))
        if group and length + more > READ_AT_ONCE_BYTES:
            yield tuple(group)
            group, length = [], 0
        group.append(code)
        length += more
    if group:
        yield tuple(group)


def _write(file: str, known: bytes, about_known: "Single", first: "First", more: "dict[str, Made]") -> None:
    """What lies in `known`, as `about_known` and `first` say, and `more`."""
    from os import O_CREAT, O_EXCL, O_WRONLY, fdopen, unlink

    parts, start = [known], len(known)
    single = dict(about_known)
    in_c = first[2] | {name: about for name, (about, code) in more.items() if code is None}
    for name, (about, code) in more.items():
        if code is not None:
            parts.append(marshal.dumps(code))
            single[name] = about, (start, len(parts[-1]))
            start += len(parts[-1])
    beginning = marshal.dumps((FORMAT, sys.hexversion, (DIRECTORY, LIBRARY), (*first[:2], in_c)))
    others = marshal.dumps(single)
    fresh = f"{file}.{getpid()}"
    try:
        descriptor = open_descriptor(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, FILE_MODE)
        with fdopen(descriptor, "wb") as stream:
            stream.writelines(len(each).to_bytes(LENGTH_BYTES, "little") for each in (beginning, others))
            stream.writelines((beginning, others, *parts))
        replace(fresh, file)
    except OSError:
        if ospath.exists(fresh):
            unlink(fresh)


def _made_of(module: "ModuleType") -> "Made | None":
    spec: Any = module.__spec__
    try:
        before = stat(spec.origin)
        code: CodeType | None = spec.loader.get_code(module.__name__)
        after = stat(spec.origin)
    except (OSError, AttributeError, ImportError, SyntaxError):
        return None
    if (code is None and not isinstance(spec.loader, ExtensionFileLoader)) or before.st_mtime_ns != after.st_mtime_ns:
        return None
    is_package = spec.submodule_search_locations is not None
    return (spec.origin, is_package, after.st_mtime_ns, after.st_size), code
