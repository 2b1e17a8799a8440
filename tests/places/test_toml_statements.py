"""Where statements begin and end. What is taken out of them: test_without_tokens.py, support/escape."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.places.toml_statements import NotToldApart, array_members, pair, statements
from support.escape.cargo_settings import CLOSED, SHAPES
from support.suite.rows import every

TEXTS = [*(text for text, _ in SHAPES.values()), *CLOSED.values()]
PIECES = [*'abk=\'""[]{},.#\n\\ \t', '"""', "'''", "[a]\n", "k = 1\n", 'k = "v"\n', "{ k = 1 }", "\r\n"]


def whole(text: str) -> str:
    return "".join(each.before + each.value + each.comment + each.end for each in statements(text))


def names(text: str) -> list[tuple[tuple[str, ...], bool]]:
    return [(each.names, each.begins_table) for each in statements(text) if each.names]


@every("text", [text for text in TEXTS if "\\u" not in text])
def test_nothing_is_lost(text: str) -> None:
    assert whole(text) == text


@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_whatever_it_is_it_comes_back_whole_or_not_at_all(text: str) -> None:
    with suppress(NotToldApart):
        assert whole(text) == text


def test_a_string_hides_what_would_end_a_statement() -> None:
    text = (
        'a = "]}#\\"" # x\nb = \']}#\\\' # y\nc = """\n[d]\n\\""""""\ne = [ # ]\n \'#\', "]",\n]\n[[f . "g.h"]] # z\n'
    )
    assert names(text) == [
        (("a",), False), (("b",), False), (("c",), False), (("e",), False), (("f", "g.h"), True)
    ]  # fmt: skip
    assert [each.comment for each in statements(text)] == ["# x", "# y", "", "", "# z"]


def test_members_are_told_apart() -> None:
    assert array_members('[1, "a,b", [2, 3], {c = ",", d = 4},]') == ["1", ' "a,b"', " [2, 3]", ' {c = ",", d = 4}']
    assert (array_members("[]"), array_members(" { } ")) == ([], [])
    assert pair(' a."b=c" = "d=e"') == (("a", "b=c"), ' "d=e"')


NO_TOML = [
    "a",
    "a.",
    ".a = 1",
    "= 1",
    "[a\n",
    "[[a]\n",
    "a = [1\n",
    "a = 1]\n",
    "a = 'b\n",
    'a = """b',
    'a"b = 1',
    "a b = 1",
    '"\\u0061" = 1',
    "[]\n",
    "a = [ # ]",
    "\ra = 1\n",
]


@pytest.mark.parametrize("text", NO_TOML)
def test_what_is_no_toml_is_told(text: str) -> None:
    with pytest.raises(NotToldApart):
        list(statements(text))


@pytest.mark.parametrize("value", ["[1", "1", "", "{]", "[1}"])
def test_what_is_neither_an_array_nor_a_table_has_no_members(value: str) -> None:
    with pytest.raises(NotToldApart):
        array_members(value)


def test_a_member_without_a_value_is_no_pair() -> None:
    with pytest.raises(NotToldApart):
        pair("a")
