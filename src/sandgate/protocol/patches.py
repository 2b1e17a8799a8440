"""What a patch does to files, as shown to reviewers and told in events."""

from __future__ import annotations

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    ChangeKind = Literal["add", "delete", "update"]


class FileChange(Record):
    """One file of a patch, computed against the disk as it was when the patch was verified."""

    kind: ChangeKind
    path: str  # absolute, normalised without touching the disk
    content: str = ""  # add: what is written; delete: what was there, "" when it is no text
    unified_diff: str = ""  # update: the change with one line of context
    move_path: str | None = None  # update: where the file goes; absolute
    replaces: bool = False  # something else lies there now and is lost
    links: tuple[tuple[str, str], ...] = ()  # `path` or `move_path`, and where a link on the way makes it lead

    def leads_to(self, path: str) -> str:
        """Where what is called `path` here really lies."""
        return dict(self.links).get(path, path)


def difference(change: FileChange) -> list[str]:
    """The lines of one file with their signs."""
    if change.kind == "update":
        return _lines(change.unified_diff)
    sign = "+" if change.kind == "add" else "-"
    return [f"{sign}{line}" for line in _lines(change.content)]


def counts(change: FileChange) -> tuple[int, int]:
    """How many lines are added, and how many removed."""
    lines = difference(change)
    return sum(line.startswith("+") for line in lines), sum(line.startswith("-") for line in lines)


def _lines(text: str) -> list[str]:
    """Only a newline ends a line: other breaks belong to its content, and must not hide its sign."""
    lines = text.split("\n")
    return lines if lines[-1] else lines[:-1]
