"""Prompts that the person keeps: `prompts/NAME.md` in Sandgate's own directory, closed to every confined command.

A file may begin with `description` and `argument-hint` between two lines of `---`, as clients of the lineage have it.
"""

from __future__ import annotations

import os

from sandgate.config.files import read_text
from sandgate.config.paths import sandgate_home
from sandgate.errors import SandgateError
from sandgate.protocol.events import CustomPrompt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

DIRECTORY, ENDING = "prompts", ".md"
PROMPTS_MAX = 256
PROMPT_CHARS_MAX = 64 * 1024  # of one; a longer one is left out
MARK = "---"  # around what a file says of itself
HEAD_LINES_MAX = 32


def custom_prompts(environ: Mapping[str, str]) -> tuple[CustomPrompt, ...]:
    """By name; a file that cannot be read is left out. Blocks on the disk. Raises ConfigError."""
    home = sandgate_home(environ)
    if home is None:
        return ()
    directory = os.path.join(home, DIRECTORY)
    try:
        names = sorted(name for name in os.listdir(directory) if name.endswith(ENDING) and name.isprintable())
    except OSError:
        return ()
    found = (_prompt(os.path.join(directory, name)) for name in names[:PROMPTS_MAX])
    return tuple(prompt for prompt in found if prompt is not None)


def _prompt(path: str) -> CustomPrompt | None:
    try:
        text = read_text(path, guarded=True)
    except SandgateError:
        return None
    if text is None or len(text) > PROMPT_CHARS_MAX:
        return None
    said, content = _parted(text)
    name = os.path.basename(path).removesuffix(ENDING)
    return CustomPrompt(name, path, content, said.get("description"), said.get("argument-hint"))


def _parted(text: str) -> tuple[dict[str, str], str]:
    """What the file says of itself, and the prompt."""
    first, *lines = text.split("\n")
    head = lines[:HEAD_LINES_MAX]
    if first.strip() != MARK or MARK not in map(str.strip, head):
        return {}, text
    end = [line.strip() for line in head].index(MARK)
    pairs = (line.partition(":") for line in head[:end])
    said = {name.strip(): value.strip().strip("\"'") for name, colon, value in pairs if colon}
    return {name: value for name, value in said.items() if value}, "\n".join(lines[end + 1 :])
