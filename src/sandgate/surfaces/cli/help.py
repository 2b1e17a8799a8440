"""`--help`, rendered from the option table."""

from __future__ import annotations

from sandgate.surfaces.cli.options import COMMANDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.surfaces.cli.options import Command, Option

COLUMN = 34  # where explanations start

EXIT_CODES = """\
Exit codes of `run`: the command's own; 128+N when signal N ended it; 124 time limit, or stopped by an answer;
125 Sandgate could not do its part (the command did not run unconfined); 126/127 not executable / not found;
77 refused before anything ran; 78 bad configuration or rules; 2 bad usage; 130 interrupted.
`check`: 0 would run unasked, 3 would ask, 4 forbidden.
`patch`: 0 applied; 1 it does not fit the files; 2 malformed or empty; 77 refused. Nothing changed but with 0."""


def overview() -> str:
    """What `sandgate --help` prints."""
    rows = [_row(command.name, command.summary) for command in COMMANDS]
    lines = [
        "Usage: sandgate COMMAND [OPTIONS] [-- CMD [ARG…]]",
        "",
        "The gate an AI coding agent's commands pass through: each is understood, decided under policy,",
        "confined, run, explained, and retried only with the smallest extra freedom a reviewer approved.",
        "",
        "Commands:",
        *rows,
        "",
        "  sandgate help COMMAND             the options of one command",
        "  sandgate --version                the version",
        "",
        EXIT_CODES,
    ]
    return "\n".join(lines) + "\n"


def command_help(command: Command) -> str:
    """What `sandgate NAME --help` prints."""
    words = "".join(f" {word}" for word in command.words) + (f" {' | '.join(command.forms)}" if command.forms else "")
    tail = " -- CMD [ARG…]" if command.takes_command else f" [{command.argument}]" if command.argument else ""
    rows = [_row(_flags(option), _explained(option)) for option in command.options]
    usage = f"Usage: sandgate {command.name}{words} [OPTIONS]{tail}"
    lines = [usage, "", _sentence(command.summary), "", "Options:", *rows]
    codes = EXIT_CODES if command.takes_command else command.codes
    if codes:
        lines += ["", codes]
    return "\n".join(lines) + "\n"


def _sentence(summary: str) -> str:
    return summary[0].upper() + summary[1:] + "."


def _flags(option: Option) -> str:
    flags = ", ".join(option.flags)
    return f"{flags} {option.metavar}" if option.metavar else flags


def _explained(option: Option) -> str:
    facts = [" | ".join(option.choices), option.default and f"default: {option.default}"]
    said = "; ".join(filter(None, facts))
    return f"{option.help} ({said})" if said else option.help


def _row(name: str, text: str) -> str:
    if len(name) + 3 > COLUMN:
        return f"  {name}\n{' ' * COLUMN}{text}"
    return f"  {name:<{COLUMN - 2}}{text}"
