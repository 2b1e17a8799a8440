"""Looks at what an approval is about, and holds it from the question to the run.

While a reviewer thinks, a live command may put a link in the place of the directory, or other words into the script. So
what a question is about is looked at before it is asked and again before anything runs. The directory and the granted
roots are held open meanwhile: as long as they are, nothing else can be the same object. What will be executed and lies
where commands may write is known by its content.
"""

from __future__ import annotations

import errno
import os
import stat

from sandgate.approvals.keys import approved_argv
from sandgate.commandline.executed import executed_files, programs_run
from sandgate.display import visible
from sandgate.kernel.beneath import open_canonical
from sandgate.kernel.program import find_program
from sandgate.protocol.bindings import ABSENT, DIRECTORY, SYSTEMS, Binding, Bound, Identity, Seen
from sandgate.protocol.permissions import PATH_CHARS_MAX, values_of
from sandgate.sandbox.roots import at_or_below

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from sandgate.protocol.bindings import BoundAs
    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.confinement import ConfinedCommand
    from sandgate.protocol.permissions import Grant

FILES_MAX = 1024  # files, and programs, of one command that are looked at; with more nothing holds what was approved
FILE_BYTES_MAX = 4 << 20  # of one file whose content is read; a larger one is known by its identity and last change
ALL_BYTES_MAX = 16 << 20  # of all files of one command that are read
SHELL = "the shell"
READINGS_MAX = 3  # of one file that changes while it is read
CHANGED_SHOWN_MAX = 4
# Where only the system's own tools write: a program there is known by its place. See hier(7).
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix", "/snap", "/gnu")
_SCRATCH = ("/usr/local/tmp", "/usr/tmp")
_TOPS = tuple([f"{top}/" for top in SYSTEM])
_ROOT_KINDS = ("write_root", "write_path", "read_path", "new_entry", "remove", "metadata")
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_LOOK = os.O_PATH | os.O_CLOEXEC
WORDS = {
    "directory": "the directory `{path}` is another one",
    "root": "`{path}`, which it was to be granted, is another object",
    "program": "the program it would run is another one than `{path}`",
    "file": "`{path}` is not what it was",
    "more": f"it executes more than {FILES_MAX} {{path}}, which are too many to be held to what was approved",
}


class Held:
    """What one question is about. To be closed; what it says stays usable."""

    def __init__(self, command: CommandRequest, grants: tuple[Grant, ...]) -> None:
        self._command, self._grants = command, grants
        self._descriptors = list(_opened(command.cwd, grants))
        self.binding = binding_of(command, grants)
        self._now: _Look | None = None

    def changed(self) -> str:
        """Looks again: a sentence about what is not as it was, "" when all is."""
        self._now = _Look(self._command, self._grants)
        changed = self.binding.changed_in(Binding(tuple(self._now.places())))
        return "; ".join(map(_sentence, changed[:CHANGED_SHOWN_MAX]))

    def make_roots(self) -> str:
        """Makes the granted roots that are not there, below directories that are. As `changed`, and then makes none."""
        missing = [path for path in values_of(self._grants, "write_root") if not os.path.lexists(path)]
        if not missing:
            return ""
        if changed := self.changed():
            return changed
        made = {path: _made(path) for path in missing}
        self._descriptors += [descriptor for descriptor in made.values() if descriptor is not None]
        states = {path: _state((path, os.fstat(fd))) for path, fd in made.items() if fd is not None}
        places = self.binding.places
        self.binding = Binding(
            tuple([each.but(state=states[each.path]) if each.kind == "root" and each.path in states else each
                   for each in places])
        )  # fmt: skip
        return ""

    def bound(self, plan: ConfinedCommand) -> Bound:
        """For the start of `plan`: what `changed` has just seen, as far as the command will see the same."""
        now = self._now
        if now is None:
            raise AssertionError("it was not looked at again")
        program = now.program if now.program and not _is_covered(plan, now.program[0]) else None
        directory = None if now.directory is None or _is_covered(plan, now.directory[0]) else now.directory[1]
        return Bound(
            directory=directory,
            program=program[1] if program is not None else None,
            by_descriptor=program is not None and not _is_systems(program[0]),
            files=tuple([each for each in now.files if not _is_covered(plan, _real(each[0]))]),
        )

    def close(self) -> None:
        """Lets go. May be repeated."""
        while self._descriptors:
            os.close(self._descriptors.pop())


