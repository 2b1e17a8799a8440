import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types.jsonrpc import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from sandgate.surfaces.mcp.messages import NoMessage, read_message, written

PARSE_ERROR, INVALID_REQUEST = -32700, -32600


def refused(line: bytes) -> tuple[int, Any]:
    answer = read_message(line)
    assert isinstance(answer, NoMessage)
    return answer.answer.error.code, answer.answer.id


@pytest.mark.parametrize(
    "line",
    [
        b"x",
        b"\xff\xfe",
        b'\xff{"jsonrpc":"2.0","id":1,"method":"p"}',
        b'{"jsonrpc":"2.0","id":NaN,"method":"p"}',
        b'{"jsonrpc":"2.0","id":"\\ud800","method":"p"}',
        b'{"jsonrpc":"2.0","id":"\xff","method":"p"}',
        b'{"jsonrpc":"2.0","id":' + b"9" * 5000 + b',"method":"p"}',
        b'{"jsonrpc":"2.0","id":1,"result":"\\ud800"}',
        b'[{"jsonrpc":"2.0","id":1,"method":"\\ud800"}]',
        b'{"jsonrpc":"2.0","id":1,"method":"ping"',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":' + b'{"a":' * 100_000 + b"1" + b"}" * 100_001,
        b"[" * 100_000,
        b'{"params":' * 5000,
        b"1" * 5000,
    ],
)
def test_what_is_no_json_is_a_parse_error_without_an_id(line: bytes) -> None:
    assert refused(line) == (PARSE_ERROR, None)


@pytest.mark.parametrize(
    "value",
    [
        b'"\\ud800"',
        b'"\\udc80\\ud800"',
        b'"\xed\xa0\x80"',
        b'"\xff"',
        b'"\x00"',
        b"NaN",
        b"9" * 5000,
        b"[" * 300 + b"]" * 300,
    ],
)
@pytest.mark.parametrize("known", [7, "\u00e4"])
def test_a_request_that_cannot_be_read_is_answered_with_its_id_where_that_can(value: bytes, known: Any) -> None:
    head = b'{"jsonrpc":"2.0","id":' + json.dumps(known).encode() + b',"method":"ping","params":{"a":'
    assert refused(head + value + b"}}") == (PARSE_ERROR, known)


@pytest.mark.parametrize(
    ("line", "known"),
    [
        (b"[]", None),
        (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', None),
        (b"7", None),
        (b'{"jsonrpc":"2.0","id":1,"method":5}', 1),
        (b'{"jsonrpc":"1.0","id":"a","method":"ping"}', "a"),
        (b'{"id":3,"method":"ping"}', 3),
        (b'{"jsonrpc":"2.0","id":3,"method":"ping","params":[1]}', 3),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', None),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', None),
        (b'{"jsonrpc":"2.0","id":1.0,"method":"ping"}', None),
        (b'{"jsonrpc":"2.0","id":1e999,"method":"ping"}', None),
        (b'{"jsonrpc":"2.0","id":' + b"9" * 4000 + b',"method":"ping"}', None),
        (b'{"jsonrpc":"2.0","id":3,"result":5}', None),
        (b'{"jsonrpc":"2.0","id":3}', None),
    ],
)
def test_json_that_is_no_message_is_refused_with_the_id_of_the_request_it_wanted_to_be(line: bytes, known: Any) -> None:
    """Our choice: what is no request is answered without an id, or it would answer another request of that id."""
    assert refused(line) == (INVALID_REQUEST, known)


def test_each_kind_of_message_is_told_by_its_members() -> None:
    request = JSONRPCRequest(jsonrpc="2.0", id="1", method="ping")
    notification = JSONRPCNotification(jsonrpc="2.0", method="m", params={"a": 1})
    response = JSONRPCResponse(jsonrpc="2.0", id=1, result={})
    assert [read_message(written(m) or b"") for m in (request, notification, response)] == [
        request,
        notification,
        response,
    ]


def test_the_last_of_two_members_with_one_name_counts() -> None:
    read = read_message(b'{"jsonrpc":"2.0","id":1,"id":2,"method":"a","method":"b"}')
    assert read == JSONRPCRequest(jsonrpc="2.0", id=2, method="b")


def test_no_answer_repeats_what_was_sent_or_names_the_validator() -> None:
    for line in (b'{"id":1,"method":"secret","jsonrpc":3}', b"secret"):
        answer = read_message(line)
        assert isinstance(answer, NoMessage)
        assert not {"secret", "pydantic", "validation"} & set((written(answer.answer) or b"").decode().split('"'))


def test_half_a_surrogate_pair_costs_one_character_and_not_the_answer() -> None:
    answer = JSONRPCResponse(jsonrpc="2.0", id=1, result={"text": "a\ud800b", "float": float("nan")})
    assert json.loads(written(answer) or b"")["error"]["message"] == "the result cannot be written as JSON"
    answer = JSONRPCResponse(jsonrpc="2.0", id=1, result={"text": "a\ud800b"})
    assert json.loads(written(answer) or b"")["result"] == {"text": "a?b"}


def test_a_result_without_json_becomes_an_error_answer() -> None:
    answer = written(JSONRPCResponse(jsonrpc="2.0", id=9, result={"what": object()}))
    assert json.loads(answer or b"")["id"] == 9
    assert written(JSONRPCNotification(jsonrpc="2.0", method="m", params={"what": object()})) is None


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
members = st.fixed_dictionaries(
    {},
    optional=dict.fromkeys(("jsonrpc", "id", "method", "params", "result", "error"), json_values),
)


@given(members | json_values)
def test_every_json_value_is_a_message_or_gets_an_answer_that_can_be_written(value: Any) -> None:
    read = read_message(json.dumps(value).encode())
    message = read.answer if isinstance(read, NoMessage) else read
    assert b"\n" not in (written(message) or b"\n")
    if isinstance(read, NoMessage):
        assert isinstance(read.answer, JSONRPCError)
