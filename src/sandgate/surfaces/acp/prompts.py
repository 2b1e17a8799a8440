"""What a person says, from the protocol's blocks of content: text, pictures, and what an editor shows along with it."""

from __future__ import annotations

from acp.schema import (
    BlobResourceContents,
    EmbeddedResourceContentBlock,
    ImageContentBlock,
    ResourceContentBlock,
    TextContentBlock,
    TextResourceContents,
)

from sandgate.display import visible
from sandgate.protocol.operations import ImageInput, TextInput
from sandgate.surfaces.acp.refusal import bad_params

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandgate.protocol.operations import InputItem

BLOCKS_MAX = 256  # of one message
URI_CHARS_MAX = 4096
PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")


def said_in(blocks: Sequence[object]) -> tuple[InputItem, ...]:
    """The message that they are. Raises the library's RequestError."""
    if not 0 < len(blocks) <= BLOCKS_MAX:
        raise bad_params(f"`prompt` has to have 1 to {BLOCKS_MAX} blocks")
    return tuple(map(_part, blocks))


def _part(block: object) -> InputItem:
    match block:
        case TextContentBlock():
            return TextInput(block.text)
        case ImageContentBlock():
            return _picture(block.mime_type, block.data)
        case ResourceContentBlock():
            return TextInput(f"[{visible(block.name, limit=URI_CHARS_MAX)}]({_uri(block.uri)})")
        case EmbeddedResourceContentBlock(resource=TextResourceContents() as resource):
            return TextInput(f'<resource uri="{_uri(resource.uri)}">\n{resource.text}\n</resource>')
        case EmbeddedResourceContentBlock(resource=BlobResourceContents() as resource):
            return _picture(resource.mime_type or "", resource.blob)
        case _:
            raise bad_params("only text, pictures and resources can be said; sound cannot")


def _picture(kind: str, data: str) -> ImageInput:
    if kind not in PICTURES:
        shown = visible(kind, limit=80) or "of no kind"
        raise bad_params(f"`{shown}` cannot be shown to a model; {', '.join(PICTURES)} can")
    if not data.isascii() or not data.replace("+", "").replace("/", "").rstrip("=").isalnum():
        raise bad_params("a picture's data has to be Base64")
    return ImageInput(f"data:{kind};base64,{data}")


def _uri(uri: str) -> str:
    """On one line, and without what would end the place it stands in."""
    return visible(uri, limit=URI_CHARS_MAX).replace('"', "%22").replace(")", "%29")
