"""What a question and an answer hold, and what is refused when they are read again."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.approvals.ledger.pending import (
    LIMITABLE,
    USES_MAX,
    Resolution,
    decoded,
    decoded_resolution,
    encoded,
    encoded_resolution,
    is_approval_id,
    misfit,
    new_approval_id,
    shown,
)
from sandgate.errors import ApprovalsUnusable, RequestError
from support.approval.asking import ID, question
from support.suite.rows import every

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(message=st.text(), details=st.dictionaries(st.text(), JSON, max_size=4), asked_at=st.floats(0, 1e10))
def test_a_question_is_read_as_it_was_written(message: str, details: dict[str, Any], asked_at: float) -> None:
    asked = question(message=message, details=details, asked_at=asked_at, expires_at=asked_at + 1)
    assert decoded(encoded(asked)) == asked
    assert decoded(encoded(asked)).digest == asked.digest


@pytest.mark.parametrize("field", sorted(shown(question())))
def test_the_digest_covers_everything_that_is_shown(field: str) -> None:
    """Required: an answer is to these words and this call, and to nothing that was put in their place."""
    asked = question()
    other: dict[str, Any] = {"choices": (("approve", "Sure"),), "details": {"a": 1}, "expires_at": 1e9, "asked_at": 7.0}
    changed = asked.but(**{field: other.get(field, "ffff00000000ffff")})
    assert changed.digest != asked.digest


def test_names_that_are_no_text_survive() -> None:
    asked = question(message="\udcff\x1b[31m")
    assert decoded(encoded(asked)) == asked


def damaged(**changes: Any) -> bytes:
    return json.dumps({**json.loads(encoded(question())), **changes}).encode()


@every(
    "data",
    [
        b"",
        b"{}",
        b"[]",
        b"\xff",
        b"[" * 100_000,
        encoded(question())[:-1],
        encoded(question()) + b"x",
        encoded(question()).replace(b'"stage"', b'"tool"', 1),
        encoded(question()).replace(b'{"approval_id"', b'{"approval_id":"ffffffffffffffff","approval_id"', 1),
        damaged(more=1),
        damaged(message="rm -rf /"),
        damaged(digest="0" * 64),
        damaged(format=2),
        damaged(format=True),
        damaged(asked_at=float("nan")),
        damaged(expires_at=None),
        damaged(choices=[]),
        damaged(choices=[["approve"]]),
        damaged(choices=[["", "Yes"]]),
        damaged(choices=[["approve", "Yes"], ["approve", "No"]]),
        damaged(details=[]),
    ],
)
def test_a_damaged_question_is_refused(data: bytes) -> None:
    with pytest.raises(ApprovalsUnusable, match="damaged and does not count"):
        decoded(data)


@every("at", range(0, len(encoded(question())), 7))
def test_no_changed_byte_of_what_is_shown_goes_unnoticed(at: int) -> None:
    data = bytearray(encoded(question()))
    data[at] ^= 0x01
    try:
        found = decoded(bytes(data))
    except ApprovalsUnusable:
        return
    assert found.digest == question().digest  # the same, spelled another way


@pytest.mark.parametrize(
    "wrong",
    [
        {"details": {"a": {1, 2}}},
        {"details": {"a": float("inf")}},
        {"choices": ()},
        {"choices": (("approve", "1"), ("approve", "2"))},
        {"approval_id": "../../etc/passwd"},
        {"approval_id": "ABCDEFABCDEFABCD"},
        {"expires_at": 1.0},
        {"asked_at": float("nan")},
    ],
)
def test_what_could_not_be_read_again_is_not_asked(wrong: dict[str, Any]) -> None:
    with pytest.raises(RequestError, match="cannot ask"):
        encoded(question(**wrong))


def answer(**changes: Any) -> Resolution:
    asked = question()
    return Resolution("approve", "terminal", asked.digest, asked.asked_at).but(**changes)


def test_an_answer_is_read_as_it_was_written() -> None:
    given = answer(reason="fine \x1b[0m")
    assert decoded_resolution(encoded_resolution(given), question()) == given


@pytest.mark.parametrize(
    "wrong",
    [
        {"digest": question(message="another").digest},
        {"decision": "approve-session"},
        {"by": "model"},
        {"by": "timeout"},
        {"by": "withdrawn"},
        {"at": question().expires_at + 1},
    ],
)
def test_an_answer_that_cannot_be_the_questions_does_not_count(wrong: dict[str, Any]) -> None:
    """Required: nothing but a person's answer, to this question, in time, ever approves."""
    with pytest.raises(ApprovalsUnusable, match="answer is damaged"):
        decoded_resolution(encoded_resolution(answer(**wrong)), question())


def test_the_server_may_refuse_for_nobody_at_any_time() -> None:
    given = answer(decision="abort", by="timeout", at=question().expires_at + 9)
    assert decoded_resolution(encoded_resolution(given), question()) == given


@pytest.mark.parametrize(
    ("decision", "by", "allows"),
    [
        ("approve", "client", True),
        ("approve-unsandboxed", "terminal", True),
        ("deny", "client", False),
        ("abort", "terminal", False),
        ("approve", "timeout", False),
    ],
)
def test_only_a_persons_yes_allows(decision: str, by: Any, allows: bool) -> None:
    assert answer(decision=decision, by=by).allows is allows


def test_ids_are_random_and_have_one_form() -> None:
    made = {new_approval_id() for _ in range(1000)}
    assert len(made) == 1000
    assert all(map(is_approval_id, made))
    assert not any(map(is_approval_id, ("", ID[:-1], ID + "0", ID[:-1] + "/", ID.upper())))


@pytest.mark.parametrize("decision", LIMITABLE)
def test_an_answer_with_an_end_is_read_as_it_was_written(decision: str) -> None:
    asked = question(choices=((decision, "Yes"), ("deny", "No")))
    given = Resolution(decision, "terminal", asked.digest, asked.asked_at, "", "2030-01-01T00:00:00Z", 3)
    assert decoded_resolution(encoded_resolution(given), asked) == given


@pytest.mark.parametrize(
    "wrong",
    [
        {"uses": 1},
        {"until": "2030-01-01T00:00:00Z"},
        {"decision": "approve-session", "uses": -1},
        {"decision": "approve-session", "uses": USES_MAX + 1},
        {"decision": "approve-session", "until": "tomorrow"},
        {"decision": "approve-session", "until": "2030-01-01T00:00:00"},
    ],
)
def test_an_end_that_cannot_be_kept_is_no_answer(wrong: dict[str, Any]) -> None:
    """Required: who limits an approval gets the limit or nothing."""
    asked = question(choices=(("approve", "Yes"), ("approve-session", "Yes"), ("deny", "No")))
    assert misfit(asked, answer(digest=asked.digest).but(**wrong))
