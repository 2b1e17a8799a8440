from __future__ import annotations

import base64
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sandgate.external.answer import (
    EMPTY,
    IMAGES_MAX,
    PARTS_MAX,
    STRUCTURED_BYTES_MAX,
    ExternalAnswer,
    answer_of,
    no_answer,
)
from sandgate.protocol.items import InputImage, InputText
from sandgate.tools.pictures import IMAGE_SIDE_MAX
from sandgate.tools.truncation import TruncationPolicy
from support.tool.pictures import PNG, png

PLENTY = TruncationPolicy("tokens", 10_000)
PICTURE = {"type": "image", "data": base64.b64encode(PNG).decode(), "mimeType": "image/gif"}


def of(*content: dict[str, Any], structured: object = None, policy: TruncationPolicy = PLENTY) -> ExternalAnswer:
    return answer_of(content, structured, is_error=False, policy=policy)


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def test_one_text_goes_as_text_and_pictures_as_parts() -> None:
    assert of(text("hi")).output == "hi"
    answer = of(text("see"), PICTURE)
    assert answer.output == (InputText("see"), InputImage(f"data:image/png;base64,{PICTURE['data']}"))
    assert answer.result_json() == {"content": [text("see"), {**PICTURE, "mimeType": "image/png"}]}


def test_texts_share_one_budget() -> None:
    """Required: many parts are no way around the limit of one."""
    answer = of(*[text("x" * 1_000)] * 60, policy=TruncationPolicy("bytes", 2_000))
    size = sum(len(part.text) for part in answer.parts if isinstance(part, InputText))
    assert size < 2_000 + 60 * len("…1000 chars truncated…")
    assert "truncated" in str(answer.parts[0]) or "truncated" in str(answer.parts[2])


def test_what_is_no_picture_is_left_out_and_said() -> None:
    large = base64.b64encode(png(IMAGE_SIDE_MAX + 1, 1)).decode()
    for data in (base64.b64encode(b"key").decode(), "no base64!", "", large):
        (part,) = of({"type": "image", "data": data, "mimeType": "image/png"}).parts
        assert "left out" in str(part)


def test_parts_and_pictures_have_an_end() -> None:
    assert len(of(*[text("a")] * (PARTS_MAX + 9)).parts) == PARTS_MAX + 1
    pictures = of(*[PICTURE] * (IMAGES_MAX + 1)).parts
    assert [isinstance(part, InputImage) for part in pictures] == [True] * IMAGES_MAX + [False]


def test_a_part_that_a_model_can_not_have_is_named() -> None:
    parts = of(
        {"type": "audio", "data": "x"},
        {"type": "resource", "resource": {"uri": "a\nb", "text": "inside"}},
        {"type": "resource", "resource": {"uri": "a\nb", "blob": "eA=="}},
        {"type": "resource_link", "uri": "file:///x", "name": "x"},
    ).parts
    assert parts == (
        InputText("(a part of the kind `audio` was left out)"),
        InputText("inside"),
        InputText("(bytes of a b were left out)"),
        InputText("(a link to file:///x)"),
    )


def test_an_answer_for_programs_is_words_for_a_model_where_there_are_no_others() -> None:
    assert of(structured={"a": 1}).output == '{"a": 1}'
    both = of(text("one"), structured={"a": 1})
    assert (both.output, both.structured) == ("one", {"a": 1})
    assert both.result_json()["structured_content"] == {"a": 1}
    assert of(text("one"), structured="x" * STRUCTURED_BYTES_MAX).structured is None
    assert of().output == EMPTY


def test_a_call_that_failed_is_an_answer() -> None:
    assert no_answer("gone") == ExternalAnswer((InputText("gone"),), is_error=True)


BLOCKS = st.dictionaries(
    st.sampled_from(["type", "text", "data", "uri", "resource"]),
    st.text(max_size=20) | st.none() | st.dictionaries(st.sampled_from(["uri", "text"]), st.text(max_size=5)),
)


@given(st.lists(BLOCKS | st.sampled_from([PICTURE, text("x")]), max_size=8))
def test_no_content_makes_it_fail(content: list[dict[str, Any]]) -> None:
    assert of(*content).parts
