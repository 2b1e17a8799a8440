"""What a command removes."""

from __future__ import annotations

from sandgate.record import Record


class Deletion(Record):
    """What one command removes, as its line says it.

    `below`: whatever is called `name`, a pattern of find(1), below these directories or is one of them.

    `words` are paths and `patterns` those in which `*`, `?` and `[` mean what they mean to a shell; both relative to
    `directory`, which is relative to where the line starts.
    """

    words: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    directory: str = ""
    ignored_only: bool = False  # `git clean -X`: whatever git ignores there, and nothing that is named
    may_arrive: bool = False  # what is not there now may be there by then: the line moves something
    below: tuple[str, ...] = ()
    name: str = ""
    may_turn: bool = False  # `reset_to` may be any commit by then: the line fetches, or resets more than once
    reset_to: str = ""  # `git reset --hard`: what no commit has; and where this commit has files, what lies there
