"""The tool `delegate`: a piece of work for an agent of its own."""

from __future__ import annotations

from sandgate.record import Record
from sandgate.tools.fields import as_word, read_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.tools.fields import Reader

NAME = "delegate"
_ABOUT = (
    "Gives a piece of work to a second agent, which knows nothing of this conversation, and answers with its report. "
    "It works in the same directory, with the same tools and limits. Several may work side by side."
)


class DelegateArguments(Record):
    """Of `delegate`."""

    prompt: str


def delegate_arguments(text: str) -> DelegateArguments:
    """Reads the JSON of a call. Raises ToolArgumentsError with the sentence for the model."""
    return DelegateArguments(**read_object(text, _FIELDS, ("prompt",)))


def delegate_tool() -> dict[str, Any]:
    """The definition of `delegate`."""
    prompt = {
        "type": "string",
        "description": "The whole task: what to do, what to look at, what to report. It sees nothing else.",
    }
    return {
        "type": "function",
        "name": NAME,
        "description": _ABOUT,
        "strict": False,
        "parameters": {
            "type": "object",
            "properties": {"prompt": prompt},
            "required": ["prompt"],
            "additionalProperties": False,
        },
    }


_FIELDS: dict[str, Reader] = {"prompt": as_word}
