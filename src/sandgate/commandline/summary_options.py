"""Options and operands of a command, read well enough for a summary.

Which options take a value is told per program. Nothing here is exact enough to decide by: an option a program does
not have is skipped like one it has, and whatever comes after `--` is an operand.
"""

from __future__ import annotations

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


class Arguments(Record):
    """The words after a program's name."""

    operands: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()  # options without a value: `-l`, `--files`
    values: tuple[tuple[str, str], ...] = ()  # options with theirs: (`-n`, `5`), also from `-n5` and `--lines=5`

    def has(self, *names: str) -> bool:
        """Whether one of these options was given, with or without a value."""
        return any(flag in names for flag in self.flags) or any(name in names for name, _ in self.values)

    def value(self, *names: str) -> str | None:
        """The value of the first of these options."""
        return next((value for name, value in self.values if name in names), None)


def arguments(words: tuple[str, ...], valued: frozenset[str]) -> Arguments:
    """Sorts `words`; `valued` are the options that take a value."""
    operands: list[str] = []
    flags: list[str] = []
    values: list[tuple[str, str]] = []
    waiting = iter(words)
    for word in waiting:
        if word == "--":
            operands += waiting
        elif word[:1] != "-" or word == "-":
            operands.append(word)
        elif word[:2] == "--" or word in valued:  # some programs have long options with one dash
            name, equals, value = word.partition("=")
            if name in valued:
                values.append((name, value if equals else next(waiting, "")))
            else:
                flags.append(name)
        else:
            _cluster(word, valued, flags, values, waiting)
    return Arguments(tuple(operands), tuple(flags), tuple(values))


def _cluster(
    word: str, valued: frozenset[str], flags: list[str], values: list[tuple[str, str]], waiting: Iterator[str]
) -> None:
    """`-rn5`: letters, until one of them takes the rest of the word or the next word."""
    if word[1:].isdecimal():
        flags.append(word)
        return
    for at, letter in enumerate(word[1:], 2):
        name = f"-{letter}"
        if name in valued:
            values.append((name, word[at:] or next(waiting, "")))
            return
        flags.append(name)
