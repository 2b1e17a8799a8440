"""Loads the modules of one command from a single file instead of ninety.

Finding, opening and checking small byte-code files costs more than what is in them does, on the path of every
command (docs/decisions/0006). So the program keeps the byte code of what a run imported in one file beside
Python's own caches, with the same trust and the same checks: a module whose source has another size or time is
loaded the ordinary way, and the file is written anew. Nothing depends on it; without it everything is the same,
only slower.
"""

from __future__ import annotations

import marshal
import sys
from _frozen_importlib import ModuleSpec
from os import O_CLOEXEC, O_RDONLY, close, pread, replace, stat
from os import open as open_descriptor
from os import path as ospath

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType, ModuleType
    from typing import Any

    # source below the package, is a package, its mtime in ns, its size, and the code or where it lies
    Made = tuple[str, bool, int, int, bytes]
    Entry = tuple[str, bool, int, int, int, int]

FORMAT = "sandgate modules 3"
HEAD_BYTES = 8  # the length of the index, little endian; then the index, then the code of one module after the other
PACKAGE = "sandgate"
INDEX_BYTES_MAX = 1 << 20  # some thousand modules
DIRECTORY = ospath.dirname(ospath.abspath(__file__))  # a copy of the package elsewhere has another file to trust
FILE_NAME = f"run.{sys.implementation.cache_tag}.modules"


class ModuleCache:
    """A finder and loader in the sense of `sys.meta_path`. `used` are the modules that came from it."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._descriptor, self._code_at, self._entries = _opened(file)
        self._code: dict[str, CodeType] = {}  # found, and about to be run
        self.used: set[str] = set()

    def find_spec(self, name: str, _path: Sequence[str] | None = None, _target: object = None) -> ModuleSpec | None:
        """A spec for a module whose source is still what it was; None leaves it to the next finder."""
        entry = self._entries.get(name)
        if entry is None:
            return None
        relative, is_package, mtime_ns, size, _start, _length = entry
        source = ospath.join(DIRECTORY, relative)
        try:
            now = stat(source)
        except OSError:
            return None
        if (now.st_mtime_ns, now.st_size) != (mtime_ns, size):
            return None
        try:
            self._code[name] = marshal.loads(self._code_of(name))
        except (OSError, ValueError, EOFError, TypeError):
            return None  # cut short or damaged
        spec = ModuleSpec(name, self, origin=source, is_package=is_package)  # type: ignore[arg-type]
        spec.has_location = True
        if is_package:
            spec.submodule_search_locations = [ospath.dirname(source)]
        return spec

    def create_module(self, _spec: ModuleSpec) -> ModuleType | None:
        """The ordinary kind of module."""
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Run the cached code in the new module."""
        name = module.__name__
        self.used.add(name)
        exec(self._code.pop(name), module.__dict__)

    def _code_of(self, name: str) -> bytes:
        start, length = self._entries[name][4:]
        return pread(self._descriptor, length, self._code_at + start)

    def keep(self) -> None:
        """Write the file anew if this process imported something of ours that is not in it. Failing costs nothing."""
        missing = [name for name in sys.modules if _is_ours(name) and name not in self.used]
        if missing and not sys.dont_write_bytecode:
            kept = {name: (*entry[:4], self._code_of(name)) for name, entry in self._entries.items()}
            found = {name: made for name in missing if (made := _made_of(sys.modules[name])) is not None}
            if any(kept.get(name) != made for name, made in found.items()):
                _write(self._file, kept | found)
        if self._descriptor >= 0:
            close(self._descriptor)
            self._descriptor, self._entries = -1, {}


def install() -> ModuleCache:
    """Put the cache in front of the other finders; an unreadable or foreign file counts as empty."""
    cache = ModuleCache(_place())
    sys.meta_path.insert(0, cache)
    return cache


def _is_ours(name: str) -> bool:
    return name.startswith(f"{PACKAGE}.")


def _place() -> str:
    if sys.pycache_prefix:
        return ospath.join(sys.pycache_prefix, DIRECTORY.lstrip("/"), FILE_NAME)
    return ospath.join(DIRECTORY, "__pycache__", FILE_NAME)


def _opened(file: str) -> tuple[int, int, dict[str, Entry]]:
    """A descriptor, where the code begins in it, and the index; only what is used is read later."""
    try:
        descriptor = open_descriptor(file, O_RDONLY | O_CLOEXEC)
    except OSError:
        return -1, 0, {}
    try:
        length = int.from_bytes(pread(descriptor, HEAD_BYTES, 0), "little")
        form, version, directory, entries = marshal.loads(pread(descriptor, min(length, INDEX_BYTES_MAX), HEAD_BYTES))
        if (form, version, directory) == (FORMAT, sys.hexversion, DIRECTORY):
            return descriptor, HEAD_BYTES + length, entries
    except (OSError, ValueError, EOFError, TypeError):
        pass  # damaged, or another format: as if there were none
    close(descriptor)
    return -1, 0, {}


def _write(file: str, made: dict[str, Made]) -> None:
    from os import getpid, unlink

    fresh = f"{file}.{getpid()}"
    try:
        with open(fresh, "xb") as stream:
            entries: dict[str, Entry] = {}
            start = 0
            for name, (*about, code) in made.items():
                entries[name] = (*about, start, len(code))  # type: ignore[assignment]  # mypy loses the fixed length
                start += len(code)
            index = marshal.dumps((FORMAT, sys.hexversion, DIRECTORY, entries))
            stream.write(len(index).to_bytes(HEAD_BYTES, "little") + index)
            stream.writelines(code for *_about, code in made.values())
        replace(fresh, file)
    except OSError:
        if ospath.exists(fresh):
            unlink(fresh)


def _made_of(module: ModuleType) -> Made | None:
    spec: Any = module.__spec__
    below = DIRECTORY + "/"
    if not getattr(spec, "has_location", False) or not spec.origin.startswith(below):
        return None
    try:
        before = stat(spec.origin)
        code: CodeType | None = spec.loader.get_code(module.__name__)
        after = stat(spec.origin)
    except (OSError, AttributeError, ImportError, SyntaxError):
        return None
    if code is None or before.st_mtime_ns != after.st_mtime_ns:
        return None
    is_package = spec.submodule_search_locations is not None
    return spec.origin[len(below) :], is_package, after.st_mtime_ns, after.st_size, marshal.dumps(code)
