"""What a command line looks like it does, for a line in a display. Never evidence: nothing is decided from it."""

from __future__ import annotations

from sandgate.record import Record


class Read(Record):
    """Shows one file."""

    cmd: str
    name: str  # short, for display
    path: str  # as written, below the directories the script went to before


class ListFiles(Record):
    """Shows which files there are."""

    cmd: str
    path: str | None = None  # short, for display


class Search(Record):
    """Looks for text in files, or for files by name."""

    cmd: str
    query: str | None = None  # as written
    path: str | None = None  # short, for display


class Unknown(Record):
    """Anything else."""

    cmd: str


Summary = Read | ListFiles | Search | Unknown
