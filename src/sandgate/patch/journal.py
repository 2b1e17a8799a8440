"""Lets the next patch put right what a kill or a power cut left half-done.

Before the first spare name is used, its place is written down; before the first file changes, which inodes are old
and which are new; after the last change, that it is done. A process that finds a journal whose writer is gone takes
everything back, or clears away what a finished patch no longer needs. Journals lie where confined commands cannot
write: one that could be planted would be a way out of the sandbox. Without such a place there is no journal, and a
kill at the wrong moment is not repaired.
"""

from __future__ import annotations

import os

from sandgate.errors import PatchFailed
from sandgate.patch import entry_changes
from sandgate.patch.directories import Directories
from sandgate.patch.entry_changes import Step

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PRIVATE_DIRECTORY_MODE = 0o700
SUFFIX = ".journal"
JOURNAL_BYTES_MAX = 256 << 20
TRIES_MAX = 10
_OPEN_FLAGS = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class PatchJournal:
    """The account of one patch. `directory` None: nothing is written down."""

    def __init__(self, directory: str | None) -> None:
        self._descriptor = -1
        self._path = ""
        if directory is not None:
            try:
                os.makedirs(directory, PRIVATE_DIRECTORY_MODE, exist_ok=True)
                self._open(directory)
            except OSError as problem:
                raise PatchFailed("cannot keep a journal of the patch", why=str(problem)) from problem

    def _open(self, directory: str) -> None:
        import fcntl  # only where a journal is kept

        for _ in range(TRIES_MAX):
            self._path = os.path.join(directory, os.urandom(8).hex() + SUFFIX)
            descriptor = os.open(self._path, _OPEN_FLAGS, entry_changes.PRIVATE_MODE)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(descriptor)
                continue
            if os.fstat(descriptor).st_nlink:  # no other process took it for an abandoned one
                self._descriptor = descriptor
                return
            os.close(descriptor)
        raise PatchFailed("cannot write a journal for the patch", why=f"`{directory}` is too busy")

    def staging(self, spares: list[tuple[str, str]], made: list[str]) -> None:
        """Which spare names will be used in which directories, and which directories will be made."""
        self._write({"spares": spares, "made": made})

    def changing(self, planned: list[Step]) -> None:
        """Everything is prepared; from now on files change."""
        self._write({"steps": [list(step.fields().values()) for step in planned]})

    def overwriting(self, index: int, step: Step, old: bytes, new: bytes) -> None:
        """This file will be written in place; keeps what it held."""
        if self._descriptor < 0:
            return
        for suffix, content in ((".old", old), (".new", new)):
            descriptor = os.open(f"{self._path}.{index}{suffix}", _OPEN_FLAGS, entry_changes.PRIVATE_MODE)
            try:
                entry_changes.write_all(descriptor, content)
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        self._write({"overwrites": [index, list(step.fields().values())]})

    def done(self) -> None:
        """Every file has changed; what is left is to clear away."""
        self._write({"done": True})

    def close(self) -> None:
        """Nothing is left to do."""
        if self._descriptor >= 0:
            _remove(self._path)
            os.close(self._descriptor)
            self._descriptor = -1

    def abandon(self) -> None:
        """Something is left to do, for the next one who looks."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _write(self, line: dict[str, Any]) -> None:
        if self._descriptor >= 0:
            import json

            entry_changes.write_all(self._descriptor, json.dumps(line).encode() + b"\n")
            os.fsync(self._descriptor)


def recover(directory: str) -> list[str]:
    """Takes back, or finishes, what patches left undone. One sentence each, and one for everything in the way."""
    try:
        names = sorted(name for name in os.listdir(directory) if name.endswith(SUFFIX))
    except FileNotFoundError:
        return []
    told: list[str] = []
    for name in names:
        told += _recovered(os.path.join(directory, name))
    return told


def _recovered(path: str) -> list[str]:
    import fcntl

    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return []
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:  # its writer is at work
            return []
        if not os.fstat(descriptor).st_nlink:
            return []
        told = _Account(path, _lines(descriptor)).settle()
        _remove(path)
        return told
    finally:
        os.close(descriptor)


def _lines(descriptor: int) -> list[dict[str, Any]]:
    import json

    data = bytearray()
    while piece := os.read(descriptor, JOURNAL_BYTES_MAX - len(data)):
        data += piece
    return [json.loads(line) for line in bytes(data).split(b"\n")[:-1]]  # a torn last line was never acted on


def _remove(path: str) -> None:
    directory, name = os.path.split(path)
    for beside in os.listdir(directory):
        if beside.startswith(name + "."):
            os.unlink(os.path.join(directory, beside))
    os.unlink(path)


class _Account:
    """What a journal says, and how to put it right."""

    def __init__(self, path: str, lines: list[dict[str, Any]]) -> None:
        self._path = path
        self._spares: list[list[str]] = []
        self._made: list[str] = []
        self._steps: list[Step] = []
        self._overwritten: list[tuple[int, Step]] = []
        self._done = False
        for line in lines:
            self._spares = line.get("spares", self._spares)
            self._made = line.get("made", self._made)
            self._steps = [Step(*fields) for fields in line.get("steps", ())] or self._steps
            self._done = self._done or "done" in line
            if "overwrites" in line:
                index, fields = line["overwrites"]
                self._overwritten.append((index, Step(*fields)))

    def settle(self) -> list[str]:
        told: list[str] = []
        with Directories(("/",)) as directories:
            for step in self._steps:
                directories.expect(step.directory, (step.device, step.inode))
            for index, step in reversed(self._overwritten):
                self._each(told, step.path, lambda index=index, step=step: self._rewrite(directories, index, step))
            for step in reversed(self._steps):
                self._each(told, step.path, lambda step=step: self._settle(directories, step))
            if not self._steps:
                for directory, spare in self._spares:
                    self._each([], directory, lambda d=directory, s=spare: _drop(directories, d, s))
            if not self._done:
                for directory in reversed(self._made):
                    self._each([], directory, lambda d=directory: directories.remove(d))
        if self._steps:
            told.append(f"a patch was interrupted; it has been {'finished' if self._done else 'taken back'}")
        return told

    def _each(self, told: list[str], path: str, deed: Any) -> None:
        try:
            problem = deed()
        except OSError as error:
            problem = f"`{path}` was left as an interrupted patch left it: {error.strerror}"
        if problem:
            told.append(problem)

    def _settle(self, directories: Directories, step: Step) -> str | None:
        descriptor = directories.descriptor(step.directory)
        if self._done:
            entry_changes.finish(step, descriptor)
            return None
        return None if step.kind == "in_place" else entry_changes.take_back(step, descriptor)

    def _rewrite(self, directories: Directories, index: int, step: Step) -> str | None:
        """A file that was being overwritten holds some beginning of the new text over the rest of the old one."""
        if self._done:
            return None
        old, new = (self._kept(index, suffix) for suffix in (".old", ".new"))
        descriptor = directories.descriptor(step.directory)
        state, inode = entry_changes.entry_at(descriptor, step.name)
        if state is None or inode != step.old or not _is_between(state.content, old, new):
            return f"`{step.path}` was changed by another process and was not put back"
        if state.content != old:
            entry_changes.overwrite(descriptor, step, old)
        return None

    def _kept(self, index: int, suffix: str) -> bytes:
        with open(f"{self._path}.{index}{suffix}", "rb") as file:
            return file.read()


def _drop(directories: Directories, directory: str, spare: str) -> None:
    entry_changes.drop_spare(directories.descriptor(directory), spare)


def _is_between(content: bytes, old: bytes, new: bytes) -> bool:
    written = len(os.path.commonprefix((content, new)))  # noqa: RUF071 - bytes, compared one by one, are meant
    return content[written:] in (b"", old[written:])
