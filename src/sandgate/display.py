"""Untrusted text made safe to print: one line, no control, no reordering.

Commands, paths, reasons and descriptions come from models and programs. A terminal must never obey them, and
a reader must see what is really there, so whatever is not plainly visible is written as an escape.
"""

from __future__ import annotations

# Characters that take room or none without showing anything, beyond what their category says: fillers and selectors.
HIDDEN = frozenset(
    map(chr, (0xAD, 0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), 0x2800, 0x3164, 0xFFA0))
) | frozenset(map(chr, (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
# Formatting, separators and blanks other than the plain one, controls, surrogates, private and unassigned characters.
UNSEEN_CATEGORIES = ("Cf", "Zl", "Zp", "Zs", "Cc", "Cs", "Co", "Cn")
NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
CUT_MARK = "\u2026"
BOLD, DIM, RESET = "\033[1m", "\033[2m", "\033[0m"


def visible(text: str, *, limit: int | None = None) -> str:
    """`text` with every control, bidirectional, zero-width and undecodable character as a visible escape.

    `limit` cuts the result to that many characters, the last one being a mark that something is missing.
    """
    plain = text.isprintable() and (text.isascii() or HIDDEN.isdisjoint(text))
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
    if character in HIDDEN or (code > 0x7F and _is_unseen(character)):
        return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
    return character


def _is_unseen(character: str) -> bool:
    from unicodedata import category

    return category(character) in UNSEEN_CATEGORIES


def in_toml(text: str) -> str:
    """`text` as a string of TOML that can be typed: nothing unseen in it. Empty for what TOML has no word for."""
    if not text.isprintable() and any(0xD800 <= ord(character) < 0xE000 for character in text):
        return ""
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(map(_toml_character, quoted)) + '"'


def _toml_character(character: str) -> str:
    shown = visible(character)
    return f"\\u00{shown[2:]}" if shown.startswith("\\x") else shown


def one_line(text: str, *, limit: int | None = None) -> str:
    """Prose made visible, with every run of blanks as one: padding cannot push words to where a prompt has its own."""
    return visible(" ".join(text.split()), limit=limit)
