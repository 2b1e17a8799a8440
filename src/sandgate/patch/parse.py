"""Reads the patch language: text in, hunks out, one clear error with its line otherwise.

Models write these patches, so harmless slips are forgiven where the meaning is plain (a heredoc around the patch,
padding around markers, a blank line between hunks) and nothing is guessed where it is not: text after the end marker
or a patch that stops half-way is refused as a whole. Rules and messages are
those that models were trained on. One pass, linear.
"""

from __future__ import annotations

from sandgate.errors import PatchError
from sandgate.patch.hunks import (
    ADD,
    BEGIN,
    DELETE,
    END,
    END_OF_FILE,
    ENVIRONMENT,
    MOVE,
    UPDATE,
    AddFile,
    Chunk,
    DeleteFile,
    Patch,
    UpdateFile,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.patch.hunks import Hunk

PATCH_CHARACTERS_MAX = 128 << 20
HEREDOC_STARTS = ("<<EOF", "<<'EOF'", '<<"EOF"')
HEREDOC_LINES_MIN = 4
QUOTED_CHARACTERS_MAX = 2000  # of a line that is quoted in an error
_SIGNS = frozenset(" +-")


def parse_patch(text: str) -> Patch:
    """The hunks of a complete patch. Raises PatchError, whose `line` counts from 1 at the begin marker."""
    if len(text) > PATCH_CHARACTERS_MAX:
        raise PatchError(f"The patch is longer than {PATCH_CHARACTERS_MAX} characters", hint="split it")
    lines = _unwrapped(_lines(text))
    return _Reader(lines[1:-1]).patch()


def parse_partial(text: str) -> Patch:
    """The hunks that can be told from the beginning of a patch still being written; for display, never to apply.

    The begin marker must be there. A chunk without body and a line that makes no sense yet are left out.
    """
    lines = _lines(text.lstrip())
    lines.pop()  # it may go on
    if not lines or lines[0].strip() != BEGIN:
        raise PatchError(f"The first line of the patch must be '{BEGIN}'")
    if lines[-1].strip() == END:
        lines.pop()
    return _Reader(lines[1:], complete=False).patch()


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    return [line.removesuffix("\r") for line in lines] if "\r" in text else lines


def _unwrapped(lines: list[str]) -> list[str]:
    """The lines from marker to marker, a heredoc around them taken off."""
    lines = _trimmed(lines)
    problem = _frame_problem(lines)
    if problem is None:
        return lines
    if len(lines) >= HEREDOC_LINES_MIN and lines[0] in HEREDOC_STARTS and lines[-1].endswith("EOF"):
        inner = _trimmed(lines[1:-1])
        problem = _frame_problem(inner)
        if problem is None:
            return inner
    raise problem


def _trimmed(lines: list[str]) -> list[str]:
    first, last = 0, len(lines)
    while first < last and not lines[first].strip():
        first += 1
    while last > first and not lines[last - 1].strip():
        last -= 1
    if first == last:
        return [""]
    kept = lines[first:last]
    kept[0], kept[-1] = kept[0].lstrip(), kept[-1].rstrip()
    return kept


def _frame_problem(lines: list[str]) -> PatchError | None:
    if lines[0].strip() != BEGIN:
        what = f"The first line of the patch must be '{BEGIN}'"
        if _is_unified_diff(lines):
            what += "; this is a unified diff as `git diff` writes it: rewrite it in this form, or run `git apply`"
        return PatchError(what)
    if len(lines) < 2 or lines[-1].strip() != END:
        return PatchError(f"The last line of the patch must be '{END}'")
    return None


def _is_unified_diff(lines: list[str]) -> bool:
    second = lines[1] if len(lines) > 1 else ""
    return lines[0].startswith(("diff --git ", "Index: ")) or (
        lines[0].startswith("--- ") and second.startswith("+++ ")
    )


class _Reader:
    """Goes through the lines between the markers once."""

    def __init__(self, lines: list[str], *, complete: bool = True) -> None:
        self._lines = lines
        self._at = 0
        self._complete = complete

    def patch(self) -> Patch:
        environment = None
        if self._lines and self._lines[0].strip().startswith(ENVIRONMENT):
            environment = self._lines[0].strip()[len(ENVIRONMENT) :]
            self._at = 1
        hunks: list[Hunk] = []
        try:
            while self._skip_blank():
                hunks.append(self._hunk())
        except PatchError:
            if self._complete:
                raise
        return Patch(tuple(hunks), environment)

    def _skip_blank(self) -> bool:
        """Goes on to the next line that says something; False at the end."""
        while self._at < len(self._lines) and not self._lines[self._at].strip():
            self._at += 1
        return self._at < len(self._lines)

    def _hunk(self) -> Hunk:
        header = self._lines[self._at].strip()
        start = self._number()
        for prefix in (ADD, DELETE, UPDATE):
            if header.startswith(prefix):
                break
        else:
            raise PatchError(
                f"'{_quoted(header)}' is not a valid hunk header. Valid hunk headers: "
                f"'{ADD}{{path}}', '{DELETE}{{path}}', '{UPDATE}{{path}}'",
                line=start,
            )
        path = header[len(prefix) :]
        self._check_path(path, start)
        self._at += 1
        if prefix == ADD:
            return AddFile(path, self._added())
        return DeleteFile(path) if prefix == DELETE else self._update(path, start)

    def _check_path(self, path: str, line: int) -> None:
        if "\0" in path:
            raise PatchError("a path contains a NUL character", line=line)

    def _added(self) -> str:
        first = self._at
        lines, end = self._lines, len(self._lines)
        while self._at < end and lines[self._at].startswith("+"):
            self._at += 1
        return "".join(f"{line[1:]}\n" for line in lines[first : self._at])

    def _update(self, path: str, start: int) -> UpdateFile:
        move_path = None
        if self._at < len(self._lines) and self._lines[self._at].startswith(MOVE):
            move_path = self._lines[self._at][len(MOVE) :]
            self._check_path(move_path, self._number())
            self._at += 1
        chunks: list[Chunk] = []
        try:
            while self._skip_blank() and not self._lines[self._at].startswith("*"):
                chunks.append(self._chunk(is_first=not chunks))
        except PatchError:
            if self._complete:
                raise
            self._at = len(self._lines)
        if not chunks and move_path is None and self._complete:
            raise PatchError(f"Update file hunk for path '{path}' is empty", line=start)
        return UpdateFile(path, tuple(chunks), move_path)

    def _chunk(self, *, is_first: bool) -> Chunk:
        anchors = self._anchors()
        if not anchors and not is_first:
            line = _quoted(self._lines[self._at])
            raise PatchError(
                f"Expected update hunk to start with a @@ context marker, got: '{line}'", line=self._number()
            )
        first = self._at
        lines, end = self._lines, len(self._lines)
        while self._at < end and (not (line := lines[self._at]) or line[0] in _SIGNS):
            self._at += 1
        body = tuple([line or " " for line in lines[first : self._at]])
        at_end = self._at < end and lines[self._at] == END_OF_FILE
        if not body:
            raise self._bodiless(at_end=at_end)
        self._at += at_end
        return Chunk(tuple(anchor for anchor in anchors if anchor), body, at_end)

    def _anchors(self) -> list[str]:
        """The texts of the `@@` lines here; a bare one has the text ""."""
        anchors = []
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line != "@@" and not line.startswith("@@ "):
                break
            anchors.append(line[3:])
            self._at += 1
        return anchors

    def _bodiless(self, *, at_end: bool) -> PatchError:
        if at_end or self._at == len(self._lines):
            return PatchError("Update hunk does not contain any lines", line=self._number())
        return PatchError(
            f"Unexpected line found in update hunk: '{_quoted(self._lines[self._at])}'. Every line should start with "
            "' ' (context line), '+' (added line), or '-' (removed line)",
            line=self._number(),
        )

    def _number(self) -> int:
        return self._at + 2  # the begin marker is line 1


def _quoted(line: str) -> str:
    return line if len(line) <= QUOTED_CHARACTERS_MAX else line[:QUOTED_CHARACTERS_MAX] + "…"
