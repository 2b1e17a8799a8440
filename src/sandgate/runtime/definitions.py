"""What a server says of the tools it offers."""

from __future__ import annotations

from sandgate.tools.registry import definitions, offered
from sandgate.tools.tool import Offer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.tools.tool import Hints


def server_tools(*, login_allowed: bool) -> tuple[dict[str, Any], ...]:
    """Name, description, `parameters` and `output_schema` of each, as JSON Schema."""
    return definitions(Offer("client", login_allowed=login_allowed))


def server_hints() -> dict[str, Hints]:
    """By name what a client may tell a person about each."""
    return {tool.name: tool.hints for tool in offered(Offer("client")) if tool.hints is not None}
