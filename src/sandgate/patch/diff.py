"""The difference between two texts as a unified diff: for events, with one line of context; for people, with three.

Lines that are unique on both sides are lined up first and the gaps between them worked out one by one, each within a
bound; a gap too large to compare is shown as replaced whole. So a diff is always right, nearly always short, and
never slow. `difflib` is neither bounded nor cheap to import.
"""

from __future__ import annotations

from sandgate.display import visible
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

EVENT_CONTEXT_LINES = 1
SHOWN_CONTEXT_LINES = 3
SHOWN_LINES_MAX = 400  # of one file's diff before a person
SHOWN_COLUMNS_MAX = 300
DEPTH_MAX = 32  # gaps within gaps
EDITS_MAX = 200  # lines dropped or taken in one gap; work grows with their square
NO_NEWLINE = "\\ No newline at end of file"


class LineChange(Record):
    """Lines `old_start:old_end` became lines `new_start:new_end`; 0-based, the ends not included."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


def unified_diff(old: str, new: str, *, context: int = EVENT_CONTEXT_LINES) -> str:
    """The hunks, without file headers; "" for equal texts."""
    return "".join(f"{line}\n" for line in _unified(_split(old), _split(new), context))


def shown_diff(diff: str) -> list[str]:
    """A diff as lines that are safe to print, cut to what a person will read."""
    lines = diff.split("\n")[:-1]
    shown = [visible(line.replace("\t", "    "), limit=SHOWN_COLUMNS_MAX) for line in lines[:SHOWN_LINES_MAX]]
    if len(lines) > len(shown):
        shown.append(f"… {len(lines) - len(shown)} more lines")
    return shown


def changes(old: Sequence[str], new: Sequence[str]) -> list[LineChange]:
    """What differs, in order, with equal lines between any two."""
    found: list[LineChange] = []
    waiting = [(LineChange(0, len(old), 0, len(new)), 0)]
    while waiting:
        gap, depth = waiting.pop()
        gap = _trimmed(old, new, gap)
        if gap.old_start == gap.old_end and gap.new_start == gap.new_end:
            continue
        inner = _divided(old, new, gap) if depth < DEPTH_MAX else [gap]
        if inner == [gap]:
            found.append(gap)
        else:
            waiting += [(part, depth + 1) for part in reversed(inner)]
    return found


def _split(text: str) -> list[str]:
    """Lines without their newline; one that has none at the end of the text is another line than one that has."""
    lines = text.split("\n")
    last = lines.pop()
    return [*lines, f"{last}\n{NO_NEWLINE}"] if last else lines


def _trimmed(old: Sequence[str], new: Sequence[str], gap: LineChange) -> LineChange:
    start, other = gap.old_start, gap.new_start
    while start < gap.old_end and other < gap.new_end and old[start] == new[other]:
        start, other = start + 1, other + 1
    end, other_end = gap.old_end, gap.new_end
    while end > start and other_end > other and old[end - 1] == new[other_end - 1]:
        end, other_end = end - 1, other_end - 1
    return LineChange(start, end, other, other_end)


def _divided(old: Sequence[str], new: Sequence[str], gap: LineChange) -> list[LineChange]:
    """The gaps that remain around lines both sides share; the gap itself when none can be told."""
    pairs = _rising(_unique_pairs(old, new, gap))
    if not pairs:
        pairs = _common(old, new, gap)
    if not pairs:
        return [gap]
    parts = []
    before, other = gap.old_start, gap.new_start
    for index, partner in pairs:
        parts.append(LineChange(before, index, other, partner))
        before, other = index + 1, partner + 1
    return [*parts, LineChange(before, gap.old_end, other, gap.new_end)]


def _unique_pairs(old: Sequence[str], new: Sequence[str], gap: LineChange) -> list[tuple[int, int]]:
    mine = _unique(old, gap.old_start, gap.old_end)
    theirs = _unique(new, gap.new_start, gap.new_end)
    return [(index, theirs[line]) for line, index in mine.items() if line in theirs]


def _unique(lines: Sequence[str], start: int, end: int) -> dict[str, int]:
    first: dict[str, int] = {}
    repeated = set()
    for index in range(start, end):
        if first.setdefault(lines[index], index) != index:
            repeated.add(lines[index])
    for line in repeated:
        del first[line]
    return first


def _rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest run of pairs, rising on the left, that also rises on the right."""
    from bisect import bisect_left

    ends: list[int] = []  # the smallest right side a run of each length can end with
    at: list[int] = []
    before: list[int] = []
    for position, (_, partner) in enumerate(pairs):
        length = bisect_left(ends, partner)
        before.append(at[length - 1] if length else -1)
        ends[length : length + 1] = [partner]
        at[length : length + 1] = [position]
    run = []
    position = at[-1] if at else -1
    while position >= 0:
        run.append(pairs[position])
        position = before[position]
    return run[::-1]


