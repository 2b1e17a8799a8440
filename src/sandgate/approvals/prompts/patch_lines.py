"""A patch as a reviewer sees it: every file, what happens to it, and the difference, safe to print.

Nothing here can look like a line of ours: each line of a file carries its sign, and what is no text is made visible.
"""

from __future__ import annotations

from sandgate.display import visible
from sandgate.protocol.patches import counts, difference

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.patches import FileChange

LINES_MAX = 20_000  # of one patch; what is beyond that is counted, and still decided about


def change_lines(changes: tuple[FileChange, ...]) -> list[str]:
    """All lines, without colour."""
    # Which files come first, all of them: what is folded away must not hide one.
    lines = [heading(change) for change in changes] if len(changes) > 1 else []
    for change in changes:
        lines.append(heading(change))
        lines += [visible(line) for line in difference(change)]
        if len(lines) > LINES_MAX:
            more = len(lines) - LINES_MAX
            return [*lines[:LINES_MAX], f"({more} more lines of this file, and what comes after it)"]
    return lines


def heading(change: FileChange) -> str:
    """What happens to which file, and how much of it."""
    moved = "" if change.move_path is None else f" -> {_named(change, change.move_path)}"
    added, removed = counts(change)
    lost = ", replaces what is there" if change.replaces else ""
    return f"{change.kind} {_named(change, change.path)}{moved} (+{added} -{removed}{lost})"


def _named(change: FileChange, path: str) -> str:
    """The path, and what is really written where a link leads elsewhere."""
    real = change.leads_to(path)
    return visible(path) if real == path else f"{visible(path)} (a link leads to {visible(real)})"