def binding_of(command: CommandRequest, grants: tuple[Grant, ...] = ()) -> Binding:
    """What it is about as it is now."""
    return Binding(tuple(_Look(command, grants).places()))


def contents_of(binding: Binding) -> tuple[str, ...] | None:
    """What the files of the workspace hold that are executed, as a rule says it; None where one is too large to say."""
    files = [seen for seen in binding.places if seen.kind == "file" and seen.is_ours]
    if not all(seen.read for seen in files):
        return None
    return tuple(sorted({f"{seen.state} {_real(seen.path)}" for seen in files}))


class _Look:
    """One look at everything, and the objects it saw: canonical path and identity."""

    def __init__(self, command: CommandRequest, grants: tuple[Grant, ...]) -> None:
        self._command, self._grants = command, grants
        self.directory: tuple[str, Identity] | None = None
        self.program: tuple[str, Identity] | None = None
        self.files: list[tuple[str, Identity]] = []
        self._bytes_left = ALL_BYTES_MAX
        self._argv = approved_argv(command.argv)

    def places(self) -> Iterator[Seen]:
        command = self._command
        found = _object(command.cwd)
        if found is not None:
            self.directory = (found[0], _identity(found[1]).but(changed_ns=0))
        yield Seen("directory", command.cwd, ABSENT if found is None else _state(found))
        for grant in self._grants:
            if grant.kind in _ROOT_KINDS and grant.value[:1] == "/":
                found = _object(grant.value)
                yield Seen("root", grant.value, ABSENT if found is None else _state(found))
        yield from self._program()
        if len(programs_run(self._argv)) > FILES_MAX:
            yield _too_many("programs")
        for word, path in self._inner_programs():
            yield Seen("program", word, ABSENT if path is None else _real(path))
        executed = self._executed()
        if len(executed) > FILES_MAX:
            yield _too_many("files")
        for kind, path in executed[:FILES_MAX]:
            real = _real(path)
            yield Seen(kind, path, f"{SYSTEMS}{real}" if _is_systems(real) else self._content(path))

    def _program(self) -> Iterator[Seen]:
        """Which file the first word names. Its place counts; its content where it is among the files."""
        word = self._command.argv[0]
        folded = self._argv is not self._command.argv
        program = find_program(word, env=self._command.env, cwd=self._command.cwd)
        path = os.path.join(self._command.cwd, program.path)
        found = None if program.errno else _object(path)
        if found is not None:
            self.program = (found[0], _identity(found[1]))
        state = ABSENT if found is None else found[0]
        # Whichever of the system's shells it is has no part in the key, so it must have none here.
        yield (
            Seen("program", SHELL, "system" if _is_systems(state) else state)
            if folded
            else Seen("program", word, state)
        )

    def _executed(self) -> list[tuple[BoundAs, str]]:
        """What is executed: files that are named, and programs outside the system's own places."""
        command = self._command
        named = executed_files(self._argv, command.cwd, command.set_variables, command.env.get("HOME", ""))
        kinds: dict[str, BoundAs] = dict.fromkeys(named, "file")
        for _word, path in self._inner_programs():
            if path is not None and not path.startswith(_TOPS):
                kinds.setdefault(path, "file" if path.startswith(command.cwd.rstrip("/") + "/") else "program")
        return [(kind, path) for path, kind in kinds.items() if _may_be(path)]

    def _inner_programs(self) -> Iterator[tuple[str, str | None]]:
        """Every program that is found by its name, and where."""
        for word in programs_run(self._argv)[:FILES_MAX]:
            if word and "/" not in word and "=" not in word:
                program = find_program(word, env=self._command.env, cwd=self._command.cwd)
                yield word, None if program.errno else os.path.join(self._command.cwd, program.path)

    def _content(self, path: str) -> str:
        found = _object(path)
        if found is not None and not stat.S_ISREG(found[1].st_mode):  # opening it could do something
            return self._by_identity(path, found[1])
        for _ in range(READINGS_MAX):
            try:
                descriptor = os.open(path, _READ)
            except OSError as problem:
                return self._unread(path, problem.errno or 0)
            try:
                before = os.fstat(descriptor)
                if not stat.S_ISREG(before.st_mode) or before.st_size > min(FILE_BYTES_MAX, self._bytes_left):
                    return self._by_identity(path, before)
                digest = _digest(descriptor, before.st_size)
                after = os.fstat(descriptor)
            except OSError:  # `Makefile -> /proc/self/mem` opens and does not read
                return self._by_identity(path, before)
            finally:
                os.close(descriptor)
            if digest and _identity(after) == _identity(before):
                self._bytes_left -= before.st_size
                self.files.append((path, _identity(after)))
                return f"sha256:{digest}"
        return _unsteady()  # it is being written

    def _unread(self, path: str, code: int) -> str:
        found = _object(path)
        if found is None:
            return ABSENT if code in (errno.ENOENT, errno.ENOTDIR) else f"unreadable:{code}"
        return self._by_identity(path, found[1])

    def _by_identity(self, path: str, found: os.stat_result) -> str:
        if stat.S_ISDIR(found.st_mode):  # nothing that runs, and its change says nothing
            return DIRECTORY
        self.files.append((path, _identity(found)))
        return f"object:{found.st_dev}:{found.st_ino}:{found.st_ctime_ns}:{found.st_size}"


