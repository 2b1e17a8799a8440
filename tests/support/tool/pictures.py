"""Small pictures of three by two pixels: what a header must hold, and no more."""

from __future__ import annotations

import struct
import zlib


def png(width: int, height: int) -> bytes:
    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    rows = b"".join(b"\0" + b"\0" * 3 * min(width, 3) for _ in range(min(height, 2)))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


PNG = png(3, 2)
JPEG = (
    b"\xff\xd8\xff\xe0\x00\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0"
    b"\xff\xff\xc2\x00\x0b\x08\x00\x02\x00\x03\x01\x11\x22\x00\xff\xd9"
)
GIF = b"GIF89a\x03\x00\x02\x00\x80\x00\x00" + bytes(6) + b"\x3b"
WEBP = b"RIFF\x20\0\0\0WEBPVP8 \x10\0\0\0" + b"\x10\x02\x00\x9d\x01\x2a\x03\x00\x02\x40" + bytes(8)
WEBP_LOSSLESS = b"RIFF\x20\0\0\0WEBPVP8L\x10\0\0\0\x2f" + struct.pack("<I", 2 | 1 << 14) + bytes(8)
WEBP_EXTENDED = b"RIFF\x20\0\0\0WEBPVP8X\x0a\0\0\0\x10\0\0\0\x02\0\0\x01\0\0"
