"""Untrusted text made safe to print: one line, no control, no reordering.

Commands, paths, reasons and descriptions come from models and programs. A terminal must never obey them, and
a reader must see what is really there, so whatever is not plainly visible is written as an escape.
"""

from __future__ import annotations

# Directional formatting, zero-width characters and line separators (Unicode categories Cf, Zl, Zp; UAX #9).
HIDDEN = frozenset(
    map(
        chr,
        (
            0xAD,
            0x61C,
            *range(0x200B, 0x2010),
            *range(0x2028, 0x202F),
            *range(0x2060, 0x2065),
            *range(0x2066, 0x2070),
            0xFEFF,
        ),
    )
)
NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
CUT_MARK = "\u2026"


def visible(text: str, *, limit: int | None = None) -> str:
    """`text` with every control, bidirectional, zero-width and undecodable character as a visible escape.

    `limit` cuts the result to that many characters, the last one being a mark that something is missing.
    """
    plain = text.isascii() and text.isprintable()
    shown = text if plain else "".join(map(_visible_character, text))
    if limit is not None and len(shown) > limit:
        return shown[: limit - 1] + CUT_MARK
    return shown


def _visible_character(character: str) -> str:
    if character in NAMED:
        return NAMED[character]
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # a byte that was not UTF-8 (surrogateescape)
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x20 or 0x7F <= code < 0xA0:
        return f"\\x{code:02x}"
    if character in HIDDEN or 0xD800 <= code <= 0xDFFF or 0xE0000 <= code <= 0xE0FFF:
        return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
    return character
