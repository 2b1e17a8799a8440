"""The page of exit codes: the words of `--help`, and what each error of ours leads to."""

from __future__ import annotations

import re

from sandgate.reference.markdown import first_paragraph, table
from sandgate.reference.run_events import error_kinds
from sandgate.surfaces.cli.help import EXIT_CODES
from sandgate.surfaces.cli.main import exit_code
from sandgate.surfaces.cli.options import COMMANDS

INTRODUCTION = """\
# Exit codes

Of two that fit, the later in the run counts. What a governed command itself returns is passed on, so a script that
has to tell the two apart asks for `--json`: `run_completed` says whether it ran ([events](events.md)).
"""
ERRORS = """\
## Errors

What ends Sandgate itself, by the `code` that `--json` and [the Python exceptions](python.md#errors) have.
"""


GROUP = re.compile(r"(Exit codes of `\w+`|Exit codes|`\w+`): ")
CODE = re.compile(r"(\d[\d/+N]*) (.*)")


def page() -> str:
    """docs/reference/exit-codes.md."""
    sections = _sections(EXIT_CODES)
    for each in COMMANDS:
        if each.codes:
            sections |= {f"`{each.name}`": text for text in _sections(each.codes).values()}
    shown = [f"## {name}\n\n{text}" for name, text in sections.items()]
    rows = sorted((kind.code, str(exit_code(kind(""))), first_paragraph(kind.__doc__)) for kind in error_kinds())
    errors = table(("code", "exit code", ""), ((f"`{code}`", number, about) for code, number, about in rows))
    return "\n".join([INTRODUCTION, *shown, ERRORS, errors])


def _sections(text: str) -> dict[str, str]:
    """What the help says of each command: its codes as a table, and what is said behind them."""
    _, *parts = GROUP.split(" ".join(text.split()))
    names = (name.removeprefix("Exit codes of ") for name in parts[::2])
    return {name: _codes(told.strip()) for name, told in zip(names, parts[1::2], strict=True)}


def _codes(told: str) -> str:
    clauses, _, rest = told.rstrip(".").partition(". ")
    rows = [match.groups() if (match := CODE.match(each)) else ("", each) for each in re.split(r"; |, (?=\d)", clauses)]
    return table(("code", ""), [(code or "N", about) for code, about in rows]) + (f"\n{rest}.\n" if rest else "")
