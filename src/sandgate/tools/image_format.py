"""What kind of picture a file is, and how large, from its first bytes. Nothing is decoded.

The name of a file is not asked: what goes to a provider must be what it says. The four formats are those that
providers take; each writes its width and height where they are found without a library. PNG: RFC 2083 section 11.2.2.
JPEG: ITU-T T.81 annex B. GIF: GIF89a section 18. WebP: RFC 9649. Pure.
"""

from __future__ import annotations

from sandgate.record import Record

JPEG_SEGMENTS_MAX = 1_000  # before the frame header; ordinary files have fewer than a hundred
_BARE_MARKERS = frozenset((0x01, *range(0xD0, 0xD8)))  # TEM and RST: no length follows
_FRAME_MARKERS = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}  # SOF: not DHT, JPG, DAC


class ImageFormat(Record):
    """A picture as its header describes it."""

    media_type: str
    width: int  # pixels
    height: int


def image_format(content: bytes) -> ImageFormat | None:
    """Of a whole file; None when it is none of the four, or its header is not complete."""
    for media_type, size in (("png", _png(content)), ("jpeg", _jpeg(content)), ("gif", _gif(content))):
        if size is not None and all(size):
            return ImageFormat(f"image/{media_type}", *size)
    size = _webp(content)
    return ImageFormat("image/webp", *size) if size is not None and all(size) else None


def _png(content: bytes) -> tuple[int, int] | None:
    if not content.startswith(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR") or len(content) < 33:
        return None
    return int.from_bytes(content[16:20], "big"), int.from_bytes(content[20:24], "big")


def _gif(content: bytes) -> tuple[int, int] | None:
    if not content.startswith((b"GIF87a", b"GIF89a")) or len(content) < 13:
        return None
    return int.from_bytes(content[6:8], "little"), int.from_bytes(content[8:10], "little")


def _jpeg(content: bytes) -> tuple[int, int] | None:
    if not content.startswith(b"\xff\xd8\xff"):
        return None
    at = 2
    for _segment in range(JPEG_SEGMENTS_MAX):
        if content[at : at + 1] != b"\xff":
            return None
        while content[at : at + 1] == b"\xff":  # any number of them may stand before a marker
            at += 1
        marker = content[at : at + 1]
        at += 1
        length = int.from_bytes(content[at : at + 2], "big")
        if marker and marker[0] in _BARE_MARKERS:
            continue
        if not marker or length < 2 or at + length > len(content):
            return None
        if marker[0] in _FRAME_MARKERS:
            frame = content[at + 2 : at + length]
            return int.from_bytes(frame[3:5], "big"), int.from_bytes(frame[1:3], "big")
        at += length
    return None


def _webp(content: bytes) -> tuple[int, int] | None:
    if content[:4] != b"RIFF" or content[8:12] != b"WEBP" or len(content) < 30:
        return None
    body = content[20:]
    match content[12:16]:
        case b"VP8X":
            return _little(body[4:7]) + 1, _little(body[7:10]) + 1
        case b"VP8L" if body[0] == 0x2F:
            bits = _little(body[1:5])
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case b"VP8 " if body[3:6] == b"\x9d\x01\x2a":
            return _little(body[6:8]) & 0x3FFF, _little(body[8:10]) & 0x3FFF
        case _:
            return None


def _little(digits: bytes) -> int:
    return int.from_bytes(digits, "little")
