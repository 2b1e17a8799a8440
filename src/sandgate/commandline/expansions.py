"""Which expansions of the shell only read a variable, and which tests only compare.

`${x@P}`, `${!x}`, `${x:n}`, `${a[n]}` and `[[ x -eq y ]]` evaluate the text of a variable, which may hold a command
substitution; `${x:-y}`, `${#x}`, `${x%.txt}` and `[[ -f x ]]` do not. Whatever is not listed here counts as evaluating.
"""

from __future__ import annotations

from sandgate.commandline.words import words_of

_OPERATORS = (":-", "-", ":+", "+", "##", "#", "%%", "%", "//", "/", "^^", "^", ",,", ",")
_OPERAND = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./,:*?@%+= -")
_SPECIAL = frozenset("?#@*$!-0123456789")
_ARITHMETIC = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$+-*/%<>=!&|^~?:, ")
# Of `[[ … ]]`: about files and texts.
UNARY_TESTS = words_of("-e -f -d -r -w -x -s -L -h -z -n -p -S -O -G -N -b -c -k -g -u ! -a")
BINARY_TESTS = words_of("== = != =~ < > && || -nt -ot -ef ( ) !")
# They evaluate both sides as arithmetic, so both must be numbers as written, or what can only be one.
NUMERIC_TESTS = words_of("-eq -ne -lt -le -gt -ge")
_NUMBERS = frozenset(("$#", "$?", '"$#"', '"$?"', "${#}", "$$", "$UID", "$EUID"))


def only_reads(text: str) -> bool:
    """Whether `${…}` hands out a variable's text, a part of it, or another text that stands there."""
    if text[:2] != "${" or text[-1:] != "}" or not text.isascii():
        return False
    inner = text[2:-1]
    if inner[:1] == "#" and len(inner) > 1:
        inner = inner[1:]
        return _without_subscript(inner).isidentifier() or inner in _SPECIAL
    at = 0
    while at < len(inner) and (inner[at].isalnum() or inner[at] == "_"):
        at += 1
    if at == 0 and inner[:1] in _SPECIAL:
        at = 1
    elif not inner[:at].isidentifier() and not inner[:at].isdecimal():
        return False
    rest = _without_subscript(inner[at:])
    if not rest:
        return True
    if rest[0] == ":" and rest[1:].replace(":", "", 1).isdecimal():  # `${x:0:2}`: numbers as written
        return True
    operator = next((each for each in _OPERATORS if rest.startswith(each)), None)
    return operator is not None and _OPERAND.issuperset(rest[len(operator) :])


def is_number(text: str) -> bool:
    """A number as written, or a variable that the shell itself keeps as one."""
    bare = text.strip('"')
    return text in _NUMBERS or bare.isdecimal() or (bare[:3] == "${#" and only_reads(bare))


def counted(text: str) -> frozenset[str] | None:
    """The variables that `$((…))` looks at; None when it may run more than arithmetic, as `a[$(cmd)]` does."""
    inner = text[3:-2]
    # Brackets inside are left alone: bash runs `$((a) | (b))` as commands.
    if text[:3] != "$((" or text[-2:] != "))" or not _ARITHMETIC.issuperset(inner):
        return None
    names = "".join([char if char.isalnum() or char == "_" else " " for char in inner]).split()
    return frozenset([name for name in names if not name.isdecimal()])


def _without_subscript(text: str) -> str:
    """`[@]`, `[*]` and `[3]` read elements; any other subscript is arithmetic."""
    start = text.find("[")
    close = text.find("]", start)
    if start < 0 or close < 0:
        return text
    subscript = text[start + 1 : close]
    return text[:start] + text[close + 1 :] if subscript in ("@", "*") or subscript.isdecimal() else text
