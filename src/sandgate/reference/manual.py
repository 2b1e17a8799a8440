"""Manual pages, one for the program and one a command, in the language of man(7)."""

from __future__ import annotations

from sandgate import __version__
from sandgate.reference.command_line import usages
from sandgate.reference.markdown import sentence
from sandgate.surfaces.cli.help import EXIT_CODES
from sandgate.surfaces.cli.options import COMMANDS, Command, Option

ABOUT = (
    "each command is understood, decided under policy, confined, run, explained, and retried only with the smallest "
    "extra freedom that a reviewer approved"
)
FILES = (
    ("~/.sandgate/config.toml, ~/.sandgate/rules/", "Your settings and rules."),
    ("/etc/sandgate/config.toml, /etc/sandgate/rules/", "The system's; what they decide holds for every user."),
    (".sandgate/config.toml, .sandgate/rules/", "A project's; they can only make it stricter."),
    ("~/.local/state/sandgate/", "Open questions, the journal of decisions, sessions, and the projects' /tmp."),
)


def pages() -> dict[str, str]:
    """Name of the file and its text."""
    return {"sandgate.1": _overview()} | {f"sandgate-{each.name}.1": _command(each) for each in COMMANDS}


def _overview() -> str:
    commands = [_item(f"\\fBsandgate {each.name}\\fR", _plain(sentence(each.summary))) for each in COMMANDS]
    files = [_item(_plain(name), _plain(about)) for name, about in FILES]
    others = ", ".join(f"\\fBsandgate\\-{each.name}\\fR(1)" for each in COMMANDS)
    return _page(
        "sandgate",
        "the gate an AI coding agent's commands pass through",
        [".B sandgate", "COMMAND [OPTIONS] [\\-\\- CMD [ARG...]]"],
        [
            (
                "DESCRIPTION",
                [_plain(sentence(ABOUT))],
            ),
            ("COMMANDS", commands),
            ("EXIT STATUS", [_plain(EXIT_CODES)]),
            ("FILES", files),
            ("SEE ALSO", [others]),
        ],
    )


def _command(command: Command) -> str:
    synopsis = [line for usage in usages(command) for line in (_plain(usage), ".br")][:-1]
    sections = [("DESCRIPTION", [_plain(sentence(command.summary))])]
    if command.options:
        sections.append(("OPTIONS", [_item(_flags(option), _explained(option)) for option in command.options]))
    codes = EXIT_CODES if command.takes_command else command.codes
    if codes:
        sections.append(("EXIT STATUS", [_plain(codes)]))
    sections.append(("SEE ALSO", ["\\fBsandgate\\fR(1)"]))
    return _page(f"sandgate-{command.name}", command.summary, synopsis, sections)


def _page(name: str, summary: str, synopsis: list[str], sections: list[tuple[str, list[str]]]) -> str:
    head = f'.TH "{name.upper()}" "1" "" "Sandgate {__version__}" "User Commands"'
    lines = [head, ".SH NAME", f"{_plain(name)} \\- {_plain(summary)}", ".SH SYNOPSIS", *synopsis]
    for title, paragraphs in sections:
        lines += [f".SH {title}", *paragraphs]
    return "\n".join(lines) + "\n"


def _item(term: str, text: str) -> str:
    return f".TP\n{term}\n{text}"


def _flags(option: Option) -> str:
    value = f" \\fI{_plain(option.metavar)}\\fR" if option.metavar else ""
    return ", ".join(f"\\fB{_plain(flag)}\\fR{value}" for flag in option.flags)


def _explained(option: Option) -> str:
    accepts = f" One of {', '.join(option.choices)}." if option.choices else ""
    default = f" Default: {option.default}." if option.default else ""
    return _plain(sentence(option.help) + accepts + default)


def _plain(text: str) -> str:
    """Text as it is: no escape, no request at the start of a line, dashes that can be copied."""
    quoted = text.replace("\\", "\\e").replace("-", "\\-").replace("…", "...").replace("`", "\\(cq")
    return "\n".join("\\&" + line if line.startswith((".", "'")) else line for line in quoted.splitlines())
