from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.errors import ToolArgumentsError
from sandgate.tools.json_object import ObjectReader
from support.suite.rows import every

JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


def read(text: str) -> dict[str, object]:
    reader = ObjectReader(text)
    found = {name: reader.value() for name in reader.names()}
    reader.end()
    return found


def said(text: str) -> str:
    with pytest.raises(ToolArgumentsError) as caught:
        read(text)
    return str(caught.value).removeprefix("failed to parse function arguments: ")


@given(st.dictionaries(st.text(max_size=4), JSON, max_size=4), st.booleans(), st.sampled_from([None, 1, "\t"]))
def test_what_json_writes_is_read_back(value: dict[str, Any], plain: bool, indent: int | str | None) -> None:
    assert read(json.dumps(value, ensure_ascii=plain, indent=indent)) == value


@given(st.text(max_size=30) | st.lists(st.sampled_from([*'{}[]":,\\ \n0-1e.', "NaN", "tru", "é"])).map("".join))
def test_any_text_is_read_or_refused_with_a_place(text: str) -> None:
    try:
        expected: object = json.loads(text, parse_constant=float)
    except ValueError:
        expected = None
    try:
        found = read(text)
    except ToolArgumentsError as error:
        line, _, column = str(error).rpartition(" at line ")[2].partition(" column ")
        assert 1 <= int(line) <= text.count("\n") + 1
        assert 0 <= int(column) <= len(text.encode())
        assert not isinstance(expected, dict) or "NaN" in text
        return
    assert found == expected


@every(
    "text, fault",
    [
        ("", "EOF while parsing a value at line 1 column 0"),
        ("  \n ", "EOF while parsing a value at line 2 column 1"),
        ("[1]", "invalid type: sequence, expected a JSON object at line 1 column 0"),
        ('"x"', "invalid type: string, expected a JSON object at line 1 column 0"),
        ("null", "invalid type: null, expected a JSON object at line 1 column 0"),
        ("12", "invalid type: number, expected a JSON object at line 1 column 0"),
        ("nope: 1", "invalid type: null, expected a JSON object at line 1 column 0"),
        ("ls -l", "expected value at line 1 column 1"),
        ("{", "EOF while parsing an object at line 1 column 1"),
        ("{cmd: 1}", "key must be a string at line 1 column 2"),
        ('{"a"}', "expected `:` at line 1 column 5"),
        ('{"a"', "EOF while parsing an object at line 1 column 4"),
        ('{"a":', "EOF while parsing a value at line 1 column 5"),
        ('{"a":}', "expected value at line 1 column 6"),
        ('{"a":1', "EOF while parsing an object at line 1 column 6"),
        ('{"a":1,}', "trailing comma at line 1 column 8"),
        ('{"a":1,', "EOF while parsing an object at line 1 column 7"),
        ('{"a":1 "b":2}', "expected `,` or `}` at line 1 column 8"),
        ('{"a":1}}', "trailing characters at line 1 column 8"),
        ('{"a":"x', "EOF while parsing a string at line 1 column 7"),
        ('{"a":"é', "EOF while parsing a string at line 1 column 8"),
        ('{\n"a":\n"x\ty"}', "control character (\\u0000-\\u001F) found while parsing a string at line 3 column 3"),
        ('{"a":"\\q"}', "invalid escape at line 1 column 7"),
        ('{"a":[1,2', "EOF while parsing a value at line 1 column 9"),
        ('{"a":[1 2]}', "expected `,` or the end of the value at line 1 column 9"),
        ('{"a":NaN}', "expected value at line 1 column 6"),
        ('{"a":-Infinity}', "expected value at line 1 column 6"),
        ('{"a":[NaN]}', "expected value at line 1 column 6"),
        ('{"a":1e400}', "number out of range at line 1 column 6"),
        ('{"a":' + "9" * 401 + "}", "number out of range at line 1 column 6"),
        ('{"a":' + "[" * 200_000, "recursion limit exceeded at line 1 column 5"),
    ],
)
def test_a_fault_names_its_place(text: str, fault: str) -> None:
    assert said(text) == fault
