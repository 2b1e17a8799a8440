"""Completion for fish, one line a word."""

from __future__ import annotations

from sandgate.surfaces.cli.completions.words import after, deeds, option_value
from sandgate.surfaces.cli.options import COMMANDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.surfaces.cli.completions.words import OptionValue
    from sandgate.surfaces.cli.options import Command, Option

HEAD = "# fish completion for sandgate: sandgate completion fish > ~/.config/fish/completions/sandgate.fish"
FIRST = "test (count (commandline -opc)) -eq 1"
BEFORE_DASHES = "not contains -- -- (commandline -opc)"
WORDS_BEFORE_DEED = 2


def completion_script() -> str:
    """What `sandgate completion fish` prints."""
    lines = [HEAD]
    lines += [_line(FIRST, f"-f -a {command.name}", command.summary) for command in COMMANDS]
    lines.append(_line(FIRST, "-f -a help", "the options of one command"))
    lines.append(_line(FIRST, "-l version", "the version"))
    lines += [line for command in COMMANDS for line in _command(command)]
    return "\n".join(lines) + "\n"


def _command(command: Command) -> list[str]:
    chosen = f"__fish_seen_subcommand_from {command.name}; and {BEFORE_DASHES}"
    lines = [_line(chosen, f"{_flags(option)}{_value(option)}", option.help) for option in command.options]
    next_word = f"{chosen}; and test (count (commandline -opc)) -eq {WORDS_BEFORE_DEED}"
    lines += [_line(next_word, f"-a {deed}", "") for deed in deeds(command)]
    for deed in deeds(command):
        value = after(command, deed)
        if value.kind == "words":
            lines.append(_line(f"{chosen}; and contains -- {deed} (commandline -opc)", _offered(value), ""))
    return lines


def _flags(option: Option) -> str:
    return " ".join(f"-l {flag[2:]}" if flag[:2] == "--" else f"-s {flag[1:]}" for flag in option.flags)


def _value(option: Option) -> str:
    return f" {_offered(option_value(option))}" if option.metavar else ""


def _offered(value: OptionValue) -> str:
    match value.kind:
        case "words":
            return f"-x -a {_quoted(' '.join(value.words))}"
        case "files":
            return "-r -F"
        case "directories":
            return "-x -a '(__fish_complete_directories)'"
        case "unknown":
            return "-x"


def _line(condition: str, what: str, about: str) -> str:
    told = f" -d {_quoted(about)}" if about else ""
    return f"complete -c sandgate -n {_quoted(condition)} {what}{told}"


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
