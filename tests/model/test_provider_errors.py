"""What a provider complains about, and which error that is."""

from __future__ import annotations

import pytest

from sandgate.errors import ContextWindowExceeded, ModelFailed, RequestTurnedAway, StreamBroken, UsageLimitReached
from sandgate.model.provider_errors import Complaint, broken_by, complaint_in, complaint_of
from sandgate.model.quoting import Quoting


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        (b'{"error":{"code":"c","type":"t","message":"m"}}', Complaint("c", "t", "m")),
        (b'{"error":"m"}', Complaint(message="m")),
        (b'{"detail":"m"}', Complaint(message="m")),
        (b'{"message":"m","code":400}', Complaint(message="m")),
        (b'"m"', Complaint(message="m")),
        (b"<html>busy</html> ", Complaint(message="<html>busy</html>")),
        (b"\xff", Complaint(message="\ufffd")),
        (b"[1]", Complaint()),
        (b'{"error":{"code":null,"message":["m"]}}', Complaint()),
        (b"[" * 100_000, Complaint(message="[" * 100_000)),
        (b"", Complaint()),
    ],
)
def test_a_complaint_is_found_in_every_common_body(body: bytes, complaint: Complaint) -> None:
    assert complaint_in(body) == complaint


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("context_length_exceeded", ContextWindowExceeded),
        ("insufficient_quota", UsageLimitReached),
        ("usage_limit_reached", UsageLimitReached),
        ("invalid_prompt", RequestTurnedAway),
        ("cyber_policy", RequestTurnedAway),
        ("server_is_overloaded", ModelFailed),
        ("slow_down", ModelFailed),
        ("server_error", StreamBroken),
        ("", StreamBroken),
    ],
)
def test_each_code_leads_to_what_a_caller_can_do(code: str, kind: type) -> None:
    """Required."""
    error = broken_by(complaint_of({"code": code, "message": "words"}), Quoting())
    assert (type(error), error.why) == (kind, "words")


def test_only_a_rate_limit_says_when_to_come_back() -> None:
    message = "Please try again in 1.5s."
    limited = broken_by(Complaint("rate_limit_exceeded", "", message), Quoting())
    other = broken_by(Complaint("server_error", "", message), Quoting())
    assert isinstance(limited, StreamBroken)
    assert isinstance(other, StreamBroken)
    assert (limited.retry_after_ms, other.retry_after_ms) == (1_500, None)


def test_a_code_stands_in_for_words_that_are_missing() -> None:
    assert str(broken_by(Complaint("server_error"), Quoting())) == "the model failed: server_error"
