"""What the judge must be told about the machine, because it may not look for itself.

The pure part first names the paths it would like to know about (`static.targets`), the runtime looks them up once,
bounded, and the judge works from the answers. A path nobody looked up is judged by its name alone.
"""

from __future__ import annotations

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

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


class AssessmentFacts(Record):
    """The circumstances of one command. Paths absolute; `home` is the account's, whatever `$HOME` claims."""

    home: str
    cwd: str
    environment: Mapping[str, str]
    writable_roots: tuple[str, ...] = ()  # the workspace, beside `cwd`
    targets: Mapping[str, TargetFacts] = {}  # never written to
