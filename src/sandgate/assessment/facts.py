"""What the judge must be told about the machine, because it may not look for itself.

The judge names a path it would like to know about (`Targets.ask`) and whoever made the facts looks it up, bounded. A
path nobody looked up is judged by its name alone.
"""

from __future__ import annotations

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MAX_TARGETS = 32  # paths one command may ask about; more would be a directory walk in disguise
MAX_ENTRIES = 2_000  # entries counted below one directory; beyond, "at least that many"


class TargetFacts(Record):
    """One path as it is on disk right now."""

    exists: bool = False
    is_directory: bool = False
    is_symlink: bool = False
    place: str = ""  # canonical parent + own name: what `rm` removes
    real: str = ""  # fully resolved: what writing through it changes
    entries: int | None = None  # below a directory, at most MAX_ENTRIES; None: not a directory or not readable
    git_root: str | None = None  # the work tree it lies in
    holds_git: bool = False  # a repository lies at or directly below it


class Targets(dict[str, TargetFacts]):
    """What is known about absolute paths. `look` answers for one more; without it only what is given is known."""

    __slots__ = ("_look",)

    def __init__(self, known: Mapping[str, TargetFacts] = {}, look: Callable[[str], TargetFacts] | None = None) -> None:
        super().__init__(known)
        self._look = look

    def ask(self, path: str) -> None:
        """Have `path` looked up, unless it was, or `MAX_TARGETS` others were."""
        if self._look is not None and path not in self and len(self) < MAX_TARGETS:
            self[path] = self._look(path)


class AssessmentFacts(Record):
    """The circumstances of one command. Paths absolute; `home` is the account's, whatever `$HOME` claims."""

    home: str
    cwd: str
    environment: Mapping[str, str]
    writable_roots: tuple[str, ...] = ()  # the workspace, beside `cwd`
    targets: Targets = Targets()
    # Of the repository at a path, as git has it in a directory below: by remote, the addresses it fetches from and
    # pushes to; None: nobody knows.
    remotes: Callable[[str, str], Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] | None] = lambda _top, _at: None
    # No setting of the user or of the machine has git take an address for another one.
    as_written: Callable[[], bool] = lambda: False
    # Of `git reset --hard` in a directory, to a revision: no file is lost that no commit has.
    loses_nothing: Callable[[str, str], bool] = lambda _directory, _revision: False