def _common(old: Sequence[str], new: Sequence[str], gap: LineChange) -> list[tuple[int, int]]:
    """The equal lines on a shortest way from one text to the other, as pairs of indices; none when it is long.

    The way is searched by growing numbers of edits, each time as far as equal lines carry (Myers, 1986).
    """
    height, width = gap.old_end - gap.old_start, gap.new_end - gap.new_start
    reached = {1: 0}  # by diagonal: the furthest old line
    history: list[dict[int, int]] = []
    for edits in range(min(height + width, EDITS_MAX) + 1):
        history.append(dict(reached))
        for diagonal in range(-edits, edits + 1, 2):
            row = _next_row(reached, diagonal, edits)
            column = row - diagonal
            while row < height and column < width and old[gap.old_start + row] == new[gap.new_start + column]:
                row, column = row + 1, column + 1
            reached[diagonal] = row
            if row >= height and column >= width:
                return _way_back(history, gap)
    return []


def _next_row(reached: dict[int, int], diagonal: int, edits: int) -> int:
    """Where one more edit on this diagonal begins: a line of the new text taken, or one of the old text dropped."""
    return reached[diagonal + 1] if _takes_new(reached, diagonal, edits) else reached[diagonal - 1] + 1


def _takes_new(reached: dict[int, int], diagonal: int, edits: int) -> bool:
    return diagonal == -edits or (diagonal != edits and reached[diagonal - 1] < reached[diagonal + 1])


def _way_back(history: list[dict[int, int]], gap: LineChange) -> list[tuple[int, int]]:
    row, column = gap.old_end - gap.old_start, gap.new_end - gap.new_start
    pairs: list[tuple[int, int]] = []
    for edits in range(len(history) - 1, -1, -1):
        diagonal = row - column
        start = _next_row(history[edits], diagonal, edits)
        while row > start:
            row, column = row - 1, column - 1
            pairs.append((gap.old_start + row, gap.new_start + column))
        if _takes_new(history[edits], diagonal, edits):
            column -= 1
        else:
            row -= 1
    return pairs[::-1]


def _unified(old: list[str], new: list[str], context: int) -> Iterator[str]:
    for group in _grouped(changes(old, new), context):
        first, last = group[0], group[-1]
        start = max(first.old_start - context, 0)
        end = min(last.old_end + context, len(old))
        other = first.new_start - (first.old_start - start)
        other_end = last.new_end + (end - last.old_end)
        yield f"@@ -{_range(start, end)} +{_range(other, other_end)} @@"
        at = start
        for change in group:
            yield from (f" {line}" for line in old[at : change.old_start])
            yield from (f"-{line}" for line in old[change.old_start : change.old_end])
            yield from (f"+{line}" for line in new[change.new_start : change.new_end])
            at = change.old_end
        yield from (f" {line}" for line in old[at:end])


def _grouped(found: list[LineChange], context: int) -> list[list[LineChange]]:
    groups: list[list[LineChange]] = []
    for change in found:
        if groups and change.old_start - groups[-1][-1].old_end <= 2 * context:
            groups[-1].append(change)
        else:
            groups.append([change])
    return groups


def _range(start: int, end: int) -> str:
    """Lines as a hunk header writes them: 1-based start and count; an empty range names the line before it."""
    count = end - start
    if count == 1:
        return str(start + 1)
    return f"{start + 1 if count else start},{count}"
