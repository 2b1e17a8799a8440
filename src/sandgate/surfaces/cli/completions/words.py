"""What can stand where on a command line of ours, as far as the table of options says."""

from __future__ import annotations

from sandgate.config.features import FEATURES
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from sandgate.surfaces.cli.options import Command, Option

    Kind = Literal["words", "files", "directories", "unknown"]

FILES = ("FILE", "FILE|PATCH", "[FILE…]", "RULES…")
DIRECTORIES = ("DIR",)


class OptionValue(Record):
    """What an option, or a word of a command, may be."""

    kind: Kind
    words: tuple[str, ...] = ()


def option_value(option: Option) -> OptionValue:
    """What follows this option, which takes a value."""
    if option.choices:
        return OptionValue("words", option.choices)
    if option.metavar == "FEATURE":
        return OptionValue("words", tuple(name for name, _stage, _default, _doc in FEATURES))
    return _named(option.metavar)


def deeds(command: Command) -> tuple[str, ...]:
    """The fixed words that may follow the command's name."""
    return _each_once([*command.words, *(_parts(form)[0] for form in command.forms if _is_fixed(_parts(form)[0]))])


def after(command: Command, deed: str) -> OptionValue:
    """What may follow that word: further fixed words, or a kind of name."""
    following = [parts[1] for parts in map(_parts, command.forms) if parts[0] == deed and len(parts) > 1]
    fixed = _each_once([part for part in following if _is_fixed(part)])
    if fixed:
        return OptionValue("words", fixed)
    return next((value for value in map(_named, following) if value.kind != "unknown"), OptionValue("unknown"))


def argument(command: Command) -> OptionValue:
    """What may follow the command's name where that is no fixed word."""
    return _named(command.argument)


def _named(name: str) -> OptionValue:
    if name in FILES:
        return OptionValue("files")
    return OptionValue("directories" if name in DIRECTORIES else "unknown")


def _parts(form: str) -> list[str]:
    parts = form.split()
    return [parts[0].strip("[]") if parts[0].strip("[]").islower() else parts[0], *parts[1:]]


def _is_fixed(part: str) -> bool:
    return part.islower() and part != "--"


def _each_once(words: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(words))
