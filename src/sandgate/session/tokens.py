"""What a conversation costs before a provider has counted it.

An estimate: four bytes are a token, as everywhere here. It fills the gap between the last response, whose usage is
known, and the next request.
"""

from __future__ import annotations

from sandgate.protocol.items import (
    Compaction,
    CustomToolCall,
    CustomToolCallOutput,
    FunctionCall,
    FunctionCallOutput,
    InputImage,
    Message,
    Reasoning,
)
from sandgate.tools.truncation import token_estimate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from sandgate.protocol.items import Item, Part

IMAGE_TOKENS = 1_800  # of a picture, whatever its size as text: providers scale it down before they look at it
OTHER_TOKENS = 50  # of the rare items that hold no text to speak of


def estimated_tokens(items: Iterable[Item]) -> int:
    """About how much of a window the items take."""
    return sum(map(_tokens, items))


def _tokens(item: Item) -> int:
    match item:
        case Message():
            return _of_parts(item.content)
        case FunctionCall():
            return token_estimate(_bytes(item.name) + _bytes(item.arguments))
        case CustomToolCall():
            return token_estimate(_bytes(item.name) + _bytes(item.input))
        case FunctionCallOutput():
            return token_estimate(_bytes(item.output)) if isinstance(item.output, str) else _of_parts(item.output)
        case CustomToolCallOutput():
            return token_estimate(_bytes(item.output))
        case Reasoning():
            # Sealed thoughts come as base64, four characters for three bytes.
            return _of_texts(*item.summary) + token_estimate(len(item.encrypted_content or "") * 3 // 4)
        case Compaction():
            return token_estimate(len(item.encrypted_content) * 3 // 4)
        case _:
            return OTHER_TOKENS


def _of_parts(parts: tuple[Part, ...]) -> int:
    texts = [part.text for part in parts if not isinstance(part, InputImage)]
    return _of_texts(*texts) + IMAGE_TOKENS * (len(parts) - len(texts))


def _of_texts(*texts: str) -> int:
    return token_estimate(sum(map(_bytes, texts)))


def _bytes(text: str) -> int:
    # An ASCII string knows that it is one: nothing is encoded for what most texts are.
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
