"""What the shell would make of words, as far as it can be said beforehand.

Known variables, `~`, braces and a few harmless substitutions (`$(pwd)`) are filled in; what only the running shell can
know becomes a mark inside the text, and the argument says so. One variable may stand for several values (a loop, an
array); all of them are kept, up to a bound.
"""

from __future__ import annotations

from posixpath import normpath

from sandgate.assessment.listing import words
from sandgate.commandline.decoding import ansi
from sandgate.policy.secret_settings import is_secret_variable
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from sandgate.commandline.script import Piece, Word

MAX_PIECES = 256  # of a word that is expanded with all alternatives; longer ones are read once, straight through
MAX_ARGUMENTS = 64  # that one word may become; more is cut, and the last one marked unknown
UNKNOWN = "\x1a"  # stands in a text where only the running shell knows
_GAP, _OPEN, _COMMA, _CLOSE = "\x1c", "\x1d", "\x1e", "\x1f"
KEPT_MAX = 4_096  # plain words remembered with their argument,
KEPT_CHARACTERS_MAX = 100  # of at most this length
# What the shell, or the marks above, may make something else of: in bare text, and inside quotes.
_CHANGING = frozenset("~*?[{},\x1c\x1d\x1e\x1f")
_MARKS = frozenset("\x1c\x1d\x1e\x1f")
SHELL_SET = frozenset(
    words(
        "@ * # ? $ ! - _ RANDOM SECONDS LINENO BASHPID PPID EPOCHSECONDS REPLY OLDPWD BASH_SOURCE BASH_LINENO OPTARG "
        "OPTIND SRANDOM BASH_REMATCH PIPESTATUS HOSTNAME UID EUID GROUPS"
    )
)


_NAMING_THE_SHELL = frozenset(("SHELL", "BASH", "0"))


class Arg(Record):
    """One argument as the program will see it."""

    text: str
    known: bool = True
    glob: bool = False
    note: str = ""  # "`$X` is not set here"
    raw: str = ""  # as given, when no shell stands between
    carries: tuple[tuple[str, str], ...] = ()  # what flows in through variables: (tag, target)


class Value(Record):
    """What a variable may hold."""

    texts: tuple[str, ...]
    known: bool = True
    carries: tuple[tuple[str, str], ...] = ()


class Shell:
    """The state words are expanded in: a directory and variables. `cwd` None: it went somewhere unknown."""

    __slots__ = ("cwd", "environment", "home", "variables")

    def __init__(self, cwd: str | None, home: str, environment: Mapping[str, str]) -> None:
        self.cwd = cwd
        self.home = home
        self.environment = environment
        self.variables: dict[str, Value] = {}

    def copy(self) -> Shell:
        twin = Shell(self.cwd, self.home, self.environment)
        twin.variables = dict(self.variables)
        return twin

    def lookup(self, name: str) -> Value | None:
        """None: not set, which a shell takes as empty."""
        if name in self.variables:
            return self.variables[name]
        if name == "PWD":
            return Value((self.cwd,)) if self.cwd else Value((UNKNOWN,), known=False)
        if name == "IFS":
            return Value((" ",))
        if name == "HOME":
            return Value((self.environment.get("HOME") or self.home,))
        if name in _NAMING_THE_SHELL and not self.environment.get(name):
            return Value(("/bin/bash",))
        if name.isdigit() or name in SHELL_SET:
            return Value((UNKNOWN,), known=False)
        if name in self.environment:
            return Value((self.environment[name],))
        return None

    def resolve(self, text: str) -> str | None:
        """The absolute, normalised path, or None when it depends on something unknown."""
        if UNKNOWN in text and (UNKNOWN in text.split("/", 1)[0] or "/.." in text):
            return None
        if not text.startswith("/") and self.cwd is None:
            return None
        path = self.cwd
        if text:
            path = normpath(text if text[0] == "/" else f"{path or ''}/{text}")
        return path[1:] if path is not None and path.startswith("//") else path


