"""The same script in plainer spelling: what hides a command from readers of text is taken out of its words.

`r\\` newline `m`, `$"rm"`, `$'\\x72m'` and `'r'"m"` are all `rm` to bash, but the grammar tears some of them apart. The
answer means the same to bash where this reader understood every quote; it is a second look for whoever searches a
script for danger, and never a reason to trust one.
"""

from __future__ import annotations

from sandgate.commandline.decoding import ansi
from sandgate.commandline.heredocs import WORD_ENDS, delimiter, unquoted
from sandgate.commandline.recent import Recent

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-")
HERE_DOCUMENTS_DEEP_MAX = 8  # one inside a substitution of another; people never write two
_STOPS = "\\'\"$`#()\n<"

_recent = Recent()


def respelled(script: str) -> tuple[str, bool]:
    """In plainer spelling, and whether it held one that the grammar may tear apart. Linear in the length."""
    reading = _Respelling(script)
    return reading.text(), reading.torn


def plainer(script: str) -> str:
    """`script` itself, unless it holds a spelling that the grammar is known to tear apart: then the plain one."""
    if not (_joins_words(script) or '$"' in script or "$'" in script):
        return script
    known: str | None = _recent.get(script)
    return known if known is not None else _recent.keep(script, _plainer(script))


def _plainer(script: str) -> str:
    text, torn = respelled(script)
    return text if torn else script


def _joins_words(script: str) -> bool:
    at = script.find("\\\n")
    while at >= 0:
        if _goes_on(script, at) or "<<" in script[script.rfind("\n", 0, at) + 1 : at]:
            return True
        at = script.find("\\\n", at + 2)
    return False


def _goes_on(script: str, at: int) -> bool:
    """Whether `\\` and newline at `at` may stand inside a word; behind a blank they are nothing but another blank."""
    return script[at - 1 : at] not in (" ", "\t") or script[at - 2 : at - 1] == "\\"


def _places(script: str) -> list[int]:
    """Where something stands that this reader must look at, and where the script ends."""
    found = [len(script)]
    for char in _STOPS:
        at = script.find(char)
        while at >= 0:
            found.append(at)
            at = script.find(char, at + 1)
    return sorted(found)


