"""Long output in one item of the stream."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sandgate.surfaces.cli.kept_output import OUTPUT_BYTES_MAX, KeptOutput, kept


def test_a_short_output_is_kept_whole_also_when_a_character_comes_in_two_pieces() -> None:
    output = KeptOutput()
    for piece in (b"gr\xc3", b"\xbc\xc3\x9fe\n"):
        output.add(piece)
    assert output.text() == "grüße\n"


def test_a_long_output_keeps_its_ends_and_says_how_much_is_missing() -> None:
    output = KeptOutput()
    output.add(b"first")
    for _ in range(300):
        output.add(b"x" * 10_000)
    output.add(b"last")
    text = output.text()
    omitted = 300 * 10_000 + 9 - OUTPUT_BYTES_MAX
    assert text.startswith("first")
    assert text.endswith("last")
    assert f"\n... {omitted} bytes omitted ...\n" in text
    assert len(text) < OUTPUT_BYTES_MAX + 60


@given(st.lists(st.integers(0, 3 << 19), max_size=6))
def test_memory_stays_small_and_the_count_is_exact_however_pieces_arrive(sizes: list[int]) -> None:
    output, total = KeptOutput(), sum(sizes)
    for size in sizes:
        output.add(b"y" * size)
    text = output.text()
    assert text.count("y") - text.count("bytes") == min(total, OUTPUT_BYTES_MAX)
    assert (f"{total - OUTPUT_BYTES_MAX} bytes omitted" in text) == (total > OUTPUT_BYTES_MAX)


def test_a_whole_output_is_cut_the_same_way() -> None:
    assert kept("short") == "short"
    assert "1000 bytes omitted" in kept("z" * (OUTPUT_BYTES_MAX + 1000))
    assert kept("ü" * 300_000) == "ü" * 300_000
