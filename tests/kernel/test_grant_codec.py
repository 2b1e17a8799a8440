"""Grants as bytes for the helper, in a plan and in an answer."""

import struct

import pytest

from sandgate.errors import RequestError
from sandgate.kernel.grant_codec import ORDER_BYTES_MAX, answers, encoded_grants
from sandgate.protocol.permissions import Grant


def test_an_answer_names_its_call_and_its_grants() -> None:
    grants = (
        Grant("new_entry", "/a/b/"),
        Grant("read_path", "/r"),
        Grant("host", "1.2.3.4:5"),
        Grant("metadata", "/c\udcff"),
    )
    (message,) = answers(7, grants)
    head, first = struct.pack("<III", 7, 7, 3), struct.pack("<I", 2) + b"/a/b\0"
    second = struct.pack("<I", 5) + b"1.2.3.4:5\0"
    assert message == head + first + second + struct.pack("<I", 4) + b"/c\xff\0"


def test_a_plan_tells_its_connections_elsewhere() -> None:
    assert encoded_grants((Grant("host", "1.2.3.4:5"), Grant("unix_socket", "/s"))) == []


def test_a_no_is_an_answer_without_grants() -> None:
    assert answers(3, ()) == [struct.pack("<III", 7, 3, 0)]


def test_grants_that_do_not_fit_into_one_message_go_before_the_answer() -> None:
    """Required: no message over the limit, all grants told, and the call named by the last message alone."""
    grants = tuple(Grant("write_path", f"/{number}{'x' * 3000}") for number in range(20))
    messages = answers(4, grants)
    assert all(len(each) <= ORDER_BYTES_MAX for each in messages)
    heads = [struct.unpack_from("<III", each) for each in messages]
    assert [number for _, number, _ in heads] == [0] * (len(messages) - 1) + [4]
    assert sum(count for _, _, count in heads) == len(grants)
    assert b"".join(each[12:] for each in messages) == b"".join(encoded_grants(grants))


def test_a_zero_byte_is_refused() -> None:
    with pytest.raises(RequestError, match="zero byte"):
        answers(1, (Grant("remove", "/a\0b"),))
