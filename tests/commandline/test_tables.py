from __future__ import annotations

import pytest

from sandgate.commandline.tables import Later, one_table


def test_a_table_made_of_several_refuses_a_name_that_stands_in_two() -> None:
    assert one_table({"ls": "*"}, {"cat": "*"}) == {"ls": "*", "cat": "*"}
    with pytest.raises(ValueError, match="described twice: ls"):
        one_table({"ls": "*"}, {"cat": "*", "ls": "-a *"})


def test_a_later_table_is_made_when_a_name_is_not_in_the_first() -> None:
    made: list[int] = []

    def others() -> tuple[dict[str, str], ...]:
        made.append(1)
        return {"cat": "*"}, {"tail": "-n="}

    table = Later({"ls": "-a *"}, others)
    assert table["ls"] == "-a *"
    assert "ls" in table
    assert made == []
    assert [table.get(name) for name in ("tail", "rm")] == ["-n=", None]
    assert list(table) == ["ls", "cat", "tail"]
    assert len(table) == 3
    assert made == [1]


def test_a_later_table_refuses_a_second_row_of_one_name() -> None:
    with pytest.raises(ValueError, match="described twice: ls"):
        len(Later({"ls": "-a *"}, lambda: ({"ls": "*"},)))
