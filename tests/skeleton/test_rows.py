"""A table that is judged in one test: every row is judged, and each that is wrong is told."""

from pathlib import Path

import pytest

from support.suite.rows import TOLD_MAX, every


@every("number, square", [(1, 1), (2, 4), (3, 9)])
def test_rows_and_fixtures_are_handed_over(number: int, square: int, tmp_path: Path) -> None:
    assert tmp_path.is_dir()
    assert number * number == square


def test_every_wrong_row_is_told_with_what_was_got() -> None:
    @every("number", range(6))
    def table(number: int) -> None:
        assert number % 2 == 0, "odd"
        [][number - 4]

    with pytest.raises(pytest.fail.Exception) as failed:
        table()
    told = str(failed.value)
    assert told.startswith("6 of 6 rows are wrong\n\nnumber=0\n  line ")
    assert "number=5\n" in told
    assert told.count("AssertionError: odd") == told.count("IndexError: list index out of range") == 3


def test_what_is_too_much_to_show_is_counted() -> None:
    @every("number", range(TOLD_MAX + 7))
    def table(number: int) -> None:
        assert number < 0

    with pytest.raises(pytest.fail.Exception, match="… and 7 more"):
        table()


def test_a_table_without_rows_is_refused() -> None:
    """Required: it would be green whatever it said."""
    with pytest.raises(AssertionError, match="prove nothing"):
        every("number", [])


def test_above_each_other_every_combination_is_a_row_with_a_folder_of_its_own(tmp_path: Path) -> None:
    seen = []

    @every("first", "ab")
    @every("second", [1, 2])
    def table(first: str, second: int, tmp_path: Path) -> None:
        (tmp_path / "mine").touch(exist_ok=False)
        seen.append((first, second))

    table(tmp_path=tmp_path)
    assert seen == [("a", 1), ("a", 2), ("b", 1), ("b", 2)]
