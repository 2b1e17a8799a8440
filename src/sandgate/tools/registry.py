"""All tools, found by their files in `builtin/`. What lists, describes or calls tools asks here.

A call loads the tool it names; the others stay where they are until a list of them is wanted.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.tools.tool import Offer, Tool

    Json = dict[str, Any]

PACKAGE, SUFFIX = "sandgate.tools.builtin", ".py"
_names: list[str] = []  # read once a process


def tool_named(name: str) -> Tool | None:
    """The tool of that name; None when there is none."""
    if name not in _all_names():
        return None
    tool: Tool = __import__(f"{PACKAGE}.{name}", fromlist=["TOOL"]).TOOL
    return tool


def every() -> tuple[Tool, ...]:
    """All tools, in their order."""
    return tuple(sorted(filter(None, map(tool_named, _all_names())), key=lambda tool: tool.order))


def offered(offer: Offer) -> tuple[Tool, ...]:
    """Those that are described to this audience."""
    return tuple(tool for tool in every() if offer.audience in tool.audiences and tool.offered(offer))


def definitions(offer: Offer) -> tuple[Json, ...]:
    """What is said of them, as JSON Schema; for clients with the `output_schema` of their structured answers."""
    answered = offer.audience == "client"
    return tuple(
        tool.definition(offer) | ({"output_schema": tool.answers()} if answered and tool.answers else {})
        for tool in offered(offer)
    )


def _all_names() -> list[str]:
    if not _names:
        folder = os.path.join(os.path.dirname(__file__), PACKAGE.rpartition(".")[2])
        found = (each.removesuffix(SUFFIX) for each in os.listdir(folder) if each.endswith(SUFFIX))
        _names.extend(sorted(name for name in found if name.isidentifier() and not name.startswith("_")))
    return _names
