"""Words as people and shells write them: quoting for display, splitting of quoted text, names of programs.

Small and free of imports on purpose: every governed command is quoted at least once, and `shlex` brings `re`
and a tenth of our time budget. The splitter understands quotes and backslashes only; it is for examples in
rule files and for `env -S`, never for scripts (see bash.py).
"""

from __future__ import annotations

_BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-")
_NAMED_CONTROLS = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\x1b": "\\e", "'": "\\'", "\\": "\\\\"}
_BLANKS = " \t\n\r"
_ESCAPED_IN_DOUBLE_QUOTES = '"\\$`'


def quoted(word: str) -> str:
    """`word` as a bash user would type it; control characters and stray bytes become visible escapes."""
    if word and _BARE.issuperset(word):
        return word
    if word.isprintable() or not word:
        return "'" + word.replace("'", "'\"'\"'") + "'"
    return "$'" + word.translate(_VISIBLE) + "'"


def joined(argv: tuple[str, ...]) -> str:
    """A whole command for display. It is never parsed again by us."""
    return " ".join(quoted(word) for word in argv)


def split(text: str) -> tuple[str, ...] | None:
    """The words of quoted text, or None when a quote or a backslash is left open."""
    words: list[str] = []
    current: list[str] | None = None
    at, end = 0, len(text)
    while at < end:
        char = text[at]
        if char in _BLANKS:
            if current is not None:
                words.append("".join(current))
            current, at = None, at + 1
            continue
        piece = _piece(text, at)
        if piece is None:
            return None
        current = current or []
        current.append(piece[0])
        at = piece[1]
    return tuple(words if current is None else [*words, "".join(current)])


def words_of(text: str) -> frozenset[str]:
    """A set of words, written as a line of text in our tables."""
    return frozenset(text.split())


def program_name(path: str) -> str:
    """The last component: `/bin/rm` → `rm`."""
    return path[path.rfind("/") + 1 :]


def _piece(text: str, at: int) -> tuple[str, int] | None:
    """The literal text of one quoted, escaped or bare stretch, and where the next begins."""
    char = text[at]
    if char == "'":
        close = text.find("'", at + 1)
        return None if close < 0 else (text[at + 1 : close], close + 1)
    if char == '"':
        return _double_quoted(text, at + 1)
    if char == "\\":
        return None if at + 1 == len(text) else (text[at + 1], at + 2)
    stop = at
    while stop < len(text) and text[stop] not in " \t\n\r'\"\\":
        stop += 1
    return text[at:stop], stop


def _double_quoted(text: str, at: int) -> tuple[str, int] | None:
    start = at
    while at < len(text) and text[at] != '"':
        at += 2 if text[at] == "\\" else 1
    return None if at >= len(text) else (unescaped_in_double_quotes(text[start:at]), at + 1)


def unescaped_in_double_quotes(text: str) -> str:
    """What bash makes of the inside of a double-quoted string that holds no expansion."""
    if "\\" not in text:
        return text
    out: list[str] = []
    at = 0
    while at < len(text):
        following = text[at + 1 : at + 2]
        if text[at] == "\\" and following == "\n":
            at += 2
        elif text[at] == "\\" and following and following in _ESCAPED_IN_DOUBLE_QUOTES:
            out.append(following)
            at += 2
        else:
            out.append(text[at])
            at += 1
    return "".join(out)


def unescaped_bare(text: str) -> str:
    """What bash makes of an unquoted word: each backslash goes, the character after it stays."""
    out: list[str] = []
    at = 0
    while at < len(text):
        if text[at] == "\\":
            at += 1
            if text[at : at + 1] == "\n":
                at += 1
                continue
        out.append(text[at : at + 1])
        at += 1
    return "".join(out)


def _visible(char: str) -> str:
    if char in _NAMED_CONTROLS:
        return _NAMED_CONTROLS[char]
    if char.isprintable():
        return char
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:  # a byte that was not UTF-8, kept by surrogateescape
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x80 else f"\\U{code:08x}"


class _Visible(dict[int, str]):
    """Every character as it is shown; those of ASCII are worked out once."""

    def __missing__(self, code: int) -> str:
        shown = _visible(chr(code))
        if code < 0x80:
            self[code] = shown
        return shown


_VISIBLE = _Visible()
