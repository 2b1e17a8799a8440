"""What a name means after something earlier in the line gave it another meaning: `cp /bin/ls f; ./f`.

A copy, a link, an alias, an entry of the shell's table of programs. Where and when the name is used is not followed, so
one meaning too many comes out rather than one too few.
"""

from __future__ import annotations

from sandgate.commandline.printing import UNKNOWN
from sandgate.commandline.words import program_name, words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from sandgate.commandline.script import SimpleCommand

    Argv = tuple[str, ...]

# What is copied, linked or moved from a directory of programs is a program under another name.
COPYING = words_of("cp mv ln install rsync scp cat dd")
PROGRAM_PLACES = ("/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/", "/usr/local/bin/")
NAMINGS = ("BASH_CMDS", "BASH_ALIASES")  # arrays of bash by which a word means a program
_DECLARING = words_of("declare typeset local readonly export")
_LOOKING_UP = (["which"], ["command"], ["type"])


def renamed_by(argv: Argv, command: SimpleCommand) -> Iterator[tuple[str, Argv]]:
    """Names, by their last part, and the words they mean from now on. `argv`: what `command` may be."""
    name, rest = program_name(argv[0]), argv[1:]
    if name == "hash" and "-p" in rest[:-2]:
        at = rest.index("-p")
        yield from [(each, (program_name(rest[at + 1]),)) for each in rest[at + 2 :]]
    elif name == "alias":
        for alias, _, value in [word.partition("=") for word in rest]:
            if value.split():
                yield alias, tuple(value.split())
    elif name in _DECLARING:
        for word in rest:
            if word.startswith(NAMINGS):
                array, _, value = word.partition("=")
                yield from named_in(array, [value])
    elif name in COPYING:
        yield from _copied(rest, command)


def named_in(array: str, texts: list[str]) -> Iterator[tuple[str, Argv]]:
    """`BASH_CMDS[g]=/bin/ls`, `BASH_CMDS=([g]=/bin/ls)`."""
    _, bracket, key = array.partition("[")
    for text in texts:
        name, _, value = (f"{key.rstrip(']')}]", "=", text) if bracket else text.lstrip(f"([{UNKNOWN}").partition("=")
        if name[-1:] == "]" and value.split():
            yield name.rstrip("]").strip("'\""), tuple(value.rstrip(")").split())


def _copied(rest: Argv, command: SimpleCommand) -> Iterator[tuple[str, Argv]]:
    operands = [word.removeprefix("if=") for word in rest if word[:1] != "-"]
    places = [each.target.literal or "" for each in command.redirections if ">" in each.operator]
    places += [word.removeprefix("of=") for word in rest if word[:3] == "of="] or operands[-1:]
    pieces = [piece for word in command.words for piece in word.pieces if piece.kind == "command"]
    looked_up = any(piece.text.split()[:1] in _LOOKING_UP for piece in pieces)  # `cp $(which ls) f`
    for source in operands[:-1] or operands:
        if source.startswith(PROGRAM_PLACES) or UNKNOWN in source or looked_up:
            for place in places:
                yield program_name(place) or program_name(source), (program_name(source),)
