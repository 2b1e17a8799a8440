"""The tool `delegate`: a piece of work for an agent of its own."""

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

NAME = "delegate"
_ABOUT = (
    "Gives a piece of work to a second agent, which knows nothing of this conversation, and answers with its report. "
    "It works in the same directory, with the same tools and limits. Several may work side by side."
)


class DelegateArguments(Record):
    """Of `delegate`."""

    prompt: str


def delegate_arguments(sent: str) -> DelegateArguments:
    """Reads the JSON of a call. Raises ToolArgumentsError with the sentence for the model."""
    return DelegateArguments(**read_object(sent, _FIELDS, ("prompt",)))


def definition(_offer: Offer) -> dict[str, Any]:
    """What is told of it."""
    prompt = text("The whole task: what to do, what to look at, what to report. It sees nothing else.")
    return function(NAME, _ABOUT, {"prompt": prompt}, ("prompt",))


async def in_session(agent: AgentContext, arguments: DelegateArguments) -> Answer:
    """Has the work done. Raises RequestError where there is no room for one more."""
    return await agent.delegate(arguments.prompt)


_FIELDS: dict[str, Reader] = {"prompt": as_word}

TOOL = Tool(
    NAME,
    70,
    definition,
    delegate_arguments,
    in_session=in_session,
    audiences=("agent",),
    offered=lambda offer: offer.delegates,
    beside_others=True,
    needs_delegates=True,
)
