from __future__ import annotations

import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.tools.image_format import ImageFormat, image_format
from support.tool.pictures import GIF, JPEG, PNG, WEBP, WEBP_EXTENDED, WEBP_LOSSLESS, png


@pytest.mark.parametrize(
    ("content", "kind"),
    [(PNG, "png"), (JPEG, "jpeg"), (GIF, "gif"), (WEBP, "webp"), (WEBP_LOSSLESS, "webp"), (WEBP_EXTENDED, "webp")],
)
def test_each_format_is_known_by_its_bytes_with_its_size(content: bytes, kind: str) -> None:
    assert image_format(content) == ImageFormat(f"image/{kind}", 3, 2)


@pytest.mark.parametrize("content", [PNG, JPEG, GIF, WEBP, WEBP_LOSSLESS, WEBP_EXTENDED])
def test_a_header_that_breaks_off_is_no_picture(content: bytes) -> None:
    assert [length for length in range(8) if image_format(content[:length])] == []


@pytest.mark.parametrize("content", [b"", b"\0" * 100, b"-----BEGIN KEY", b"<svg/>", png(0, 2), b"\xff\xd8\xff" * 50])
def test_anything_else_is_no_picture(content: bytes) -> None:
    assert image_format(content) is None


def test_a_frame_header_far_into_a_jpeg_is_found_behind_what_stands_before() -> None:
    comment = b"\xff\xfe" + struct.pack(">H", 1002) + bytes(1000)
    assert image_format(JPEG[:2] + comment * 5 + JPEG[2:]) == ImageFormat("image/jpeg", 3, 2)


@given(st.sampled_from([PNG, JPEG, GIF, WEBP, WEBP_LOSSLESS, b"\xff\xd8\xff", b"RIFF1234WEBPVP8X"]), st.binary())
def test_no_bytes_make_it_fail(start: bytes, rest: bytes) -> None:
    found = image_format(start + rest)
    assert found is None or (found.width > 0 and found.height > 0)


def test_the_picture_of_the_tests_is_a_real_one() -> None:
    assert zlib.crc32(PNG[12:29]) == int.from_bytes(PNG[29:33], "big")
