"""Names, strings and brackets of program text: they look alike in all the languages people write on a command line."""

from __future__ import annotations

from sandgate.record import Record

_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:$@")


class Token(Record):
    """A name, the text of a string, or one other character."""

    kind: str  # "name" | "string" | "backtick" | "mark"
    text: str


def tokens(code: str) -> list[Token]:
    """Split code into names, strings and marks; comments are not known, so their words count as code."""
    found: list[Token] = []
    at, end = 0, len(code)
    while at < end:
        character = code[at]
        if character in "'\"`":
            kind = "backtick" if character == "`" else "string"
            text, at = _string(code, at)
            found.append(Token(kind, text))
        elif code[at : at + 2] == "\\n":
            at += 2  # a line break that the shell left as it was written
        elif character in _NAME:
            start = at
            while at < end and code[at] in _NAME:
                at += 1
            found.append(Token("name", code[start:at].strip(".:")))
            at += code[at : at + 2] in {"!(", "?("}  # `File.rm_rf!(…)`: the mark belongs to the name
        else:
            if not character.isspace():
                found.append(Token("mark", character))
            at += 1
    return found


def _string(code: str, at: int) -> tuple[str, int]:
    quote = code[at] * 3 if code[at : at + 3] == code[at] * 3 else code[at]
    close = at + len(quote)
    while close < len(code) and not code.startswith(quote, close):
        close += 2 if code[close] == "\\" else 1
    return code[at + len(quote) : close], close + len(quote)


def as_calls(code: str) -> str:
    """`(delete-directory "x" t)` → `delete_directory("x" t)`, so that one scanner reads Lisp too. Strings stay "
    "whole."""
    made, inside, at = "", False, 0
    while at < len(code):
        letter = code[at]
        inside ^= letter == '"' and code[at - 1 : at] != "\\"
        if letter == "(" and not inside:
            end = at + 1
            while end < len(code) and (code[end].isalnum() or code[end] in "-_:*!?./"):
                end += 1
            made += code[at + 1 : end].replace("-", "_") + "("
            at = end
            continue
        made += letter
        at += 1
    return made
