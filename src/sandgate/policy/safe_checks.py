"""What a grammar cannot say about a command that only reads.

Small languages hide in arguments: sed and awk programs can write and run, `git config NAME VALUE` writes where
`git config NAME` reads. Each check sees an argument list its grammar has already accepted, and answers whether it
is harmless. A check understands a little and refuses the rest.
"""

from __future__ import annotations

from sandgate.commandline.arguments import Reading
from sandgate.policy.safe_git_checks import GIT_CHECKS
from sandgate.policy.safe_system_checks import SYSTEM_CHECKS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.commandline.bashwords import Certainty

    Argv = tuple[str, ...]
    Sure = tuple[Certainty, ...]
    Check = Callable[[Reading, Argv, Sure | None], bool]

_NUMERIC_TESTS = frozenset(("-eq", "-ne", "-lt", "-le", "-gt", "-ge"))
_SHELL_OPTIONS = frozenset(("pipefail", "errexit", "nounset", "xtrace", "noglob", "noclobber"))
_PATTERN_OPTIONS = frozenset(("nullglob", "globstar", "dotglob", "failglob", "nocaseglob"))
_GETENT_LOCAL = frozenset(("passwd", "group", "services", "protocols", "shells"))
_APT_CACHE = frozenset(("search", "show", "policy", "depends", "rdepends", "showpkg", "madison", "pkgnames"))


def _exact(sure: Sure | None, at: int) -> bool:
    return sure is None or sure[at] == "exact"


def _evaluates(word: str) -> bool:
    """Text that zsh would run if it took the word for arithmetic, as in `a[$(cmd)]`."""
    return "$(" in word or "`" in word or "[$" in word


def _printf(_reading: Reading, argv: Argv, sure: Sure | None) -> bool:
    if len(argv) < 2 or argv[1][:1] == "-" or not _exact(sure, 1):
        return argv[1:] == ("--version",)
    if any(_evaluates(word) for word in argv[2:]) and (sure is None or "unknown" not in sure):
        return False
    return sure is None or "unknown" not in sure or not _formats_numbers(argv[1])


def _formats_numbers(text: str) -> bool:
    conversions = [piece.lstrip("-+ #0123456789.*")[:1] for piece in text.replace("%%", "").split("%")[1:]]
    return any(letter not in ("s", "b", "q", "c") for letter in conversions)


def _test(_reading: Reading, argv: Argv, sure: Sure | None) -> bool:
    """`-v` and `-R` evaluate subscripts, and zsh evaluates what it compares as numbers, or asks about as a terminal."""
    for at, word in enumerate(argv):
        if at and word in ("-v", "-R", "-o"):
            return False
        if at and word == "-t" and not all(_exact(sure, at + 1) and near.isdecimal() for near in argv[at + 1 : at + 2]):
            return False
        if _exact(sure, at) and _evaluates(word):
            return False
        if word in _NUMERIC_TESTS:
            around = [near for near in (at - 1, at + 1) if near < len(argv)]
            if not all(_exact(sure, near) and argv[near].lstrip("-").isdecimal() for near in around):
                return False
    return True


def _no_response_file(_reading: Reading, argv: Argv, _sure: Sure | None) -> bool:
    """The programs of binutils take more options from `@file` (binutils manual, "Common Options").

    The `{}` of `find -exec` begins as a starting point does, which may be with `@`.
    """
    return all(word[:1] not in ("@", "{") for word in argv[1:])


