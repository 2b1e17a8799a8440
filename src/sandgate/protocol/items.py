"""What a conversation is made of: the items that go to a model and come from it.

A value holds what its kind says and nothing else; `items_wire.py` is the only place that knows the names on the wire.
"""

from __future__ import annotations

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Literal, TypeAlias

    Role = Literal["user", "assistant", "developer", "system"]


class InputText(Record):
    """Text that the model is given, by the user or by Sandgate."""

    text: str


class InputImage(Record):
    """A picture that the model is given."""

    image_url: str  # an address, or the picture itself as a `data:` URL


class OutputText(Record):
    """Text that the model said."""

    text: str


class Message(Record):
    """One message. `id` is the provider's; it goes back only where a provider wants that."""

    role: Role
    content: tuple[Part, ...]
    id: str = ""


class Reasoning(Record):
    """What the model thought, as far as it is told; `encrypted_content` is for the model alone."""

    summary: tuple[str, ...] = ()
    content: tuple[str, ...] | None = None
    encrypted_content: str | None = None
    id: str = ""


class FunctionCall(Record):
    """The model calls a tool; `arguments` are JSON text, and may be anything else."""

    name: str
    arguments: str
    call_id: str
    id: str = ""


class FunctionCallOutput(Record):
    """What the tool answered: text, or text and pictures."""

    call_id: str
    output: str | tuple[Part, ...]
    success: bool | None = None  # ours; it is not sent


class CustomToolCall(Record):
    """The same with free text instead of JSON."""

    name: str
    input: str
    call_id: str
    id: str = ""


class CustomToolCallOutput(Record):
    """The answer to a `CustomToolCall`."""

    call_id: str
    output: str
    success: bool | None = None  # ours; it is not sent


class LocalShellCall(Record):
    """The model runs a command by the provider's own tool. `call_id` may be missing; then `id` stands for it."""

    call_id: str
    status: str
    action: Mapping[str, Any]
    id: str = ""

    @property
    def answered_by(self) -> str:
        """The call id its output has; "" when it cannot be answered."""
        return self.call_id or self.id


class WebSearchCall(Record):
    """The provider searched the web by itself; nothing has to be answered."""

    action: Mapping[str, Any] | None = None
    status: str = ""
    id: str = ""


class Compaction(Record):
    """What a provider made of an earlier part of the conversation; only its own models can read it."""

    encrypted_content: str
    id: str = ""


if TYPE_CHECKING:
    Part: TypeAlias = InputText | InputImage | OutputText
    Call: TypeAlias = FunctionCall | CustomToolCall | LocalShellCall
    CallOutput: TypeAlias = FunctionCallOutput | CustomToolCallOutput
    Item: TypeAlias = Message | Reasoning | Call | CallOutput | WebSearchCall | Compaction


def call_id_of(call: Call) -> str:
    """The id that the output of this call has; "" when none can."""
    return call.answered_by if isinstance(call, LocalShellCall) else call.call_id


def message_text(message: Message) -> str:
    """Its text parts, joined by line ends."""
    return "\n".join(part.text for part in message.content if not isinstance(part, InputImage))


def user_message(text: str) -> Message:
    """Something said by, or on behalf of, the person."""
    return Message("user", (InputText(text),))
