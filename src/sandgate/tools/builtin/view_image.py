"""The tool `view_image`: shows a picture that is a file on this machine (`pictures.py`)."""

from __future__ import annotations

from sandgate.record import Record
from sandgate.tools.fields import as_word, read_object
from sandgate.tools.schema import function, text
from sandgate.tools.tool import Tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.tools.calls import Answer
    from sandgate.tools.fields import Reader
    from sandgate.tools.interfaces import AgentContext
    from sandgate.tools.tool import Offer


class ViewImageArguments(Record):
    """Of `view_image`."""

    path: str


def view_image_arguments(sent: str) -> ViewImageArguments:
    """Reads the JSON of a call. Raises ToolArgumentsError with the sentence for the model."""
    return ViewImageArguments(**read_object(sent, _VIEW_IMAGE, ("path",)))


def definition(_offer: Offer) -> dict[str, Any]:
    """What is told of it."""
    properties = {"path": text("The file: PNG, JPEG, GIF or WebP. Relative to the working directory.")}
    return function("view_image", "Shows you a picture that is a file on this machine.", properties, ("path",))


async def in_session(agent: AgentContext, arguments: ViewImageArguments) -> Answer:
    """Shows it. Raises ImageUnusable."""
    return await agent.show(arguments.path)


_VIEW_IMAGE: dict[str, Reader] = {"path": as_word}

TOOL = Tool(
    "view_image",
    60,
    definition,
    view_image_arguments,
    in_session=in_session,
    audiences=("agent",),
    offered=lambda offer: offer.pictures,
    beside_others=True,
)