def _number(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    return all(word.isdecimal() for word in reading.operands)


def _set(reading: Reading, argv: Argv, _sure: Sure | None) -> bool:
    """`set -- a b` gives a script its own words; `set -o` alone lists the shell's settings."""
    if argv[1:2] == ("--",):
        return True
    return all(word in ("+e", "+u", "+x", "+o") or word in _SHELL_OPTIONS for word in reading.operands)


def _shopt(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    """What patterns match may be changed; how words and names are read may not."""
    return not reading.has("-s", "-u") or all(word in _PATTERN_OPTIONS for word in reading.operands)


def _read(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    """Into variables that steer nothing: lower case, and none of zsh's arrays that stand for PATH and the like."""
    return all(word.isidentifier() and word.islower() and not word.endswith("path") for word in reading.operands)


def _date(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    return all(word[:1] == "+" for word in reading.operands)


def _getent(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    """The databases that are files; `hosts` asks a name server."""
    return bool(reading.operands) and reading.operands[0] in _GETENT_LOCAL


def _sysctl(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    return not any("=" in word for word in reading.operands)


def _apt_cache(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    return bool(reading.operands) and reading.operands[0] in _APT_CACHE


_IP_OBJECTS = ("address", "addr", "link", "route", "neighbour", "neighbor", "neigh", "rule", "maddress", "mroute",
               "tunnel",
               "netns", "tuntap", "vrf", "ntable")  # fmt: skip
_IP_LOOKING = frozenset(("show", "list", "ls", "lst", "sh"))


def _ip(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    """`ip addr`, `ip -br link show up`, `ip route get ADDRESS`. Objects may be cut short, verbs only as listed."""
    rest = reading.operands
    if not rest:
        return reading.has("-V", "-Version")
    if not any(name.startswith(rest[0]) for name in _IP_OBJECTS):
        return False
    if len(rest) == 1 or rest[1] in _IP_LOOKING:
        return True
    if rest[1] == "s":
        return any(name.startswith(rest[0]) for name in ("address", "route", "neighbour"))
    return rest[1] == "get" and "route".startswith(rest[0])


def _tc(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    rest = reading.operands
    return (
        bool(rest) and rest[0] in ("qdisc", "class", "filter") and (len(rest) == 1 or rest[1] in ("show", "list", "ls"))
    )


def _plain_words(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    """Names only: no `;` for a small language, no verb that changes the interface named before it."""
    return all(word.replace("-", "").replace("_", "").replace(".", "").isalnum() for word in reading.operands)


def _lsof(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    """`-i @host` looks the host up."""
    return not any(name == "-i" and value and "@" in value for name, value in reading.options) and not any(
        "@" in word for word in reading.operands
    )


def _no_flatten(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    """`--flatten` writes keys out; kubectl still hides them without `--raw`, older ones do not."""
    return not reading.has("--flatten")


def _plain_setting(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    return not any("secret" in word or "token" in word or "key" in word for word in reading.operands)


def _local_charts(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    """A chart or a value file may be fetched from elsewhere by its name; these can only be directories here."""
    values = [value or "" for _, value in reading.options]
    charts = reading.operands[-1:]
    return (
        bool(charts)
        and not any("://" in word for word in (*values, *reading.operands))
        and all(
            word in (".", "..", "chart") or word.startswith(("./", "../", "/", "chart/", "charts/", "helm/", "deploy/"))
            for word in charts
        )
    )


def _yq(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    return not any("system" in word for word in reading.operands)


def _pacman(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    """`-Q` asks what is installed; `-S` only with what turns it into a search, and never with what cleans or "
    "upgrades."""
    if reading.has("-S"):
        return reading.has("-s", "-i", "-l", "-g", "--search", "--info") and not reading.has("-c", "-u", "-Q")
    return reading.has("-Q", "--query", "-V", "--version")


def _php(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    """`php -l FILE` parses it; any other file would be run."""
    return not reading.operands or reading.has("-l", "--syntax-check")


def _shell(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    """`bash -n FILE`. `+n` takes back what `-n` says, and `-` is standard input."""
    if not reading.operands:
        return reading.has("--version")
    return reading.has("-n") and reading.operands[0][:1] not in ("+", "-", "")


def _ruby(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    """`ruby -c FILE` parses it; any other file would be run."""
    return not reading.operands or reading.has("-c")


def _sqlite(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    from sandgate.policy.safe_sql import only_shows

    rest = reading.operands
    if reading.has("-version", "--version"):
        return not rest
    return len(rest) > 1 and all(only_shows(text) for text in rest[1:])


def _ar(_reading: Reading, argv: Argv, _sure: Sure | None) -> bool:
    """Listing alone: `ar t lib.a`."""
    letters = argv[1].removeprefix("-") if len(argv) > 1 else ""
    return argv[1:] == ("--version",) or (
        letters in ("t", "tv", "vt") and all(word[:1] not in "-@" for word in argv[2:])
    )


def _sed(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    scripts = [value or "" for name, value in reading.options if name in ("-e", "--expression")]
    if not scripts:
        scripts = list(reading.operands[:1])
    return bool(scripts) and all(_SedScript(script).only_prints() for script in scripts)


def _awk(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    """gawk opens a connection for files below `/inet`."""
    from sandgate.policy.safe_awk import only_prints

    files = reading.operands[1:]
    return (
        bool(reading.operands)
        and only_prints(reading.operands[0])
        and not any(word.startswith("/in") for word in files)
    )


class _SedScript:
    """Enough of sed to see that a script only selects, edits and prints. GNU extensions that write or run refuse."""

    _PLAIN = frozenset("pPdD=lnNgGhHxz")

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def only_prints(self) -> bool:
        while self._skip(" \t\n;{}"):
            if not self._address() or not self._command():
                return False
        return True

    def _skip(self, chars: str) -> bool:
        """Moves past any of `chars`; False at the end of the script."""
        while self._at < len(self._text) and self._text[self._at] in chars:
            self._at += 1
        return self._at < len(self._text)

    def _next(self) -> str:
        return self._text[self._at : self._at + 1]

    def _address(self) -> bool:
        while self._next() and self._next() in "0123456789$,+~/! \tI":
            if self._next() == "/":
                if not self._delimited("/"):
                    return False
            else:
                self._at += 1
        return True

    def _command(self) -> bool:
        letter = self._next()
        self._at += 1
        if letter == "{":
            return True
        if letter in ("s", "y"):
            return self._substitute(letter)
        if letter in ("q", "Q"):
            self._skip("0123456789 ")
        elif letter not in self._PLAIN:
            return False
        self._skip(" \t")
        return self._next() in ("", ";", "\n", "}")

    def _substitute(self, letter: str) -> bool:
        mark = self._next()
        start = self._at
        if not mark or mark in "\\\n[]" or mark.isalnum():
            return False
        if not self._delimited(mark) and not (letter == "s" and self._bracketed(mark, start)):
            return False
        self._at -= 1  # the closing mark opens the replacement
        if not self._delimited(mark):
            return False
        if letter == "s":
            self._skip("gpiIM0123456789")
        self._skip(" \t")
        return self._next() in ("", ";", "\n", "}")

    def _bracketed(self, mark: str, start: int) -> bool:
        """`s/[^/]*$//`: taken for the end of the expression by an old sed, the mark in brackets makes a mistake of the
        command, since behind its third mark stands what is no flag; otherwise it is a character like others."""
        self._at = start
        for _ in range(2):
            if not self._delimited(mark, brackets=False):
                return False
            self._at -= 1
        flag = self._text[self._at + 1 : self._at + 2]
        if not flag or flag.isalnum() or flag in " \t\n;}#":
            return False
        self._at = start
        return self._delimited(mark, inside=True)

    def _delimited(self, mark: str, *, brackets: bool = True, inside: bool = False) -> bool:
        """From one mark past the next. A mark inside brackets ends the text for GNU sed and not for others: refuse."""
        bracket = False
        self._at += 1
        while self._next():
            char = self._next()
            self._at += 1
            if char == mark and not (bracket and inside):
                return not bracket
            if char == "\n":
                return False
            if char == "\\":
                self._at += 1
            elif char == "[" and bracket and self._next() and self._next() in ":.=":  # `[:alpha:]`
                end = self._text.find(f"{self._next()}]", self._at + 1)
                if end < 0 or mark in self._text[self._at : end]:
                    return False
                self._at = end + 2
            elif char == "[" and brackets and not bracket:
                bracket = True
                self._at += self._next() == "^"
                self._at += self._next() == "]"  # literal in this place
            elif char == "]":
                bracket = False
        return False


CHECKS: dict[str, Check] = {
    **GIT_CHECKS,
    "printf": _printf,
    "test": _test,
    "no_response_file": _no_response_file,
    "number": _number,
    "set": _set,
    "shopt": _shopt,
    "read": _read,
    "date": _date,
    "getent": _getent,
    "sysctl": _sysctl,
    "apt_cache": _apt_cache,
    "ip": _ip,
    "tc": _tc,
    "plain_words": _plain_words,
    "lsof": _lsof,
    "no_flatten": _no_flatten,
    "plain_setting": _plain_setting,
    "local_charts": _local_charts,
    "yq": _yq,
    "pacman": _pacman,
    "php": _php,
    "shell": _shell,
    "ruby": _ruby,
    "sqlite": _sqlite,
    "ar": _ar,
    "sed": _sed,
    "awk": _awk,
    **SYSTEM_CHECKS,
}
