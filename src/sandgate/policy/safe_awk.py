"""Does an awk program only read and print?

awk writes with `print > "file"`, and runs commands with `|`, `getline` and `system`. Whether a `>` writes or compares,
and whether it stands in the code at all, only tokens can tell: a quote inside a regular expression is no quote. So this
reads tokens, as POSIX describes them (awk, "Lexical Conventions"), and gives up wherever awks differ: comments,
continued lines, a slash that may be a division or begin an expression, brackets that may hide a slash.
"""

from __future__ import annotations

from sandgate.commandline.words import words_of

_ACTS = words_of("system getline close fflush ARGV ARGC PROCINFO extension SYMTAB FUNCTAB")
_LEAVES = words_of("break exit return")
_PRINTS = frozenset(("print", "printf"))
# Behind these words a slash may begin an expression, or divide what they return without arguments.
_SLASH_UNCLEAR = _PRINTS | words_of(
    "return in else do case exit delete next nextfile break continue length func function"
)
_TWO_CHARACTERS = frozenset(("||", "&&", ">>", ">=", "<=", "==", "!=", "++", "--"))
_PUNCTUATION = frozenset("{}()[];,+-*%^!<>|&?:~$=")
_BEFORE_EXPRESSION = frozenset(("", "\n", "{", "}", ";", "(", ",", "!", "~", "&&", "||"))
_STRING = '"'  # a whole string, as a token
_EXPRESSION = "/"  # a whole regular expression, as a token


def only_prints(program: str) -> bool:
    """No file is written, no command run, no connection made, whatever the input says."""
    tokens = _Tokens(program).read()
    if tokens is None or not _ACTS.isdisjoint(tokens) or "|" in tokens or _spins(tokens):
        return False
    return _only_compares(tokens)


def _spins(tokens: list[str]) -> bool:
    """`while (1)`, `for (;;)`: a loop that nothing leaves."""
    if not _LEAVES.isdisjoint(tokens):
        return False
    for at, token in enumerate(tokens):
        behind = tokens[at + 1 : at + 4]
        if token == "while" and len(behind) == 3 and behind[1].isdecimal() and behind[2] == ")":
            return True
        if token == "for" and behind[:1] == ["("] and ";;" in "".join(tokens[at : tokens.index(")", at)]):
            return True
    return False


def _only_compares(tokens: list[str]) -> bool:
    """No `>` can belong to a `print`: none stands before it in its statement, or around it in parentheses alone."""
    groups = [False]  # for the statement and each open parenthesis: does it hold a `print` so far?
    braces = 0
    for token in tokens:
        if token in _PRINTS:
            groups[-1] = True
        elif token == "(":
            groups.append(False)
        elif token == ")":
            if len(groups) == 1:
                return False
            printed = groups.pop()
            groups[-1] = groups[-1] or printed
        elif token == ">>" or (token == ">" and groups[-1]):
            return False
        elif token in ("{", "}"):
            braces += 1 if token == "{" else -1
            if braces < 0 or len(groups) > 1:
                return False
            groups = [False]
        elif token == ";" and len(groups) == 1:
            groups = [False]
    return braces == 0 and len(groups) == 1


class _Tokens:
    """One pass over a program. A line break is no end of a statement here, as it need not be one in awk."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._found: list[str] = []

    def read(self) -> list[str] | None:
        """All tokens, or None where it is not certain what they are."""
        while self._at < len(self._text):
            if not self._token(self._text[self._at]):
                return None
        return self._found

    def _token(self, char: str) -> bool:
        if char in " \t":
            self._at += 1
            return True
        if char == '"':
            return self._string()
        if char == "/":
            return self._slash()
        if char.isascii() and (char.isalnum() or char in "_."):
            return self._word()
        pair = self._text[self._at : self._at + 2]
        if pair in _TWO_CHARACTERS:
            return self._take(pair)
        return (char in _PUNCTUATION or char == "\n") and self._take(char)

    def _take(self, token: str) -> bool:
        self._found.append(token)
        self._at += len(token)
        return True

    def _word(self) -> bool:
        """A name or a number; `1e5print` is read as one by some awks and as two by others."""
        end = self._at
        while (
            end < len(self._text)
            and self._text[end].isascii()
            and (self._text[end].isalnum() or self._text[end] in "_.")
        ):
            end += 1
        word = self._text[self._at : end]
        certain = word.replace(".", "", 1).isdecimal() or word.isidentifier()
        return certain and self._take(word)

    def _string(self) -> bool:
        at = self._at + 1
        while at < len(self._text) and self._text[at] != '"':
            at += 1
            if self._text[at - 1] == "\\":
                at += 1
        if at >= len(self._text) or "\n" in self._text[self._at : at]:
            return False
        self._at = at + 1
        self._found.append(_STRING)
        return True

    def _slash(self) -> bool:
        """A regular expression where only one can stand, a division where only that can."""
        before = self._found[-1] if self._found else ""
        if self._text[self._at + 1 : self._at + 2] == "=":
            return False
        if before in _BEFORE_EXPRESSION:
            return self._expression()
        divides = before == "]" or (before.replace(".", "").isalnum() and before not in _SLASH_UNCLEAR)
        return divides and self._take("/")

    def _expression(self) -> bool:
        at = self._at + 1
        bracket = False
        while at < len(self._text) and self._text[at] != "\n":
            char = self._text[at]
            following = self._text[at + 1 : at + 2]
            if char == "\\":
                if bracket and not (following.isalnum() or following in ".-"):
                    return False
                at += 1
            elif char == "[":
                if bracket or following == "]" or self._text[at + 1 : at + 3] == "^]":
                    return False
                bracket = True
            elif char == "]":
                bracket = False
            elif char == "/":
                self._at = at + 1
                self._found.append(_EXPRESSION)
                return not bracket
            at += 1
        return False
