"""The commands that a script of GNU sed runs.

`e COMMAND` runs a command, `e` alone runs the text that was read, and the flag `e` of a substitution runs what it made.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

INPUT = "\0"  # stands for the text that sed reads
_ADDRESS = "0123456789$,!{~+ "
_FLAGS = frozenset("gpeiIMm0123456789")


def commands(script: str) -> Iterator[str]:
    """Each command that `script` runs, as far as it says; `INPUT` where it runs the text it reads."""
    for line in script.replace(";", "\n").split("\n"):
        rest = _behind_address(line.strip())
        if rest in ("e", "e}"):
            yield INPUT
        elif rest.startswith("e "):
            yield rest[2:]
        elif rest.startswith("s") and len(rest) > 2 and _evaluates(rest):
            parts = rest[2:].replace("\\" + rest[1], "\1").split(rest[1])
            yield "".join(parts[1:2]).replace("\1", rest[1])


def scripts_of(arguments: tuple[str, ...]) -> Iterator[str]:
    """The scripts among the arguments of sed; a file's name may be among them."""
    for at, word in enumerate(arguments):
        if word[:13] == "--expression=":
            yield word[13:]
        elif word[:1] != "-" or (at and arguments[at - 1] in ("-e", "--expression")):
            yield word
        elif word[:2] == "-e":
            yield word[2:]


def _behind_address(command: str) -> str:
    rest = command.lstrip(_ADDRESS)
    while rest[:1] in ("/", "\\") and len(rest) > 2:
        delimiter = rest[0] if rest[0] == "/" else rest[1]
        end = rest.find(delimiter, 1 if rest[0] == "/" else 2)
        if end < 0:
            return rest
        rest = rest[end + 1 :].lstrip("I" + _ADDRESS)
    return rest


def _evaluates(substitution: str) -> bool:
    """`s/x/y/e`, `s/x/y/2ge}`: the letter among the flags behind the last delimiter."""
    flags = substitution[substitution.rfind(substitution[1]) + 1 :].rstrip("} ")
    return "e" in flags and _FLAGS.issuperset(flags)
