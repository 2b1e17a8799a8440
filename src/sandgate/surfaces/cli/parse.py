"""The program's arguments, taken apart by the table in `options`. Bytes in arguments are never changed."""

from __future__ import annotations

from sandgate.errors import RequestError
from sandgate.record import Record
from sandgate.surfaces.cli.options import COMMANDS, command_named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.surfaces.cli.options import Command, Option

NEAR_MIN = 0.65  # of 1, how much of two words must agree for one to be a slip for the other


class Parsed(Record):
    """What was asked for. `values` holds a bool, a string or a tuple of strings by option key."""

    command: Command
    values: dict[str, bool | str | tuple[str, ...]]
    argv: tuple[str, ...] = ()  # what follows `--`
    argument: str | None = None  # the one word that may follow the name
    words: tuple[str, ...] = ()  # what follows the name, in one of the command's forms
    form: str = ""  # that form
    help: bool = False

    def text(self, key: str) -> str | None:
        """The value of a single option, None when absent."""
        value = self.values.get(key)
        return value if isinstance(value, str) else None

    def texts(self, key: str) -> tuple[str, ...]:
        """All values of a repeatable option, in order."""
        value = self.values.get(key)
        return value if isinstance(value, tuple) else ()

    def on(self, key: str) -> bool:
        """Whether a switch was given."""
        return self.values.get(key) is True


def parse(arguments: list[str]) -> Parsed:
    """Take apart everything after the program's name. Raises RequestError with one clear line."""
    name, rest = arguments[0], arguments[1:]
    command = command_named(name)
    if command is None:
        raise _no_such_command(name)
    values, left, argv, wants_help = _options(command, rest)
    if wants_help:
        return Parsed(command, values, help=True)
    if command.argument and len(left) + len(argv) == 1:
        return Parsed(command, values, argument=(left + argv)[0])
    if command.forms:
        return _in_form(command, values, left, argv)
    _positional(command, left, argv)
    if command.takes_command and not argv:
        raise _no_command(command, rest, left)
    return Parsed(command, values, tuple(argv))


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
        raise RequestError(
            f"no option `{flag}` for `sandgate {command.name}`",
            hint=_meant(command, flag, by_flag) or f"see `sandgate {command.name} --help`",
        )
    return option, value if equals else None


def _meant(command: Command, flag: str, by_flag: dict[str, Option]) -> str:
    deed = flag.lstrip("-")
    if any(form.split()[0] == deed for form in command.forms):
        return f"did you mean `sandgate {command.name} {deed}`?"
    others = [f"`sandgate {each.name}`" for each in COMMANDS if any(flag in option.flags for option in each.options)]
    if others:
        return f"`{flag}` is an option of {', '.join(others)}"
    near = nearest(flag, [known for known in by_flag if known.startswith("--")]) if flag.startswith("--") else ""
    return near and f"did you mean `{near}`?"


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


def _in_form(
    command: Command, values: dict[str, bool | str | tuple[str, ...]], left: list[str], argv: list[str]
) -> Parsed:
    words = left + argv
    for form in command.forms:
        parts = form.split()
        if "--" in parts:
            if argv and _fits(parts[: parts.index("--")], left):
                return Parsed(command, values, tuple(argv), words=tuple(left), form=form)
        elif parts[-1] == "[FILE…]":
            if _fits(parts[:-1], words[: len(parts) - 1]):
                return Parsed(command, values, words=tuple(words), form=form)
        elif parts[-1] == "RULES…":
            if not argv and _fits(parts[:-1], left[: len(parts) - 1]) and _are_rule_files(left[len(parts) - 1 :]):
                return Parsed(command, values, words=tuple(words), form=form)
        elif parts[-1].startswith("["):
            if _fits_loosely(parts, left, argv):
                return Parsed(command, values, words=tuple(words), form=form)
        elif _fits(parts, words):
            return Parsed(command, values, words=tuple(words), form=form)
    begun = [form for form in command.forms if words and form.split()[0] == words[0]]
    if begun and not argv and " -- " in begun[0]:
        deed, _, example = begun[0].partition(" -- ")
        raise _no_dashes(f"{command.name} {deed}", _as_typed(words[1:]) or example)
    near = nearest(words[0], [form.split()[0] for form in command.forms]) if words and not begun else ""
    meant = begun or [form for form in command.forms if form.split()[0] == near] or command.forms
    lines = [f"sandgate {command.name} {form}" for form in meant]
    if "[PROMPT]" in command.forms:
        lines.insert(0, "a prompt is one word for the shell: put it in quotes")
    raise RequestError(
        f"`sandgate {command.name}` does not take `{' '.join(words)}`" if words else f"`sandgate {command.name}` what?",
        hint="\n".join(lines),
    )


def _fits_loosely(form: list[str], left: list[str], argv: list[str]) -> bool:
    """`form` ends in parts that may be left out."""
    fixed = [part for part in form if not part.startswith("[")]
    return len(left) >= len(fixed) and _fits(fixed, left[: len(fixed)]) and len(left) + len(argv) <= len(form)


def _fits(form: list[str], words: list[str]) -> bool:
    return len(form) == len(words) and all(has.isupper() or has == word for has, word in zip(form, words, strict=True))


def _no_command(command: Command, rest: list[str], left: list[str]) -> RequestError:
    if "--" in rest:
        return RequestError("the command after `--` is empty", hint=f"sandgate {command.name} -- CMD [ARG…]")
    options = rest[: rest.index(left[0])] if left else []
    return _no_dashes(_as_typed([command.name, *options]), _as_typed(left) or "CMD [ARG…]")


def _as_typed(words: list[str]) -> str:
    """Words in the quotes they need: a hint that is pasted into a shell must mean what was said."""
    from sandgate.commandline.words import joined  # only on the way to an error message

    return joined(tuple(words))


def _no_dashes(name: str, example: str) -> RequestError:
    return RequestError(
        "missing `--` before the command",
        why="everything after it belongs to the command, everything before it to sandgate",
        hint=f"sandgate {name} -- {example}",
    )


def _no_such_command(name: str) -> RequestError:
    names = [command.name for command in COMMANDS]
    near = nearest(name, [*names, "--help", "--version"])
    meant = f"did you mean `sandgate {near}`? " if near else ""
    return RequestError(
        f"no command `{name}`", hint=f"{meant}the commands are: {', '.join(names)}; see `sandgate --help`"
    )


def _are_rule_files(words: list[str]) -> bool:
    from sandgate.config.rules_files import SUFFIXES  # only where rules are meant

    return bool(words) and all(word.endswith(SUFFIXES) for word in words)


def nearest(word: str, known: list[str]) -> str:
    """The one of `known` that `word` was probably meant to be; "" where none is near. Dashes prove nothing."""
    from difflib import get_close_matches  # only on the way to an error message

    bare = {each.lstrip("-"): each for each in known}
    near = get_close_matches(word.lstrip("-"), list(bare), n=1, cutoff=NEAR_MIN)
    return bare[near[0]] if near else ""
