"""What a patch asks for, as values: the hunks in the order in which they were written.

A path stays spelled as in the patch; only a plan knows the directory it is relative to. A body line keeps its sign
(`+`, `-` or blank) as first character, because order and sign together say what happens.
"""

from __future__ import annotations

from sandgate.record import Record

BEGIN, END = "*** Begin Patch", "*** End Patch"
ADD, DELETE, UPDATE = "*** Add File: ", "*** Delete File: ", "*** Update File: "
MOVE, END_OF_FILE, ENVIRONMENT = "*** Move to: ", "*** End of File", "*** Environment ID: "


class Chunk(Record):
    """One place of an update. `anchors` are the texts of its `@@` lines: each narrows the search to what follows it."""

    anchors: tuple[str, ...]
    lines: tuple[str, ...]  # with their sign
    at_end: bool = False  # matches only as the last lines of the file


class AddFile(Record):
    """A file written whole, over what may be there."""

    path: str
    content: str


class DeleteFile(Record):
    """A file removed."""

    path: str


class UpdateFile(Record):
    """A file changed in places, moved, or both."""

    path: str
    chunks: tuple[Chunk, ...]
    move_path: str | None = None


Hunk = AddFile | DeleteFile | UpdateFile


class Patch(Record):
    """A parsed patch. `environment` is accepted for the sake of those who send it, and means nothing here."""

    hunks: tuple[Hunk, ...]
    environment: str | None = None
