from hypothesis import given
from hypothesis import strategies as st

from sandgate.surfaces.transport.framing import Lines


@given(st.lists(st.binary(max_size=12).map(lambda line: line.replace(b"\n", b""))), st.integers(1, 7))
def test_lines_come_out_as_they_went_in_however_they_were_cut(sent: list[bytes], step: int) -> None:
    lines = Lines(limit_bytes=12)
    stream = b"".join(line + b"\n" for line in sent)
    came = [line for at in range(0, len(stream), step) for line in lines.fed(stream[at : at + step])]
    assert (came, lines.rest()) == (sent, b"")


def test_a_line_over_the_limit_is_told_once_and_the_next_one_counts() -> None:
    lines = Lines(limit_bytes=4)
    assert lines.fed(b"123") == []
    assert lines.fed(b"45") == [None]
    assert lines.rest() == b""
    assert lines.fed(b"6789" * 1000) == []
    assert lines.fed(b"\n1234\n12") == [b"1234"]
    assert lines.rest() == b"12"


def test_what_is_kept_of_an_endless_line_stays_under_the_limit() -> None:
    lines = Lines(limit_bytes=1000)
    for _ in range(100):
        lines.fed(b"x" * 999)
        assert len(lines.rest()) < 1000
