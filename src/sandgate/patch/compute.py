"""Works out what an update does to the lines of one file, without touching the disk.

All places are found before any line changes, so a chunk that does not fit leaves the text as it was. Only `-` and
`+` lines change anything: a context line keeps the file's own spelling even where it matched loosely.
"""

from __future__ import annotations

from sandgate.errors import PatchDoesNotFit
from sandgate.patch.match import PLACES_COUNTED_MAX, count_places, seek
from sandgate.patch.text import EXACT, STRIPPED
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sandgate.patch.hunks import Chunk
    from sandgate.patch.match import Hit
    from sandgate.patch.text import FileText

FUZZ_OF_LOOSENESS = (0, 1, 100, 1000)
UNIQUE_HINT = "add lines of context, or an `@@` line that names the function or class"


BLANKS_MAX = 16  # blank lines at the end of a chunk that may belong to the layout of the patch


class Edit(Record):
    """`count` lines from `start` on become `new`; lines as `FileText` holds them."""

    start: int
    count: int
    new: tuple[str, ...]


class Computed(Record):
    """The edits of one update, in file order. `fuzz` is 0 when every line matched exactly."""

    edits: tuple[Edit, ...]
    fuzz: int = 0
    warnings: tuple[str, ...] = ()


def compute_update(
    text: FileText, chunks: Iterable[Chunk], *, path: str, strict_unique: bool = False, warn: bool = True
) -> Computed:
    """Where each chunk goes. Raises PatchDoesNotFit; `strict_unique` refuses a chunk that fits in several places.

    Without `warn` no warnings are gathered, which saves counting places.
    """
    search = _Search(text, path, strict_unique=strict_unique, warn=warn)
    for chunk in chunks:
        search.chunk(chunk)
    edits = sorted(search.edits, key=lambda edit: edit.start)  # stable: insertions at one place stay in order
    for before, after in zip(edits, edits[1:], strict=False):  # noqa: RUF007 - itertools is a library to load
        if before.start + before.count > after.start:
            raise PatchDoesNotFit(
                f"Chunks overlap in {path}: one ends at line {before.start + before.count}, "
                f"another begins at line {after.start + 1}"
            )
    return Computed(tuple(edits), search.fuzz, tuple(search.warnings))


def carry_out(text: FileText, computed: Computed) -> None:
    """Changes the text, from its end to its beginning, so that no edit moves the place of another."""
    for edit in reversed(computed.edits):
        text.replace(edit.start, edit.count, list(edit.new))


class _Search:
    """The cursor that moves through the file with the chunks."""

    def __init__(self, text: FileText, path: str, *, strict_unique: bool, warn: bool) -> None:
        self._text = text
        self._path = path
        self._strict = strict_unique
        self._warn = warn
        self._cursor = 0
        self.edits: list[Edit] = []
        self.fuzz = 0
        self.warnings: list[str] = []

    def chunk(self, chunk: Chunk) -> None:
        for anchor in chunk.anchors:
            self._pass_anchor(anchor)
        body = list(chunk.lines)
        if all(line[0] == "+" for line in body):
            self._insert(body, anchored=bool(chunk.anchors))
            return
        start = self._cursor
        old = _old(body)
        hit = seek(self._text, old, start, at_end=chunk.at_end)
        tries = BLANKS_MAX
        while hit is None and tries > 0 and (shorter := _without_last_blank(body)) is not None:
            tries -= 1
            dropped_removal = len(_removed(shorter)) < len(_removed(body))
            body, old = shorter, _old(shorter)
            hit = seek(self._text, old, start, at_end=chunk.at_end) if old else None
            if dropped_removal:
                break
        if hit is None:
            raise PatchDoesNotFit(f"Failed to find expected lines in {self._path}:\n" + "\n".join(_old(chunk.lines)))
        self._note(hit, old, start, anchored=bool(chunk.anchors) or chunk.at_end)
        self._replace(hit, body, old)

    def _pass_anchor(self, anchor: str) -> None:
        hit = seek(self._text, [anchor], self._cursor, at_end=False)
        if hit is None:
            raise PatchDoesNotFit(f"Failed to find context '{anchor}' in {self._path}")
        self.fuzz += FUZZ_OF_LOOSENESS[hit.looseness]
        self._cursor = hit.index + 1

    def _insert(self, body: list[str], *, anchored: bool) -> None:
        lines = self._text.lines
        at = self._cursor
        if not anchored:
            at = len(lines)
            if lines and not lines[-1].strip("\r"):
                at -= 1
        ending = self._text.ending_at(at)
        self.edits.append(Edit(at, 0, tuple(line[1:] + ending for line in body)))

    def _note(self, hit: Hit, old: list[str], start: int, *, anchored: bool) -> None:
        self.fuzz += FUZZ_OF_LOOSENESS[hit.looseness]
        if hit.looseness >= STRIPPED and self._warn:
            self.warnings.append(f"matched only loosely at line {hit.index + 1} of {self._path}")
        if hit.looseness != EXACT or anchored or not (self._strict or self._warn):
            return
        places = count_places(self._text, old, start)
        if places == 1:
            return
        shown = f"{places} or more" if places == PLACES_COUNTED_MAX else str(places)
        said = f"matched 1 of {shown} places in {self._path}, the one at line {hit.index + 1}"
        if self._strict:
            raise PatchDoesNotFit(f"A chunk {said}", hint=UNIQUE_HINT)
        self.warnings.append(said)

    def _replace(self, hit: Hit, body: list[str], old: list[str]) -> None:
        own = self._text.lines[hit.index : hit.index + len(old)]
        ending = self._text.ending_at(hit.index + 1)
        shift = _indentation_shift(own, old) if hit.looseness >= STRIPPED else None
        new: list[str] = []
        position = 0
        for line in body:
            if line[0] == "+":
                new.append((shift.of(line[1:]) if shift else line[1:]) + ending)
                continue
            if line[0] == " ":
                new.append(own[position])
            position += 1
        self.edits.append(Edit(hit.index, len(old), tuple(new)))
        self._cursor = hit.index + len(old)


def _old(body: Sequence[str]) -> list[str]:
    return [line[1:] for line in body if line[0] != "+"]


def _removed(body: list[str]) -> list[str]:
    return [line for line in body if line[0] == "-"]


def _without_last_blank(body: list[str]) -> list[str] | None:
    """The body without its last old line, if that is empty: a blank line before the next header is read as one."""
    last = max((index for index, line in enumerate(body) if line[0] != "+"), default=-1)
    if last < 0 or body[last][1:]:
        return None
    shorter = body[:last] + body[last + 1 :]
    if body[last][0] == "-" and shorter and shorter[-1] == "+":
        shorter.pop()
    return shorter


class _Shift(Record):
    """How the indentation of the file differs from that of the patch: by blanks more, or by blanks less."""

    more: str = ""
    less: str = ""

    def of(self, line: str) -> str:
        return self.more + line.removeprefix(self.less) if line.strip() else line


def _indentation_shift(own: list[str], old: list[str]) -> _Shift | None:
    """The one difference in indentation that holds for every line; None when there is none, or more than one."""
    shifts = {_shift(mine, theirs) for mine, theirs in zip(own, old, strict=True) if theirs.strip()}
    return shifts.pop() if len(shifts) == 1 else None


def _shift(own: str, old: str) -> _Shift | None:
    mine, theirs = _indentation(own), _indentation(old)
    if mine.endswith(theirs):
        return _Shift(more=mine.removesuffix(theirs))
    return _Shift(less=theirs.removesuffix(mine)) if theirs.endswith(mine) else None


def _indentation(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]
