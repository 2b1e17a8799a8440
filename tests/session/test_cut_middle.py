"""What is left of a long text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.session.cut_middle import without_middle

TEXT = st.text(st.sampled_from("ab \n\né😀\ud800"), max_size=200)


@pytest.mark.parametrize(
    ("text", "max_bytes", "kept"),
    [
        ("short", 5, "short"),
        ("", 0, ""),
        ("0123456789" * 10, 40, "0123456…22 tokens truncated…23456789"),
        ("one\ntwo\nthree\n" + "x" * 80 + "\nand\nfive\nsix\n", 48, "one\ntwo\n…23 tokens truncated…five\nsix\n"),
        ("one\ntwo\nthree\n" + "x" * 80 + "\nand\nseven\nsix\n", 47, "one\ntwo\n…23 tokens truncated…seven\nsix\n"),
        ("first\n" + "x" * 80 + "\n", 40, "first\n…19 tokens truncated…xxxxxxx\n"),
        ("one\n" + "x" * 80 + "\nlast\n", 57, "one\nxxxxxxxxxxxx…15 tokens truncated…xxxxxxxxxx\nlast\n"),
        ("one\ntwo\nthree\n" + "x" * 80 + "\nand\nab\nsecond\n", 45, "one\ntwo\n…23 tokens truncated…ab\nsecond\n"),
        ("x" * 40, 30, "xxx…9 tokens truncated…xxx"),
        ("x" * 100, 3, "…25 tokens truncated…"),
        ("😀" * 25, 39, "😀…23 tokens truncated…😀"),
        ("😀" * 25, 40, "😀…22 tokens truncated…😀😀"),
    ],
)
def test_the_middle_goes_and_lines_stay_whole_where_they_can(text: str, max_bytes: int, kept: str) -> None:
    """Required."""
    assert without_middle(text, max_bytes) == kept


@given(TEXT, st.integers(-3, 250))
def test_what_is_left_fits_and_is_both_ends_of_the_text(text: str, max_bytes: int) -> None:
    kept = without_middle(text, max_bytes)
    size = len(text.encode("utf-8", "surrogatepass"))
    if size <= max_bytes:
        assert kept == text
        return
    head, _, rest = kept.partition("…")
    marker, _, tail = rest.partition("…")
    assert text.startswith(head)
    assert text.endswith(tail)
    cut_bytes = size - len((head + tail).encode("utf-8", "surrogatepass"))
    assert marker == f"{-(-cut_bytes // 4)} tokens truncated"
    assert len(kept.encode("utf-8", "surrogatepass")) <= max_bytes or head == tail == ""


def test_the_tally_of_a_large_cut_is_right_where_its_length_matters() -> None:
    """Required: the marker is made again until its length is stable."""
    for size in (420, 4_030, 40_040, 400_050):
        for budget in range(20, 70):
            kept = without_middle("x" * size, budget)
            cut = size - kept.count("x")
            assert f"…{-(-cut // 4)} tokens truncated…" in kept
