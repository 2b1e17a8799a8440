"""Events come out the same wherever the network cuts them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.model.events import EVENT_BYTES_MAX, EventCutter, EventTooLong


def events(*pieces: bytes, end: bool = False) -> list[str]:
    cutter = EventCutter()
    found = [event for piece in pieces for event in cutter.feed(piece)]
    return [*found, *cutter.end()] if end else found


@pytest.mark.parametrize("line_end", [b"\n", b"\r\n", b"\r"])
def test_fields_of_an_event_but_its_data_are_passed_over(line_end: bytes) -> None:
    lines = (b"event: x", b": a comment", b"id: 1", b"data: one", b"data:two", b"data", b"", b"retry: 3", b"", b"")
    assert events(line_end.join(lines)) == ["one\ntwo\n"]


@given(
    texts=st.lists(st.text(alphabet="añ漢{}:\u2028 ", min_size=1), max_size=4),
    line_end=st.sampled_from(["\n", "\r\n", "\r"]),
    cuts=st.lists(st.integers(min_value=0, max_value=200), max_size=8).map(sorted),
)
def test_it_does_not_matter_where_the_stream_is_cut(texts: list[str], line_end: str, cuts: list[int]) -> None:
    stream = "".join(f"event: x{line_end}data: {text}{line_end}{line_end}" for text in texts).encode()
    pieces = [stream[start:end] for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    assert events(*pieces) == texts


def test_a_line_end_cut_in_two_is_one_line_end() -> None:
    """Required: a blank line ends an event, so two lines may not have one between them by accident."""
    assert events(b"data: a\r", b"\ndata: b\r", b"\n\r", b"\ndata: c\n\n") == ["a\nb", "c"]


def test_an_event_without_its_blank_line_counts_at_the_end_of_the_stream() -> None:
    """Our choice: what is not complete JSON is passed over later anyway."""
    assert events(b"data: a\n\ndata: b", end=True) == ["a", "b"]
    assert events(b"data: a\n\n", end=True) == ["a"]


def test_an_event_has_a_limit_in_one_line_and_in_many() -> None:
    with pytest.raises(EventTooLong):
        events(b"data: " + b"x" * EVENT_BYTES_MAX)
    with pytest.raises(EventTooLong):
        events(*[b"data: " + b"x" * 1000 + b"\n"] * (EVENT_BYTES_MAX // 1000 + 1))


def test_bytes_that_are_no_text_do_not_stop_the_stream() -> None:
    assert events(b"data: \xff\n\ndata: b\n\n") == ["\ufffd", "b"]
