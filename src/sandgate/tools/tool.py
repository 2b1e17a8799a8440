"""What a tool is. All that an agent, a server, a program and the reference say and do with one is made from it."""

from __future__ import annotations

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Any, Literal

    from sandgate.terminals.waiting import Steps
    from sandgate.tools.calls import Answer, ToolOutput
    from sandgate.tools.interfaces import AgentContext, ToolContext

    Json = dict[str, Any]
    Audience = Literal["agent", "client"]


class Offer(Record):
    """To whom tools are described, and what holds there."""

    audience: Audience  # the model of an agent of ours; or a client from outside, over MCP or from Python
    login_allowed: bool = True
    login_is_usual: bool = False  # a shell reads its login files where the call does not say
    lives_on: bool = True  # commands may outlive their call; otherwise `shell` runs them to their end
    freeform_patches: bool = False  # the model writes a patch as it is, by grammar
    pictures: bool = True
    patches: bool = True
    delegates: bool = True

    @property
    def extended(self) -> bool:
        """With what only Sandgate has, beside what models were trained on."""
        return self.audience == "client"


class Hints(Record):
    """What a client may tell a person about a tool before it is called."""

    title: str
    reads_only: bool = False
    destroys: bool = True
    repeats: bool = False  # twice is as good as once
    reaches_out: bool = False  # beyond this machine


class ToolCall(Record):
    """One call of a tool by its name."""

    call_id: str = ""  # its name in what is told about it
    ends_with_caller: bool = False  # what it started goes when its caller waits no more


def _always(_offer: Offer) -> bool:
    return True


class Tool(Record):
    """One tool. It has `run`, which any session can carry out, or `in_session`, which takes an agent's."""

    name: str
    order: int  # its place in every list
    definition: Callable[[Offer], Json]  # name, words and arguments, as JSON Schema
    parse: Callable[[str], Any]  # what was sent, as a value; raises ToolArgumentsError
    run: Callable[[ToolContext, Any, ToolCall], Steps[ToolOutput]] | None = None  # blocks when called; its steps wait
    in_session: Callable[[AgentContext, Any], Awaitable[Answer]] | None = None
    audiences: tuple[Audience, ...] = ("agent", "client")  # who may call it
    offered: Callable[[Offer], bool] = _always  # whether it is among what they are told of
    answers: Callable[[], Json] | None = None  # the schema of `ToolOutput.structured`, for clients
    hints: Hints | None = None  # for clients
    beside_others: bool = False  # an agent's call of it may overlap others of the same turn
    needs_delegates: bool = False  # it is none where no sub-agent may work for the session
    starts_process: bool = True  # a failure to begin is one of a process, in the words models know