def _unsteady() -> str:
    """A state that is never the same again."""
    return f"unsteady:{os.urandom(8).hex()}"


def _too_many(what: str) -> Seen:
    return Seen("more", what, _unsteady())


def _made(path: str) -> int | None:
    """A new directory, held open; None where it cannot be made, which the command meets itself."""
    above, name = os.path.split(path)
    try:
        directory = open_canonical(above, os.O_PATH | os.O_DIRECTORY)
    except OSError:
        return None
    try:
        os.mkdir(name, dir_fd=directory)
        return os.open(name, _LOOK | os.O_NOFOLLOW, dir_fd=directory)
    except OSError:
        return None
    finally:
        os.close(directory)


def _opened(cwd: str, grants: tuple[Grant, ...]) -> Iterator[int]:
    """A descriptor that keeps each object's number taken, of those that are there."""
    for path in (cwd, *(grant.value for grant in grants if grant.kind in _ROOT_KINDS)):
        try:
            yield os.open(path, _LOOK)
        except (OSError, ValueError):
            continue


def _object(path: str) -> tuple[str, os.stat_result] | None:
    """Where a path leads and what is there; None for nothing."""
    try:
        real = os.path.realpath(path, strict=True)
        return real, os.stat(real)
    except (OSError, ValueError):
        return None


def _state(found: tuple[str, os.stat_result]) -> str:
    return f"{found[1].st_dev}:{found[1].st_ino}:{found[0]}"


def _identity(found: os.stat_result) -> Identity:
    return Identity(found.st_dev, found.st_ino, found.st_ctime_ns)


def _digest(descriptor: int, size: int) -> str:
    """SHA-256 in hexadecimal of a file of that size; "" when it has another one by now."""
    from hashlib import sha256

    digest, left = sha256(), size
    while left > 0 and (piece := os.read(descriptor, min(left, 1 << 20))):
        digest.update(piece)
        left -= len(piece)
    return "" if left or os.read(descriptor, 1) else digest.hexdigest()


def _is_systems(real: str) -> bool:
    return real.startswith(_TOPS) and not any(real.startswith(top + "/") for top in _SCRATCH)


def _may_be(path: str) -> bool:
    """Whether it looks like a path, and not like the text of a script that was taken for one."""
    return "\0" not in path and "\n" not in path and len(path) <= PATH_CHARS_MAX


def _real(path: str) -> str:
    return os.path.realpath(path)


def _is_covered(plan: ConfinedCommand, real: str) -> bool:
    """Whether the command finds something else there than we do: what is hidden, or made for it alone."""
    tmp = plan.permissions.private_tmp
    if tmp is not None and tmp.holds(real):
        return True
    entry = next((each for each in reversed(plan.mounts) if at_or_below(real, (each.path.rstrip("/"),))), None)
    return entry is not None and entry.kind not in ("write", "read")


def _sentence(seen: Seen) -> str:
    return WORDS[seen.kind].format(path=visible(seen.path))
