"""What the events of one response say: the text of its last complete message, or what went wrong.

Only messages of the assistant count; a piece of reasoning, or another item, that follows one does not undo it.
Whatever cannot be read is passed over, as the format's other readers do; a response that does
not say that it is complete is a failure, whatever it said before.
"""

from __future__ import annotations

from sandgate.errors import ModelFailed, NoOutput
from sandgate.model.response_events import as_object, field, usage_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.usage import TokenUsage

CODE_CHARS_MAX = 64  # of a provider's word for what failed
CODE_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz_0123456789")
BROKE_OFF = "stream closed before response.completed"
TEXT_PARTS = ("output_text", "input_text")


class Reply:
    """Takes events in their order until `over`."""

    def __init__(self) -> None:
        self._text = ""
        self._failure = BROKE_OFF
        self.over = False
        self.usage: TokenUsage | None = None  # what the provider counted

    def take(self, data: str) -> None:
        """One event. What comes after the end is ignored."""
        event = as_object(data)
        if self.over:
            return
        match event.get("type"):
            case "response.output_item.done":
                self._text = _message_text(event.get("item")) or self._text
            case "response.completed":
                self.usage = usage_of(field(event, "response", "usage"))
                self._end("")
            case "response.failed":
                self.usage = usage_of(field(event, "response", "usage"))
                self._end(_said("the model failed", field(event, "response", "error", "code")))
            case "response.incomplete":
                reason = field(event, "response", "incomplete_details", "reason")
                self._end(_said("the model's answer is incomplete", reason))
            case "error":
                self._end(_said("the model failed", event.get("code")))

    def result(self) -> str:
        """The text. Raises ModelFailed, and NoOutput when the response is complete and says nothing."""
        if self._failure:
            raise ModelFailed(self._failure)
        if not self._text:
            raise NoOutput("the model answered without a message")
        return self._text

    def _end(self, failure: str) -> None:
        self._failure = failure
        self.over = True


def _message_text(item: object) -> str:
    if not isinstance(item, dict) or item.get("type") != "message" or item.get("role") != "assistant":
        return ""
    parts = item.get("content")
    texts = [
        part["text"]
        for part in (parts if isinstance(parts, list) else ())
        if isinstance(part, dict) and part.get("type") in TEXT_PARTS and isinstance(part.get("text"), str)
    ]
    return "\n".join(text for text in texts if text)


def _said(what: str, code: object) -> str:
    """With the provider's word for it, if it is one: a whole message may quote a key, or what was asked."""
    known = isinstance(code, str) and 0 < len(code) <= CODE_CHARS_MAX and CODE_CHARACTERS.issuperset(code)
    return f"{what} ({code})" if known else what
