"""What a call of a server's tool came to, within bounds: texts cut, pictures checked, everything else named.

A server may send anything of any size. A model gets at most what the turn allows it of text, and pictures only when
they are what they say; what neither a model nor a provider can take is replaced by a line that says so. Pure.
"""

from __future__ import annotations

from sandgate.display import one_line
from sandgate.protocol.items import InputImage, InputText
from sandgate.record import Record
from sandgate.tools.image_format import image_format
from sandgate.tools.pictures import IMAGE_BYTES_MAX, IMAGE_SIDE_MAX
from sandgate.tools.truncation import TruncationPolicy, cut

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

PARTS_MAX = 64  # of one answer
IMAGES_MAX = 8
STRUCTURED_BYTES_MAX = 1 << 20  # as JSON
URI_SHOWN_CHARS = 200
EMPTY = "(the tool answered with nothing)"


class ExternalAnswer(Record):
    """The answer of a call. A tool that failed is an answer too."""

    parts: tuple[InputText | InputImage, ...]
    structured: object = None  # JSON that programs read; None: there is none
    is_error: bool = False

    @property
    def output(self) -> str | tuple[InputText | InputImage, ...]:
        """As the item of the conversation has it: text where there is nothing else."""
        match self.parts:
            case (InputText(text),):
                return text
            case _:
                return self.parts

    def result_json(self) -> dict[str, Any]:
        """As events have it."""
        found: dict[str, Any] = {"content": [_block(part) for part in self.parts]}
        if self.structured is not None:
            found["structured_content"] = self.structured
        return found


def no_answer(text: str) -> ExternalAnswer:
    """There is no answer, and this is why."""
    return ExternalAnswer((InputText(text),), is_error=True)


def answer_of(
    content: Iterable[Mapping[str, Any]], structured: object, *, is_error: bool, policy: TruncationPolicy
) -> ExternalAnswer:
    """An answer from content blocks as they are on the wire."""
    parts: list[InputText | InputImage] = []
    left, images = policy.byte_budget, 0
    for block in content:
        if len(parts) == PARTS_MAX:
            parts.append(InputText(f"(more than {PARTS_MAX} parts; the rest was left out)"))
            break
        part = _part(block) if images < IMAGES_MAX or block.get("type") != "image" else _too_many_images()
        if isinstance(part, InputText):
            part = InputText(cut(part.text, TruncationPolicy("bytes", left) if left < policy.byte_budget else policy))
            left = max(0, left - len(part.text.encode("utf-8", "surrogatepass")))
        else:
            images += 1
        parts.append(part)
    kept, text = _structured(structured)
    if not parts and text:
        parts.append(InputText(cut(text, policy)))
    return ExternalAnswer(tuple(parts) or (InputText(EMPTY),), kept, is_error)


def _block(part: InputText | InputImage) -> dict[str, str]:
    if isinstance(part, InputText):
        return {"type": "text", "text": part.text}
    head, _, data = part.image_url.partition(";base64,")
    return {"type": "image", "data": data, "mimeType": head.removeprefix("data:")}


def _part(block: Mapping[str, Any]) -> InputText | InputImage:
    match block:
        case {"type": "text", "text": str(text)}:
            return InputText(text)
        case {"type": "image", "data": str(data)}:
            return _image(data)
        case {"type": "resource", "resource": {"text": str(text)}}:
            return InputText(text)
        case {"type": "resource", "resource": {"uri": uri}}:
            return InputText(f"(bytes of {one_line(str(uri), limit=URI_SHOWN_CHARS)} were left out)")
        case {"type": "resource_link", "uri": uri}:
            return InputText(f"(a link to {one_line(str(uri), limit=URI_SHOWN_CHARS)})")
        case _:
            kind = one_line(str(block.get("type")), limit=URI_SHOWN_CHARS)
            return InputText(f"(a part of the kind `{kind}` was left out)")


def _image(data: str) -> InputImage | InputText:
    from binascii import Error, a2b_base64

    if len(data) > IMAGE_BYTES_MAX * 4 // 3 + 4:
        return InputText(f"(a picture of more than {IMAGE_BYTES_MAX >> 20} MiB was left out)")
    try:
        found = image_format(a2b_base64(data, strict_mode=True))
    except (Error, ValueError):
        found = None
    if found is None or max(found.width, found.height) > IMAGE_SIDE_MAX:
        return InputText("(a picture was left out: it is not what it says, or too large)")
    return InputImage(f"data:{found.media_type};base64,{data}")


def _too_many_images() -> InputText:
    return InputText(f"(more than {IMAGES_MAX} pictures; this one was left out)")


def _structured(value: object) -> tuple[object, str]:
    """The value, where it is small enough to keep, and its JSON."""
    import json

    if value is None:
        return None, ""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (RecursionError, ValueError, TypeError):
        return None, ""
    return (value if len(text) <= STRUCTURED_BYTES_MAX else None), text
