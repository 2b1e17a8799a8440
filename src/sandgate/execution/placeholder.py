"""A granted file that does not exist yet, for as long as the command that may write it runs.

Most need nothing of this: a supervisor makes them in the command's stead. What only a view opens does, such as a new
hook in a git directory: a mount needs something to lie on, and opening the whole directory would give more than was
approved. So it is made empty just before the command starts and taken away again if the command left it untouched.
Its directory is opened once, with no link on the way, and held: a live command that puts a link in its place has
nothing made or removed elsewhere.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.confinement import ConfinedCommand

NEW_FILE_MODE = 0o666  # before the umask, as a shell's redirection has it


class Placeholders:
    """`with Placeholders(plan): ...` around the start and the end of one attempt."""

    def __init__(self, plan: ConfinedCommand) -> None:
        pinned = frozenset(plan.permissions.pinned)  # directories that were there; no grant asked for a file
        written = [mount.path for mount in plan.mounts if mount.kind == "write" and mount.path not in pinned]
        # Nor is the working directory one, or what it lies in, if somebody removes it meanwhile.
        self._wanted = [path for path in written if not f"{plan.cwd}/".startswith(f"{path}/")]
        self._made: list[tuple[int, str, os.stat_result]] = []  # a descriptor of the directory, the name, what was made

    def __enter__(self) -> None:
        for path in self._wanted:
            if not os.path.lexists(path):
                self._make(path)

    def __exit__(self, *_error: object) -> None:
        while self._made:
            directory, name, before = self._made.pop()
            try:
                _remove_untouched(directory, name, before)
            finally:
                os.close(directory)

    def _make(self, path: str) -> None:
        from sandgate.kernel.beneath import open_canonical

        above, name = os.path.split(path)
        try:
            directory = open_canonical(above, os.O_PATH | os.O_DIRECTORY)
        except OSError:
            return  # the command meets the same error by itself
        try:
            descriptor = os.open(
                name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, NEW_FILE_MODE,
                dir_fd=directory,
            )  # fmt: skip
        except OSError:
            os.close(directory)
            return
        try:
            self._made.append((directory, name, os.fstat(descriptor)))
        finally:
            os.close(descriptor)


def _remove_untouched(directory: int, name: str, before: os.stat_result) -> None:
    try:
        after = os.stat(name, dir_fd=directory, follow_symlinks=False)
        if os.path.samestat(before, after) and (after.st_size, after.st_ctime_ns) == (0, before.st_ctime_ns):
            os.unlink(name, dir_fd=directory)
    except OSError:
        return  # gone already, or no longer ours to remove
