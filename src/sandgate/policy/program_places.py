"""Whether the program that a word of a command leads to is one that commands could have put there.

A rule, the list of safe programs or a rule about to be saved speaks of a program by its name, and means the one that is
installed. What lies in the workspace, another writable root or a temporary directory is never that one, whether the
command names it by its path or PATH leads there: a confined command may write it. A link counts by both its ends. Pure:
what the disk says is asked of `look`, which whoever knows a disk hands in.
"""

from __future__ import annotations

from posixpath import join, normpath

from sandgate.protocol.permissions import WorkspaceWrite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.deletions import Deletion
    from sandgate.protocol.permissions import SandboxPolicy

    Look = Callable[[str], str | None]

# Everybody writes here (hier(7)).
SHARED = ("/tmp", "/var/tmp", "/dev/shm")
ENTRIES_MAX = 256  # of PATH that are looked at


class ProgramPlaces:
    """Where the programs of one command lie.

    `look` answers for the absolute path of a program file with its canonical path, or None where no program lies;
    without it only what the words say is known. `writable`: absolute paths of the places that commands may write.
    `steered` answers what commands may have written that such a command would have run; see the method. `remade`
    answers whether everything that a deletion removes can be made again; without it, nothing can.
    """

    __slots__ = ("_cwd", "_inside", "_known", "_look", "_remade", "_steered", "path")

    def __init__(
        self,
        cwd: str,
        path: str | None,
        writable: Iterable[str],
        look: Look | None = None,
        *,
        shared: bool = True,
        steered: Callable[[tuple[str, ...], int], str] = lambda _argv, _vouched: "",
        remade: Callable[[Deletion], bool] = lambda _deletion: False,
    ) -> None:
        self.path = path  # the command's PATH; None without one
        self._cwd = cwd
        places = dict.fromkeys([*writable, *(SHARED if shared else ())])
        self._inside = tuple([place if place[-1:] == "/" else f"{place}/" for place in places])
        self._look = look
        self._steered = steered
        self._remade = remade
        self._known: dict[str, str] = {}

    def steered(self, argv: tuple[str, ...], vouched: int) -> str:
        """What commands may have written that this command would run, beside what its `vouched` first words say; or "".

        The repository in which it works, or which it names, unless it is a workspace's own: commands may make one below
        it, with hooks and settings that git runs for whoever works there, or pushes to it. And files that its further
        words have executed: `pip install ./x`.
        """
        return self._steered(argv, vouched)

    def makes_again(self, deletion: Deletion) -> bool:
        """Whether the command may delete all of this, and nothing is lost by it that could not be made again."""
        return self._remade(deletion)

    def planted(self, program: str) -> str:
        """Where `program`, the first word of a command, lies, if that is a writable place; else ""."""
        known = self._known.get(program)
        if known is None:
            known = self._known[program] = self._named(program) if "/" in program else self._found(program)
        return known

    def _found(self, name: str) -> str:
        """The first entry of PATH that has the program is the one that counts; an empty one is the directory itself."""
        if self._look is None or self.path is None or not name:
            return ""
        for entry in self.path.split(":", ENTRIES_MAX)[:ENTRIES_MAX]:
            place = f"{entry}/{name}" if entry[:1] == "/" else join(self._cwd, entry, name)
            real = self._look(place)
            if real is not None:
                place = normpath(place)
                return place if self._below(place) or self._below(real) else ""
        return ""

    def _named(self, program: str) -> str:
        place = normpath(join(self._cwd, program))
        if self._below(place):
            return place
        real = self._look(place) if self._look is not None else None
        return place if real is not None and self._below(real) else ""

    def _below(self, path: str) -> bool:
        return path.startswith(self._inside)


def said_by(command: CommandRequest, sandbox: SandboxPolicy) -> ProgramPlaces:
    """What the words alone say, where nobody knows the disk."""
    roots = sandbox.writable_roots if isinstance(sandbox, WorkspaceWrite) else ()
    here = (command.cwd,) if command.cwd != "/" else ()  # where the command starts stands for the workspace
    return ProgramPlaces(command.cwd, command.env.get("PATH"), (*here, *roots))


NOWHERE = ProgramPlaces("/", None, (), shared=False)
