"""What programs print of a path: escaped, in pieces of quotes, as it is.

GNU's programs print `'/h/.a'$'\\t''b'`, bash `$'/h/.a\\tb'`, Python `'/h/.a\\tb'`, others the bytes themselves.
Here each becomes what `display.visible` makes of the path, on one line.
"""

from __future__ import annotations

import os

from sandgate.display import NAMED, visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

TAIL_CHARS_MAX = 4096  # of a line behind a known directory, in which the rest of a path is looked for; PATH_MAX
STOPS_MAX = 32  # places in it where the path may end, asked of the disk
_STOPS = frozenset(" '\"`:,;)]>")
_NAME_CHARS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./")
_OCTAL = frozenset("01234567")
_MEANT = {escape[1]: character for character, escape in NAMED.items()}


def spelled_lines(text: str, paths: Iterable[str]) -> list[str]:
    """The lines of `text`, in which each of `paths`, and what lies below, stands as `visible` writes it."""
    for path in paths:
        if "\n" in path:
            text = text.replace(path, visible(path))
    return [visible(_without_octal(line)) for line in text.replace("'$'", "").replace("''", "").split("\n")]


def path_in(line: str, shown: str, path: str) -> str:
    """`path`, which stands in `line` as `shown`, with all that the line says behind it: the longest one that exists."""
    start = line.find(shown)
    tail = line[start + len(shown) :][:TAIL_CHARS_MAX]
    if start < 0 or tail[:1] != "/":
        return path
    stops = [at for at, character in enumerate(tail) if character in _STOPS][:STOPS_MAX]
    for end in (len(tail), *reversed(stops)):
        for rest in _meanings(tail[:end]):
            if os.path.lexists(found := (path + rest).rstrip("/.")):
                return found
    end = next((at for at, character in enumerate(tail) if character not in _NAME_CHARS), len(tail))
    return (path + tail[:end]).rstrip("/.")


def _without_octal(line: str) -> str:
    """`\\001`, as GNU's programs have it, becomes what it stands for; several may be one character."""
    first, *pieces = line.split("\\")
    return _joined(
        first
        + "".join(
            _byte(int(piece[:3], 8) & 0xFF) + piece[3:]
            if len(piece) >= 3 and _OCTAL.issuperset(piece[:3])
            else f"\\{piece}"
            for piece in pieces
        )
    )


def _byte(code: int) -> str:
    return chr(code if code < 0x80 else code + 0xDC00)


def _joined(text: str) -> str:
    """Bytes that are one character together become it."""
    try:
        return os.fsdecode(os.fsencode(text))
    except UnicodeEncodeError:  # half a character, which no name has
        return text


def _meanings(shown: str) -> tuple[str, str, str]:
    """What may have been written so: just this, or with escapes, of which `\\x85` is a byte or a character."""
    first, *pieces = shown.split("\\")
    escaped = first + "".join([_character(piece, chr) for piece in pieces])
    return shown, _joined(first + "".join([_character(piece, _byte) for piece in pieces])), escaped


def _character(piece: str, short: Callable[[int], str]) -> str:
    if piece[:1] in _MEANT:
        return _MEANT[piece[:1]] + piece[1:]
    digits = {"x": 2, "u": 4, "U": 8}.get(piece[:1], 0)
    try:
        code = int(piece[1 : 1 + digits], 16) if digits else -1
    except ValueError:
        code = -1
    if not 0 <= code < 0x110000:
        return f"\\{piece}"
    return (short(code) if digits == 2 else chr(code)) + piece[1 + digits :]
