"""The page of commands and options, from the table that parses them."""

from __future__ import annotations

from sandgate.reference.markdown import sentence, table
from sandgate.surfaces.cli.options import COMMANDS, Command, Option

INTRODUCTION = """\
# Command line

Options stand before `--`, the command behind it. `--option value` and `--option=value` mean the same. `sandgate
help COMMAND` prints what is said here, `sandgate completion bash` makes a shell complete it ([how
to](../how-to/install.md#completion-and-manual-pages)), and [exit codes](exit-codes.md) have a page of their own.
"""


def page() -> str:
    """docs/reference/command-line.md."""
    overview = table(
        ("command", ""), ((f"[{each.name}](#{anchor(each)})", sentence(each.summary)) for each in COMMANDS)
    )
    return "\n".join([INTRODUCTION, overview, *map(_section, COMMANDS)])


def anchor(command: Command) -> str:
    """How its heading is addressed."""
    return f"sandgate-{command.name}"


def usages(command: Command) -> list[str]:
    """The ways to write it, without what is the same for all."""
    name = f"sandgate {command.name}"
    if command.takes_command:
        return [f"{name} [OPTIONS] -- CMD [ARG…]"]
    if command.argument:
        return [f"{name} [OPTIONS] [{command.argument}]"]
    if command.words:
        return [f"{name} [{' '.join(command.words)}] [OPTIONS]"]
    options = " [OPTIONS]" if command.options else ""
    return [f"{name}{options} {form}" for form in command.forms] or [f"{name}{options}"]


def option_text(option: Option) -> str:
    """What it does, what it accepts and what holds without it."""
    accepts = f" One of {', '.join(f'`{choice}`' for choice in option.choices)}." if option.choices else ""
    default = f" Default: {option.default}." if option.default else ""
    return sentence(option.help) + accepts + default


def _section(command: Command) -> str:
    shown = "\n".join(usages(command))
    rows = ((_flags(option), option_text(option)) for option in command.options)
    options = table(("option", ""), rows) if command.options else "It has no options.\n"
    return f"## `sandgate {command.name}`\n\n{sentence(command.summary)}\n\n```text\n{shown}\n```\n\n{options}"


def _flags(option: Option) -> str:
    value = f" {option.metavar}" if option.metavar else ""
    return ", ".join(f"`{flag}{value}`" for flag in option.flags)
