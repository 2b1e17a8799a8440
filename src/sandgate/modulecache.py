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
from os import path as ospath
from os import replace, stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType, ModuleType
    from typing import Any

    # source relative to the package, is a package itself, its mtime in ns, its size, marshalled code
    Entry = tuple[str, bool, int, int, bytes]

FORMAT = "sandgate modules 2"
PACKAGE = "sandgate"
DIRECTORY = ospath.dirname(ospath.abspath(__file__))  # a copy of the package elsewhere has another file to trust
FILE_NAME = f"run.{sys.implementation.cache_tag}.modules"


class ModuleCache:
    """A finder and loader in the sense of `sys.meta_path`. `used` are the modules that came from it."""

    def __init__(self, file: str, entries: dict[str, Entry]) -> None:
        self._file = file
        self._entries = entries
        self.used: set[str] = set()

    def find_spec(self, name: str, _path: Sequence[str] | None = None, _target: object = None) -> ModuleSpec | None:
        """A spec for a module whose source is still what it was; None leaves it to the next finder."""
        entry = self._entries.get(name)
        if entry is None:
            return None
        relative, is_package, mtime_ns, size, _code = entry
        source = ospath.join(DIRECTORY, relative)
        try:
            now = stat(source)
        except OSError:
            return None
        if (now.st_mtime_ns, now.st_size) != (mtime_ns, size):
            return None
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
        exec(marshal.loads(self._entries[name][4]), module.__dict__)

    def keep(self) -> None:
        """Write the file anew if this process imported something of ours that is not in it. Failing costs nothing."""
        missing = [name for name in sys.modules if _is_ours(name) and name not in self.used]
        if missing and not sys.dont_write_bytecode:
            entries = dict(self._entries)
            entries.update((name, entry) for name in missing if (entry := _entry_of(sys.modules[name])) is not None)
            if entries != self._entries:
                _write(self._file, entries)


def install() -> ModuleCache:
    """Put the cache in front of the other finders; an unreadable or foreign file counts as empty."""
    file = _place()
    cache = ModuleCache(file, _read(file))
    sys.meta_path.insert(0, cache)
    return cache


def _is_ours(name: str) -> bool:
    return name.startswith(f"{PACKAGE}.")


def _place() -> str:
    if sys.pycache_prefix:
        return ospath.join(sys.pycache_prefix, DIRECTORY.lstrip("/"), FILE_NAME)
    return ospath.join(DIRECTORY, "__pycache__", FILE_NAME)


def _read(file: str) -> dict[str, Entry]:
    try:
        with open(file, "rb") as stream:
            form, version, directory, entries = marshal.loads(stream.read())
    except (OSError, ValueError, EOFError, TypeError):
        return {}
    return entries if (form, version, directory) == (FORMAT, sys.hexversion, DIRECTORY) else {}


def _write(file: str, entries: dict[str, Entry]) -> None:
    from os import getpid, unlink

    fresh = f"{file}.{getpid()}"
    try:
        with open(fresh, "xb") as stream:
            stream.write(marshal.dumps((FORMAT, sys.hexversion, DIRECTORY, entries)))
        replace(fresh, file)
    except OSError:
        if ospath.exists(fresh):
            unlink(fresh)


def _entry_of(module: ModuleType) -> Entry | None:
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
