"""What a server offers, made fit to be shown: its words are a stranger's, and nothing in them may look like ours.

A description goes to the model and, with a question, to a person. It keeps its lines, and every character that is not
plainly visible is written as an escape. What is longer than any honest tool needs is cut or left out, and said. Pure.
"""

from __future__ import annotations

from sandgate.display import one_line, visible
from sandgate.external.naming import tool_names
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from sandgate.external.server import ExternalServer

TOOLS_MAX = 256  # of one server
NAME_CHARS_MAX = 256  # as the server spells it
DESCRIPTION_CHARS_MAX = 4_096
SCHEMA_BYTES_MAX = 65_536  # of the arguments of one tool, as JSON
NAME_SHOWN_CHARS = 80
NO_ARGUMENTS: Mapping[str, Any] = {"type": "object", "properties": {}}


class Offered(Record):
    """A tool as a server lists it."""

    tool: str
    description: str = ""
    parameters: Mapping[str, Any] = NO_ARGUMENTS
    read_only: bool = False  # the server says that it changes nothing
    destructive: bool = True  # the server does not say that it destroys nothing


class ExternalTool(Record):
    """A tool that a model may call."""

    name: str  # as the model calls it
    server: str
    tool: str  # as the server knows it
    description: str
    parameters: Mapping[str, Any]
    read_only: bool  # the server's word, and no more than that
    destructive: bool
    parallel: bool

    def definition(self) -> dict[str, Any]:
        """What a model is told about it, as the Responses API has it."""
        return {
            "type": "function",
            "name": self.name,
            "description": self.description,
            "strict": False,
            "parameters": dict(self.parameters),
        }

    def described(self) -> dict[str, Any]:
        """What there is, as the protocol of these servers has it."""
        hints = {"readOnlyHint": self.read_only, "destructiveHint": self.destructive}
        return {
            "name": self.tool,
            "description": self.description,
            "inputSchema": dict(self.parameters),
            "annotations": hints,
        }


def usable_offers(server: ExternalServer, offered: Iterable[Offered]) -> tuple[tuple[Offered, ...], tuple[str, ...]]:
    """Those the user lets a model have and that fit; and a sentence about each that does not."""
    kept: list[Offered] = []
    notices: list[str] = []
    for each in offered:
        problem = _problem(each) if server.offers(each.tool) else None
        if problem:
            shown = one_line(each.tool, limit=NAME_SHOWN_CHARS)
            notices.append(f"left out the tool `{shown}` of the MCP server `{server.name}`: {problem}")
        elif server.offers(each.tool) and len(kept) == TOOLS_MAX:
            notices.append(f"the MCP server `{server.name}` has more than {TOOLS_MAX} tools; the rest is left out")
            break
        elif server.offers(each.tool):
            kept.append(each)
    return tuple(kept), tuple(notices)


def external_tools(found: Iterable[tuple[ExternalServer, Iterable[Offered]]]) -> tuple[ExternalTool, ...]:
    """Every usable tool of every server, with the names a model knows them by."""
    pairs = [(server, each) for server, offered in found for each in offered]
    names = tool_names((server.name, each.tool) for server, each in pairs)
    made: dict[str, ExternalTool] = {}
    for server, each in pairs:
        name = names.get((server.name, each.tool))
        if name is not None and name not in made:
            made[name] = ExternalTool(
                name=name,
                server=server.name,
                tool=each.tool,
                description=readable(each.description) or f"The tool {each.tool} of the server {server.name}.",
                parameters=each.parameters,
                read_only=each.read_only,
                destructive=each.destructive,
                parallel=server.parallel,
            )
    return tuple(made.values())


def readable(text: str, limit: int = DESCRIPTION_CHARS_MAX) -> str:
    """Prose of a stranger over several lines, cut to `limit` characters."""
    return "\n".join(map(visible, text[:limit].strip().split("\n")))[:limit]


def _problem(offered: Offered) -> str:
    import json

    if not offered.tool or len(offered.tool) > NAME_CHARS_MAX:
        return f"its name is empty or longer than {NAME_CHARS_MAX} characters"
    if offered.parameters.get("type") != "object":
        return "its arguments are not described as an object"
    try:
        size = len(json.dumps(offered.parameters))
    except (RecursionError, ValueError):
        return "its arguments are nested too deeply"
    return (
        "" if size <= SCHEMA_BYTES_MAX else f"the description of its arguments is longer than {SCHEMA_BYTES_MAX} bytes"
    )
