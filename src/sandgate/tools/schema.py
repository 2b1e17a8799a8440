"""What the definitions of tools are made of: JSON Schema in the words that models were trained on.

Names, types and defaults are the wire's, because models were trained on them; the words are ours. Each tool has its own
definition in its file, next to the table of what it accepts; a test holds the two together.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Json = dict[str, Any]

MAX_TOKENS = "How much output to return, in tokens. Default 10000; the middle of longer output is left out."


def exec_answer_schema() -> Json:
    """What `ExecAnswer.structured` gives, as a schema."""
    properties: Json = {
        "chunk_id": text("Names this piece of output."),
        "wall_time_seconds": number("How long the call waited for output."),
        "exit_code": number("The exit code, once the command has ended."),
        "session_id": number("For `write_stdin`, while the command runs."),
        "original_token_count": number("How much output there was before it was cut, in tokens."),
        "output": text("What the command printed since the last answer, cut to the budget."),
        "state": text("What the command is doing."),
        "denials": {"type": "array", "items": {"type": "object"}, "description": "What the sandbox refused."},
        "notices": texts("What else there is to know."),
        "matched": text("What was found of `wait_for`."),
        "omitted_bytes": number("Output that was lost because nobody fetched it in time, in bytes."),
        "refused": text("Why nothing ran, or was typed."),
    }
    return closed_object(properties, ())


def records(about: str) -> Json:
    """A list of facts whose fields are their own business."""
    return {"type": "array", "items": {"type": "object"}, "description": about}


def approval_properties() -> Json:
    """What every tool that runs a command takes, where more than the sandbox gives is needed."""
    return {
        "sandbox_permissions": {
            "type": "string",
            "enum": ["use_default", "require_escalated"],
            "description": "`require_escalated` asks to run outside the sandbox. Default `use_default`.",
        },
        "justification": text("With `require_escalated`: a question of one line to the user, saying why it is needed."),
        "prefix_rule": texts(
            'With `require_escalated`: the first words of commands to allow from now on, such as `["git", "pull"]`.'
        ),
    }


def function(name: str, about: str, properties: Json, required: tuple[str, ...] = ()) -> Json:
    """The definition of a tool that is called with a JSON object."""
    return {
        "type": "function",
        "name": name,
        "description": about,
        "strict": False,
        "parameters": closed_object(properties, required),
    }


def closed_object(properties: Json, required: tuple[str, ...]) -> Json:
    """An object with these members and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def text(about: str) -> Json:
    """A text."""
    return {"type": "string", "description": about}


def texts(about: str) -> Json:
    """A list of texts."""
    return {"type": "array", "items": {"type": "string"}, "description": about}


def flag(about: str) -> Json:
    """Yes or no."""
    return {"type": "boolean", "description": about}


def number(about: str) -> Json:
    """A number, as models send it: a whole one may come with a point."""
    return {"type": "number", "description": about}


def whole_number(about: str, most: int) -> Json:
    """A whole number from 1 to `most`."""
    return {"type": "integer", "minimum": 1, "maximum": most, "description": about}
