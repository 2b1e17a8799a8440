"""Slash commands: what a session can do beside talking, and the prompts that the person keeps in files."""

from __future__ import annotations

import re

from acp.schema import AvailableCommand, AvailableCommandInput, UnstructuredCommandInput

from sandgate.display import one_line
from sandgate.protocol.operations import (
    Compact,
    ContextChange,
    Review,
    RunUserShellCommand,
    TextInput,
    Undo,
    UserInput,
)
from sandgate.surfaces.acp.refusal import bad_params

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandgate.protocol.events import CustomPrompt
    from sandgate.protocol.operations import InputItem, Operation

WORDS_MAX = 9  # of what follows the name of a prompt, that a file may name by number
DESCRIPTION_CHARS_MAX = 200
PROMPT_CHARS_MAX = 256 * 1024  # that a prompt becomes
UNCOMMITTED = "Review what has changed in this repository and is not committed yet: staged, unstaged, and new files."
OWN = (
    ("compact", "Replace the conversation by a summary, to make room", ""),
    ("review", "Have changes reviewed by a model that has not seen the conversation", "what to review"),
    ("undo", "Take back the patches of the last turn", ""),
    ("shell", "Run a command of yours, judged and confined as the model's; the model is told of it", "COMMAND"),
    ("model", "Change the model", "NAME"),
)  # fmt: skip
PLACE = re.compile(r"\$(ARGUMENTS|[1-9]|\$)")


def offered_commands(prompts: Sequence[CustomPrompt]) -> list[AvailableCommand]:
    """All there are; a prompt that is called like one of ours is not offered."""
    known = [_command(name, about, hint) for name, about, hint in OWN]
    taken = {each.name for each in known}
    own = [
        _command(each.name, each.description or f"Your prompt {each.name}", each.argument_hint or "")
        for each in prompts
        if each.name not in taken and not re.search(r"\s", each.name)
    ]
    return [*known, *own]


def meant(items: tuple[InputItem, ...], prompts: Sequence[CustomPrompt]) -> Operation | ContextChange:
    """What a message asks for. Raises the library's RequestError for a command that lacks something."""
    first = items[0]
    if not isinstance(first, TextInput) or not first.text.startswith("/"):
        return UserInput(items)
    name, rest = _parted(first.text[1:])
    match name:
        case "compact":
            return Compact()
        case "undo":
            return Undo()
        case "review":
            return Review(rest or UNCOMMITTED, one_line(rest or "uncommitted changes", limit=DESCRIPTION_CHARS_MAX))
        case "shell":
            return RunUserShellCommand(_required(rest, "/shell COMMAND"))
        case "model":
            return ContextChange(model=_required(rest, "/model NAME"))
    prompt = next((each for each in prompts if each.name == name), None)
    if prompt is None:  # a path, or words for the model
        return UserInput(items)
    return UserInput((TextInput(expanded(prompt.content, rest)), *items[1:]))


def expanded(content: str, rest: str) -> str:
    """A prompt with what was said behind its name: `$1` to `$9`, `$ARGUMENTS`; `$$` is a dollar.

    Where it names no place, the words follow it.
    """
    words = rest.split(maxsplit=WORDS_MAX)

    def value(found: re.Match[str]) -> str:
        which = found.group(1)
        if which == "$":
            return "$"
        if which == "ARGUMENTS":
            return rest
        return words[int(which) - 1] if int(which) <= len(words) else ""

    text, count = PLACE.subn(value, content)
    if not count and rest:
        text = f"{text.rstrip()}\n\n{rest}"
    if len(text) > PROMPT_CHARS_MAX:
        raise bad_params(f"the prompt would have more than {PROMPT_CHARS_MAX} characters")
    return text


def _parted(text: str) -> tuple[str, str]:
    name, *rest = text.split(maxsplit=1) or [""]
    return name, rest[0].strip() if rest else ""


def _required(rest: str, usage: str) -> str:
    if not rest:
        raise bad_params(f"usage: {usage}")
    return rest


def _command(name: str, about: str, hint: str) -> AvailableCommand:
    given = AvailableCommandInput(root=UnstructuredCommandInput(hint=one_line(hint, limit=80))) if hint else None
    described = one_line(about, limit=DESCRIPTION_CHARS_MAX)
    return AvailableCommand(name=name, description=described, input=given)