class _Draft:
    """One of the arguments a word is becoming."""

    __slots__ = ("carries", "glob", "known", "note", "text")

    def __init__(self) -> None:
        self.text = ""
        self.known = True
        self.glob = False
        self.note = ""
        self.carries: tuple[tuple[str, str], ...] = ()

    def plus(self, text: str, *, known: bool = True, glob: bool = False) -> _Draft:
        twin = _Draft()
        twin.text, twin.known = self.text + text, self.known and known
        twin.glob, twin.note, twin.carries = self.glob or glob, self.note, self.carries
        return twin


# Text → the argument it is for any shell: for text that no shell changes.
_bare: dict[str, Arg] = {}
_quoted: dict[str, Arg] = {}


def _unchanged(piece: Piece) -> Arg | None:
    """The argument of a word that is this one piece, when it is the same in every shell."""
    kept = _quoted if piece.quoted else _bare
    text = piece.text
    arg = kept.get(text)
    if arg is None:
        if not text or not (_MARKS if piece.quoted else _CHANGING).isdisjoint(text):
            return None
        arg = Arg(text)
        if len(text) <= KEPT_CHARACTERS_MAX:
            if len(kept) >= KEPT_MAX:
                kept.clear()
            kept[text] = arg
    return arg


def expand(word: Word, shell: Shell, substituted: tuple[tuple[str, str], ...] = (), *, direct: str = "") -> list[Arg]:
    """The arguments `word` becomes. `substituted`: what the commands in its `$(…)` let flow in.

    `direct`: the text itself when it reaches the program without a shell; then no splitting and no braces happen.
    """
    pieces = word.pieces
    if len(pieces) == 1 and not direct and pieces[0].kind == "text":
        arg = _unchanged(pieces[0])
        if arg is not None:
            return [arg]
    if len(pieces) > MAX_PIECES:
        return [_straight(word, direct)]
    drafts = [_Draft()]
    for index, piece in enumerate(pieces):
        drafts = [
            longer for draft in drafts for longer in _append(draft, piece, index, shell, substituted, bool(direct))
        ]
        if len(drafts) > MAX_ARGUMENTS:
            drafts = [each.plus("", known=False) for each in drafts[:MAX_ARGUMENTS]]
    made: list[Arg] = []
    for draft in drafts:
        texts = [draft.text] if direct else _braces(draft.text)
        for text in texts:
            split = _GAP in text and not direct
            for at, part in enumerate(text.split(_GAP)) if split else [(0, text)]:
                if at and part[:1] == "~":  # bash would not, but whoever puts a command in a variable means it
                    part = _tilde(part, shell)
                if part or (len(texts) == 1 and not split):
                    made.append(Arg(part, draft.known, draft.glob, draft.note, direct, draft.carries))
    return made[:MAX_ARGUMENTS]


def _straight(word: Word, direct: str) -> Arg:
    text = "".join(piece.text if piece.kind == "text" else UNKNOWN for piece in word.pieces)
    return Arg(text, known=UNKNOWN not in text, raw=direct)


def _append(
    draft: _Draft, piece: Piece, index: int, shell: Shell, substituted: tuple[tuple[str, str], ...], direct: bool
) -> list[_Draft]:
    if piece.kind == "text":
        return [_with_text(draft, piece, index, shell, direct)]
    if piece.kind == "variable":
        return _with_variable(draft, piece, shell, direct)
    if piece.kind == "opaque" and shell.lookup(name := _required(piece.text)) is not None:
        return _with_variable(draft, piece.but(kind="variable", text=name), shell, direct)
    text = known_output(piece.text, shell) if piece.kind == "command" else None
    more = draft.plus(
        _gaps(text, piece.quoted or direct, shell) if text is not None else UNKNOWN, known=text is not None
    )
    more.carries = draft.carries + substituted
    return [more]


def _required(text: str) -> str:
    """`${NAME:?message}` → `NAME`: nothing runs when that is empty. "" for anything else."""
    name, asked, _ = text.removeprefix("${").partition("?")
    name = name.removesuffix(":")
    return name if asked and text[:2] == "${" and name.isidentifier() else ""


def _with_text(draft: _Draft, piece: Piece, index: int, shell: Shell, direct: bool) -> _Draft:
    text = piece.text
    if piece.quoted:
        return draft.plus(text)
    if index == 0:
        text = _tilde(text, shell)
    glob = "*" in text or "?" in text or "[" in text
    if not direct:
        text = text.replace("{", _OPEN).replace(",", _COMMA).replace("}", _CLOSE)
    return draft.plus(text, glob=glob)