class _Respelling:
    """One pass from left to right. `_inside` holds what is open: a double quote, or a substitution."""

    def __init__(self, script: str, depth: int = 0) -> None:
        self._script = script
        self._depth = depth
        self._at = 0
        self._made: list[str] = []
        self._inside = ["<"] if depth else []  # the inside of a here-document is quoted, and `"` is text there
        self._here_ends: list[str] = []  # delimiters of here-documents that begin after this line
        self._stops = _places(script)
        self._next = 0  # in `_stops`
        self.torn = False  # there was a spelling that the grammar may tear apart

    def text(self) -> str:
        script = self._script
        while self._at < len(script):
            stop = self._next_stop()
            if stop > self._at:
                self._made.append(script[self._at : stop])
                self._at = stop
                continue
            self._one(script[self._at])
        return "".join(self._made)

    def _next_stop(self) -> int:
        while self._stops[self._next] < self._at:
            self._next += 1
        return self._stops[self._next]

    def _one(self, char: str) -> None:
        quoted = self._inside[-1:] in (['"'], ["<"])
        if char == "\\":
            self._backslash()
        elif char == '"':
            self._double_quote(quoted=quoted)
        elif char == "$":
            self._dollar(quoted=quoted)
        elif char == "(":
            self._copy(1)
            if not quoted:
                self._inside.append("(")
        elif char == ")":
            self._copy(1)
            if self._inside[-1:] == ["("]:
                self._inside.pop()
        elif quoted or char == "`":
            self._copy(1)
        elif char == "'":
            self._single_quote()
        elif char == "#":
            self._comment()
        elif char == "<":
            self._maybe_here_document()
        else:
            self._line_end()

    def _copy(self, count: int) -> None:
        self._made.append(self._script[self._at : self._at + count])
        self._at += count

    def _backslash(self) -> None:
        if self._script[self._at + 1 : self._at + 2] == "\n":
            self.torn = self.torn or bool(self._here_ends) or _goes_on(self._script, self._at)
            self._at += 2
        else:
            self._copy(2)

    def _double_quote(self, *, quoted: bool) -> None:
        if quoted:
            if self._inside[-1] == '"':
                self._inside.pop()
            self._copy(1)
            return
        close = self._script.find('"', self._at + 1)
        written = self._script[self._at + 1 : close]
        inner = written.replace("\\\n", "")
        if close > 0 and _PLAIN.issuperset(inner):
            self.torn = self.torn or inner != written
            self._bare(inner, close + 1)
            return
        self._inside.append('"')
        self._copy(1)

    def _dollar(self, *, quoted: bool) -> None:
        following = self._script[self._at + 1 : self._at + 2]
        if following == "(":
            self._copy(2)
            self._inside.append("(")
        elif following == '"' and not quoted:
            self.torn = True
            self._at += 1
        elif following == "'" and not quoted:
            self._ansi()
        else:
            self._copy(1)

    def _ansi(self) -> None:
        self.torn = True
        end = self._at + 2
        while end < len(self._script) and self._script[end] != "'":
            end += 2 if self._script[end] == "\\" else 1
        inner = ansi(self._script[self._at + 2 : end])
        if _PLAIN.issuperset(inner):
            self._bare(inner, end + 1)
        else:
            self._made.append("'" + inner.replace("'", "'\\''") + "'")
            self._at = end + 1

    def _single_quote(self) -> None:
        close = self._script.find("'", self._at + 1)
        close = len(self._script) if close < 0 else close
        inner = self._script[self._at + 1 : close]
        if _PLAIN.issuperset(inner):
            self._bare(inner, close + 1)
        else:
            self._copy(close + 1 - self._at)

    def _bare(self, inner: str, end: int) -> None:
        """A quoted piece that needs no quotes. One that is a whole empty word keeps them."""
        alone = not self._in_word() and self._script[end : end + 1] in (*WORD_ENDS, "")
        made = inner if inner or not alone else "''"
        if made:  # nothing is no piece: whoever asks what stands before would have to pass them all
            self._made.append(made)
        self._at = end

    def _in_word(self) -> bool:
        last = next((piece for piece in reversed(self._made) if piece), "")
        return last[-1:] not in WORD_ENDS and bool(last)

    def _comment(self) -> None:
        if self._in_word():
            self._copy(1)
            return
        end = self._script.find("\n", self._at)
        self._copy((end if end >= 0 else len(self._script)) - self._at)

    def _maybe_here_document(self) -> None:
        script = self._script
        if script[self._at : self._at + 2] != "<<" or script[self._at : self._at + 3] == "<<<":
            self._copy(3 if script[self._at : self._at + 3] == "<<<" else 1)
            return
        word, end = delimiter(script, self._at)
        self._here_ends.append(word)
        self._copy(end - self._at)

    def _line_end(self) -> None:
        self._copy(1)
        for word in self._here_ends:
            plain = unquoted(word)
            at = self._at
            while at < len(self._script):
                end = self._script.find("\n", at)
                end = len(self._script) if end < 0 else end
                line = self._script[at:end]
                at = end + 1
                if line.lstrip("\t") == plain:
                    break
            body = self._script[self._at : at]
            expanded = plain == word and "$(" in body and self._depth < HERE_DOCUMENTS_DEEP_MAX
            self._made.append(self._within(body) if expanded else body)
            self._at = min(at, len(self._script))
        self._here_ends = []

    def _within(self, body: str) -> str:
        reading = _Respelling(body, self._depth + 1)
        made = reading.text()
        self.torn = self.torn or reading.torn
        return made
