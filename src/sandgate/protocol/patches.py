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
