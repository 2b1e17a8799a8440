"""What is said of arguments that cannot be taken apart, and what was probably meant."""

from __future__ import annotations

from sandgate.errors import RequestError
from sandgate.surfaces.cli.options import COMMANDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.surfaces.cli.options import Command, Option

NEAR_MIN = 0.65  # of 1, how much of two words must agree for one to be a slip for the other


def no_such_command(name: str) -> RequestError:
    """Says which commands there are."""
    names = [command.name for command in COMMANDS]
    near = nearest_word(name, [*names, "--help", "--version"])
    meant = f"did you mean `sandgate {near}`? " if near else ""
    return RequestError(
        f"no command `{name}`", hint=f"{meant}the commands are: {', '.join(names)}; see `sandgate --help`"
    )


def no_command(command: Command, rest: list[str], left: list[str]) -> RequestError:
    """Says how a command line is given to one that takes it."""
    if "--" in rest:
        return RequestError("the command after `--` is empty", hint=f"sandgate {command.name} -- CMD [ARG…]")
    options = rest[: rest.index(left[0])] if left else []
    return no_dashes(as_typed([command.name, *options]), as_typed(left) or "CMD [ARG…]")


def no_dashes(name: str, example: str) -> RequestError:
    """Says where `--` belongs."""
    return RequestError(
        "missing `--` before the command",
        why="everything after it belongs to the command, everything before it to sandgate",
        hint=f"sandgate {name} -- {example}",
    )


def as_typed(words: list[str]) -> str:
    """Words in the quotes they need: a hint that is pasted into a shell must mean what was said."""
    from sandgate.commandline.words import joined  # only on the way to an error message

    return joined(tuple(words))


def meant(command: Command, flag: str, by_flag: dict[str, Option]) -> str:
    """What an unknown option was probably meant to be; "" where nothing is near."""
    deed = flag.lstrip("-")
    if any(form.split()[0] == deed for form in command.forms):
        return f"did you mean `sandgate {command.name} {deed}`?"
    others = [f"`sandgate {each.name}`" for each in COMMANDS if any(flag in option.flags for option in each.options)]
    if others:
        return f"`{flag}` is an option of {', '.join(others)}"
    near = nearest_word(flag, [known for known in by_flag if known.startswith("--")]) if flag.startswith("--") else ""
    return near and f"did you mean `{near}`?"


def nearest_word(word: str, known: list[str]) -> str:
    """The one of `known` that `word` was probably meant to be; "" where none is near. Dashes prove nothing."""
    from difflib import get_close_matches  # only on the way to an error message

    bare = {each.lstrip("-"): each for each in known}
    near = get_close_matches(word.lstrip("-"), list(bare), n=1, cutoff=NEAR_MIN)
    return bare[near[0]] if near else ""
