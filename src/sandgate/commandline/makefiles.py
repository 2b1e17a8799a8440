"""The commands in a makefile that stands in a command line: what `make -f -` is fed, and the value of `--eval`.

Recipes, `$(shell …)` and `!=` (GNU make's manual, "Recipe Syntax", "The shell Function", "Setting Variables").
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_PREFIXES = "@-+ \t"  # before a line of a recipe: be silent, go on, run it also under `-n`


def recipes(text: str) -> Iterator[str]:
    """The scripts in the makefile `text`, and some lines that are none."""
    for line in text.splitlines():
        yield line.strip(_PREFIXES)
        for mark in (";", ":", "!="):
            if mark in line:
                yield line.partition(mark)[2].lstrip(f"{_PREFIXES};:")
    yield from shell_calls(text)


def shell_calls(text: str) -> Iterator[str]:
    """What stands in `$(shell …)` and `${shell …}`."""
    for opening, closing in (("$(shell ", ")"), ("${shell ", "}")):
        for piece in text.split(opening)[1:]:
            yield piece.rpartition(closing)[0] or piece
