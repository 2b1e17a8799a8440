"""The tool `write_stdin`: types into a live command, or only looks, and answers with what it printed since.

A reviewer may have to see the input first, which blocks; typing and waiting do not (`command_input.py`).
"""

from __future__ import annotations

from sandgate.tools.arguments import WaitPattern, WriteStdinArguments
from sandgate.tools.calls import told
from sandgate.tools.fields import (
    SESSION_ID,
    MisfitError,
    as_amount,
    as_text,
    one_of,
    read_object,
    several,
    wrong_type,
)
from sandgate.tools.keys import KEYS
from sandgate.tools.schema import MAX_TOKENS, exec_answer_schema, function, number, text
from sandgate.tools.tool import Hints, Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.terminals.waiting import Steps
    from sandgate.tools.calls import ToolOutput
    from sandgate.tools.fields import Reader
    from sandgate.tools.interfaces import ToolContext
    from sandgate.tools.tool import Offer, ToolCall

    Json = dict[str, Any]

KEYS_MAX = 256  # in one call
PATTERNS_MAX = 16  # in one call
_YIELD = (
    "How long to wait for output, in milliseconds. Default 250, at most 30000; "
    "when nothing is sent, from 5000 to 300000."
)


def write_stdin_arguments(sent: str, *, extended: bool = False) -> WriteStdinArguments:
    """Reads the JSON of a call. Raises ToolArgumentsError with the sentence for the model."""
    fields = _FIELDS | _KEYS_AND_PATTERNS if extended else _FIELDS
    return WriteStdinArguments(**read_object(sent, fields, ("session_id",)))


def definition(offer: Offer) -> Json:
    """What is told of it."""
    properties: Json = {
        "session_id": number("The session ID that `exec_command` returned."),
        "chars": text("What to type, as it is. Default: nothing, which only looks for new output."),
        "yield_time_ms": number(_YIELD),
        "max_output_tokens": number(MAX_TOKENS),
    }
    if offer.extended:
        properties["keys"] = {
            "type": "array",
            "items": {"type": "string", "enum": list(KEYS)},
            "maxItems": KEYS_MAX,
            "description": "Keys to press after `chars`, by name.",
        }
        properties["wait_for"] = {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"text": {"type": "string"}, "regex": {"type": "string"}},
                "minProperties": 1,
                "maxProperties": 1,
                "additionalProperties": False,
            },
            "maxItems": PATTERNS_MAX,
            "description": "Return as soon as the output holds one of these.",
        }
    about = "Types into a command that is still running, or looks for its new output, and returns what it prints."
    return function("write_stdin", about, properties, ("session_id",))


def run(context: ToolContext, arguments: WriteStdinArguments, _call: ToolCall) -> Steps[ToolOutput]:
    """Carries one call out."""
    return told(context.write(arguments, context.review_input(arguments)))


def _pattern(value: object) -> WaitPattern:
    if not isinstance(value, dict):
        raise wrong_type(value, "an object with `text` or `regex`")
    match list(value.items()):
        case [("text" | "regex" as kind, wanted)]:
            sought = as_text(wanted)
        case _:
            raise MisfitError("invalid value: map, expected an object with either `text` or `regex`")
    if not sought:
        raise MisfitError('invalid value: string "", expected something to wait for')
    return WaitPattern(sought, regex=kind == "regex")


_FIELDS: dict[str, Reader] = {
    "session_id": SESSION_ID,
    "chars": as_text,
    "yield_time_ms": as_amount,
    "max_output_tokens": as_amount,
}
_KEYS_AND_PATTERNS: dict[str, Reader] = {
    "keys": several(one_of(tuple(KEYS)), KEYS_MAX),
    "wait_for": several(_pattern, PATTERNS_MAX),
}

TOOL = Tool(
    "write_stdin",
    20,
    definition,
    lambda sent: write_stdin_arguments(sent, extended=True),
    run=run,
    offered=lambda offer: offer.lives_on,
    answers=exec_answer_schema,
    hints=Hints("Type into a running command", reaches_out=True),
)
