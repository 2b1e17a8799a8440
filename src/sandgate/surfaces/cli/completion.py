"""`sandgate completion SHELL`: what makes that shell complete our commands, options and their values."""

from __future__ import annotations

from sandgate.surfaces.cli import say
from sandgate.surfaces.cli.completions import bash, fish, zsh

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.surfaces.cli.parse import ParsedLine

SCRIPTS = {"bash": bash.completion_script, "zsh": zsh.completion_script, "fish": fish.completion_script}


def main(parsed: ParsedLine) -> int:
    """Print the script of the shell that was named."""
    say.out(SCRIPTS[parsed.words[0]]())
    return 0