def _tilde(text: str, shell: Shell) -> str:
    if not text.startswith("~"):
        return text
    name, slash, rest = text[1:].partition("/")
    home = shell.lookup("HOME")
    if name == "" and home is not None:
        return home.texts[0] + slash + rest
    if name == "+" and shell.cwd:
        return shell.cwd + slash + rest
    if name == "root":
        return "/root" + slash + rest
    if name.replace("-", "").replace("_", "").isalnum():
        own = shell.home.rsplit("/", 1)
        return (shell.home if own[-1] == name else f"/home/{name}") + slash + rest
    return text


def _with_variable(draft: _Draft, piece: Piece, shell: Shell, direct: bool) -> list[_Draft]:
    value = shell.lookup(piece.text)
    if is_secret_variable(piece.text):
        draft = draft.plus("")
        draft.carries = (*draft.carries, ("environment", f"${piece.text}"))
    if value is None or value.texts == ("",):
        if piece.fallback:
            unsure = any(mark in piece.fallback for mark in "$`")
            text = UNKNOWN if unsure else _tilde(piece.fallback, shell)
            return [draft.plus(_gaps(text, piece.quoted or direct, shell), known=not unsure)]
        empty = draft.plus("")
        empty.note = f"`${piece.text}` is empty here"
        return [empty]
    made = []
    for text in value.texts[: MAX_ARGUMENTS + 1]:  # one more than are kept: what is left out is noticed
        more = draft.plus(_gaps(text, piece.quoted or direct, shell), known=value.known)
        more.glob = more.glob or (not piece.quoted and any(mark in text for mark in "*?["))
        more.carries = draft.carries + value.carries
        made.append(more)
    return made


def _gaps(text: str, quoted: bool, shell: Shell) -> str:
    """Unquoted values are split at blanks, or wherever the script says through `IFS`."""
    if quoted:
        return text
    own = shell.variables.get("IFS")
    for mark in own.texts[0] if own is not None and own.known else " \t\n":
        text = text.replace(mark, _GAP)
    return text


def known_output(command: str, shell: Shell) -> str | None:
    """The output of the few substitutions that can be known without running them."""
    words = command.split()
    if words in ([], ["true"], [":"]):
        return ""
    if words == ["pwd"]:
        return shell.cwd
    if words[:3] == ["git", "rev-parse", "--show-toplevel"]:
        return shell.cwd
    if words[:1] == ["mktemp"]:
        return "/tmp/" + UNKNOWN
    if words[:1] == ["printf"] and len(words) > 2 and words[1].strip("'\"") in {"%s", "%s\\n"}:
        del words[1]
        command = " ".join(words)
    if (
        words[:1] == ["printf"]
        and len(words) == 2
        and "\\" in command
        and not any(mark in command for mark in "$`|;&<>*?%")
    ):
        return ansi(words[1].strip("'\""))
    if words[:1] in (["echo"], ["printf"]) and not any(mark in command for mark in "$`|;&<>*?\\%"):
        plain = [word.strip("'\"") for word in words[1:] if word not in {"-n", "-e"}]
        return _tilde(" ".join(plain), shell) if plain else ""
    return None


def _braces(text: str) -> list[str]:
    """`a{b,c}` → `ab`, `ac`; bounded; a brace without a comma stays as it is."""
    waiting, done = [text], list[str]()
    while waiting:
        current = waiting.pop()
        close = current.find(_CLOSE)
        start = current.rfind(_OPEN, 0, close) if close >= 0 else -1
        if start < 0 or len(waiting) + len(done) >= MAX_ARGUMENTS:
            done.append(current.replace(_OPEN, "{").replace(_COMMA, ",").replace(_CLOSE, "}"))
            continue
        choices = current[start + 1 : close].split(_COMMA)
        before, after = current[:start], current[close + 1 :]
        if len(choices) == 1:
            waiting.append(f"{before}{{{choices[0]}}}{after}")
        else:
            waiting += [before + choice + after for choice in reversed(choices)]
    return done
