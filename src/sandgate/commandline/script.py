"""What a shell script would run, in order, with everything the shell would still change left visible.

The rules want plain words and refuse the rest; whoever *judges* a script needs the rest: which words hold `$X`, `~`
or a glob, what is redirected where, which command feeds which, what a loop variable may be. These flat
records keep all of it; walk.py makes them from the grammar's tree. Nothing is expanded or decided here.
"""

from __future__ import annotations

from sandgate.commandline.wrappers import COMMAND_FOLLOWS
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    PieceKind = Literal["text", "variable", "command", "opaque"]


class Piece(Record):
    """A stretch of a word. Unquoted text may still hold `~`, globs and braces with their meaning."""

    kind: PieceKind
    text: str  # the characters; a variable's name; the script inside `$(…)`
    quoted: bool = False
    fallback: str = ""  # of `${X:-fallback}`, as written

    @property
    def written(self) -> str:
        """As the script says it, near enough for a sentence."""
        if self.kind == "variable":
            return f"${{{self.text}:-{self.fallback}}}" if self.fallback else f"${self.text}"
        return f"$({self.text})" if self.kind == "command" else self.text


class Word(Record):
    """One word as written; the shell may make several arguments, or none, of it."""

    pieces: tuple[Piece, ...]

    @property
    def literal(self) -> str | None:
        """Its text when the shell changes nothing but quotes, else None (unquoted globs count as text)."""
        pieces = self.pieces
        if len(pieces) == 1:
            return pieces[0].text if pieces[0].kind == "text" else None
        if any(piece.kind != "text" for piece in pieces):
            return None
        return "".join([piece.text for piece in pieces])

    @property
    def written(self) -> str:
        """As the script says it, near enough for a sentence."""
        return "".join([piece.written for piece in self.pieces])


class Redirection(Record):
    """`> file`, `< file`, `2>> file`. Descriptor copies such as `2>&1` are left out: they touch no file."""

    operator: str
    target: Word


class Assignment(Record):
    """`X=value`; several values for an array or a loop variable, none when only the running shell knows."""

    name: str
    values: tuple[Word, ...]


class SimpleCommand(Record):
    """One program call with its surroundings. A command without words only assigns or redirects."""

    words: tuple[Word, ...] = ()
    assignments: tuple[Assignment, ...] = ()
    redirections: tuple[Redirection, ...] = ()
    stdin_text: str | None = None  # here-document or here-string, as written
    number: int = 0  # unique in its script
    pipes: tuple[tuple[int, int], ...] = ()  # (pipeline, position) of every pipeline around it, outermost first
    subshells: tuple[int, ...] = ()  # of every subshell around it, outermost first
    substituted_into: int | None = None  # number of the command whose word holds this one
    function: str = ""  # the function whose body this is part of
    looped: bool = False
    background: bool = False
    spinning: bool = False  # in a loop that neither ends nor rests


class Script(Record):
    """All commands of a script in the order the shell meets them; substitutions stand before their user."""

    commands: tuple[SimpleCommand, ...]
    complete: bool  # False: the grammar could not read part of it
    # (kind, number of commands) of each pipeline: the same kind says the same words. Empty where nobody compared.
    kinds: tuple[tuple[int, int], ...] = ()


def added(name: str, values: tuple[Word, ...], *, array: bool) -> tuple[Word, ...]:
    """`name+=more`: what is assigned is what the variable held, and what is added."""
    before = Piece("variable", name, quoted=True)
    if array or not values:
        return (Word((before,)), *values)
    return (Word((before, *values[0].pieces)), *values[1:])


def rough_commands(text: str) -> tuple[SimpleCommand, ...]:
    """Anything in `text` that may be a command, split without grammar: for scripts that cannot be read.

    Finds too much rather than too little: quotes are dropped, and every separator starts a new command.
    """
    text = text.replace("\\\n", "")
    for mark in "\n;&|(){}`<>":
        text = text.replace(mark, "\0")
    text = text.replace(",", " ")  # `{rm,-rf,x}` is three words
    for quote in "'\"\\":
        text = text.replace(quote, "")
    found = []
    for number, part in enumerate(text.split("\0")):
        texts = part.split()
        while texts and texts[0] in COMMAND_FOLLOWS:
            del texts[0]
        words = tuple(loose_word(each) for each in texts)
        if words:
            found.append(SimpleCommand(words, number=number))
    return tuple(found)


def loose_word(text: str) -> Word:
    """The word a shell would see if `text` stood unquoted: `$NAME`, `${NAME}`, `~` and globs keep their meaning."""
    pieces: list[Piece] = []
    at = 0
    while at < len(text):
        dollar = text.find("$", at)
        end = dollar if dollar >= 0 else len(text)
        if end > at:
            pieces.append(Piece("text", text[at:end]))
        if dollar < 0:
            break
        name, at = _variable_at(text, dollar + 1)
        pieces.append(Piece("variable", name) if name else Piece("text", "$", quoted=True))
    return Word(tuple(pieces))


def _variable_at(text: str, at: int) -> tuple[str, int]:
    """The name that stands at `at`, braced or not, and where the text goes on."""
    braced = text.startswith("{", at)
    start = end = at + braced
    while end < len(text) and (text[end].isalnum() or text[end] == "_"):
        end += 1
    if not braced:
        return text[start:end], end
    close = text.find("}", end)
    return text[start:end], close + 1 if close >= 0 else len(text)
