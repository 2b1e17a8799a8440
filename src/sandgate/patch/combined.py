"""Several patches as one difference: every file as it was before the first against how it is after the last."""

from __future__ import annotations

from sandgate.display import visible
from sandgate.patch.diff import unified_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from sandgate.patch.disk_lookup import FileState
    from sandgate.patch.plan import FileWrite

NOTHING = "/dev/null"
DIFF_BYTES_MAX = 1 << 20  # of both sides of one file; a larger one is only named
LARGE = "(too large to show)"


def combined_diff(writes: Iterable[FileWrite]) -> str:
    """In the unified form, files in the order in which they were first touched; "" when nothing is left of it all.

    `writes`: of all patches, in the order in which they were carried out.
    """
    ends: dict[str, tuple[str, FileState | None, FileState | None]] = {}
    for write in writes:
        _path, before, _after = ends.get(write.place, (write.path, write.before, None))
        ends[write.place] = (write.path, before, write.after)
    return "".join(_diff(path, before, after) for path, before, after in ends.values() if not _same(before, after))


def _same(before: FileState | None, after: FileState | None) -> bool:
    return before is None if after is None else after.is_same(before)


def _diff(path: str, before: FileState | None, after: FileState | None) -> str:
    name = visible(path)
    head = f"--- {NOTHING if before is None else name}\n+++ {NOTHING if after is None else name}\n"
    if sum(len(state.content) for state in (before, after) if state is not None) > DIFF_BYTES_MAX:
        return f"{head}{LARGE}\n"
    return head + unified_diff(_text(before), _text(after))


def _text(state: FileState | None) -> str:
    return "" if state is None else state.content.decode("utf-8", "replace")
