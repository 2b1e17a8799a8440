"""The program's arguments, taken apart by the table in `options`. Bytes in arguments are never changed."""

from __future__ import annotations

from sandgate.errors import RequestError
from sandgate.surfaces.cli.options import command_named
from sandgate.surfaces.cli.parsed import ParsedLine as ParsedLine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.surfaces.cli.options import Command, Option


def parse(arguments: list[str]) -> ParsedLine:
    """Take apart everything after the program's name. Raises RequestError with one clear line."""
    name, rest = arguments[0], arguments[1:]
    command = command_named(name)
    if command is None:
        from sandgate.surfaces.cli.usage_errors import no_such_command

        raise no_such_command(name)
    values, left, argv, wants_help = _options(command, rest)
    if wants_help:
        return ParsedLine(command, values, help=True)
    if command.argument and len(left) + len(argv) == 1:
        return ParsedLine(command, values, argument=(left + argv)[0])
    if command.forms:
        from sandgate.surfaces.cli.forms import in_form

        return in_form(command, values, left, argv)
    _positional(command, left, argv)
    if command.takes_command and not argv:
        from sandgate.surfaces.cli.usage_errors import no_command

        raise no_command(command, rest, left)
    return ParsedLine(command, values, tuple(argv))


def _options(
    command: Command, rest: list[str]
) -> tuple[dict[str, bool | str | tuple[str, ...]], list[str], list[str], bool]:
    by_flag = {flag: option for option in command.options for flag in option.flags}
    values: dict[str, bool | str | tuple[str, ...]] = {}
    left: list[str] = []
    position = 0
    while position < len(rest):
        word = rest[position]
        position += 1
        if word == "--":
            return values, left, rest[position:], False
        if word in ("-h", "--help"):
            return values, left, [], True
        if not word.startswith("-") or word == "-":
            left.append(word)
            continue
        option, inline = _split(command, by_flag, word)
        if not option.metavar:
            if inline is not None:
                raise RequestError(f"`{option.flags[-1]}` takes no value")
            values[option.key] = True
            continue
        if inline is None:
            if position == len(rest) or rest[position] == "--":
                raise RequestError(f"`{word}` needs a value ({option.metavar})")
            inline = rest[position]
            position += 1
        _keep(values, option, inline)
    return values, left, [], False


def _split(command: Command, by_flag: dict[str, Option], word: str) -> tuple[Option, str | None]:
    flag, equals, value = word.partition("=") if word.startswith("--") else (word[:2], word[2:], word[2:])
    option = by_flag.get(flag)
    if option is None:
        from sandgate.surfaces.cli.usage_errors import meant

        raise RequestError(
            f"no option `{flag}` for `sandgate {command.name}`",
            hint=meant(command, flag, by_flag) or f"see `sandgate {command.name} --help`",
        )
    return option, value if equals else None


def _keep(values: dict[str, bool | str | tuple[str, ...]], option: Option, value: str) -> None:
    if option.choices and value not in option.choices:
        raise RequestError(
            f"`{option.flags[-1]} {value}` is not possible", hint=f"use one of: {', '.join(option.choices)}"
        )
    if not option.many:
        values[option.key] = value
        return
    before = values.get(option.key)
    values[option.key] = (*before, value) if isinstance(before, tuple) else (value,)


def _positional(command: Command, left: list[str], argv: list[str]) -> None:
    if argv and not command.takes_command:
        raise RequestError(f"`sandgate {command.name}` takes no command after `--`")
    if left and not command.words and (argv or not command.takes_command):
        raise RequestError(f"`{left[0]}` is one word too many", hint=f"see `sandgate {command.name} --help`")
    if command.words and left and tuple(left) != command.words:
        raise RequestError(
            f"`sandgate {command.name}` takes the word `{' '.join(command.words)}`",
            hint=f"sandgate {command.name} {' '.join(command.words)}",
        )
