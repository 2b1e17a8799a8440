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
_NUMBER_PRINTERS = frozenset(
    (
        ("id", "-u"), ("id", "-g"), ("nproc",), ("nproc", "--all"), ("date", "+%s"), ("date", "+%Y"), ("date", "+%s%N"),
        ("getconf", "_NPROCESSORS_ONLN"), ("date", "-u", "+%s"),
        ("git", "rev-list", "--count", "HEAD"),
    )
)  # fmt: skip
_PATH_PRINTERS = frozenset(("pwd", "pwd -P", "git rev-parse --show-toplevel"))
# Of `[[ … ]]`: about files and texts.
UNARY_TESTS = words_of("-e -f -d -r -w -x -s -L -h -z -n -p -S -O -G -N -b -c -k -g -u ! -a")
BINARY_TESTS = words_of("== = != =~ < > && || -nt -ot -ef ( ) !")
# They evaluate both sides as arithmetic, so both must be numbers as written, or what can only be one.
NUMERIC_TESTS = words_of("-eq -ne -lt -le -gt -ge")
_NUMBERS = frozenset(("$#", "$?", '"$#"', '"$?"', "${#}", "$$", "$UID", "$EUID"))


def hands_out_text(text: str) -> bool:
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
    return text in _NUMBERS or bare.isdecimal() or (bare[:3] == "${#" and hands_out_text(bare))


def prints_number(text: str) -> bool:
    """`$(… | wc -l)`, `$(id -u)`: what stands there when the commands have run is a number, or nothing."""
    inner = _substituted(text)
    if not inner or any(mark in inner for mark in "&;\n`$(){}"):
        return False
    head, piped, last = inner.rpartition("|")
    words = last.split()
    if tuple(words) in _NUMBER_PRINTERS:
        return True
    if words[:1] == ["wc"]:
        options = [word for word in words[1:] if word[:1] == "-"]
        files = words[1 + len(options) :]
        read = "".join(files)[:1] == "<" or (not files and bool(piped) and not head.endswith("|"))
        return len(options) == 1 and options[0] in ("-l", "-c", "-w", "-m") and read
    if words[:1] == ["grep"] and words[1:2] in (["-c"], ["-ci"], ["-cv"], ["-cE"], ["-cF"], ["-cw"]):
        given = words[2:]
        plain = not any(word[:1] == "-" or mark in word for word in given for mark in "*?[")
        return plain and not head.endswith("|") and len(given) == (1 if piped else 2)
    return False


def prints_path(text: str) -> bool:
    """`$(pwd)`, `$(git rev-parse --show-toplevel)`: the path of something, which begins with a slash."""
    inner = _substituted(text)
    if not inner or any(mark in inner for mark in "&;|\n`$(){}<>"):
        return False
    words = inner.removeprefix("readlink -f").split() if inner.startswith("readlink -f ") else inner.split()[1:]
    named = inner.startswith(("readlink -f ", "realpath ", "which ")) and not any(word[:1] in "-'\"" for word in words)
    return inner in _PATH_PRINTERS or named


def _substituted(text: str) -> str:
    """The script in `$(script)`, quoted or not; "" for anything else."""
    bare = text[1:-1] if text[:1] == '"' == text[-1:] else text
    return bare[2:-1].strip() if bare[:2] == "$(" and bare[:3] != "$((" and bare[-1:] == ")" else ""


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
