"""What is said is shown, kept, told and counted in step."""

from __future__ import annotations

from sandgate.protocol.events import TokenCount
from sandgate.protocol.items import FunctionCall, FunctionCallOutput, InputText, Message, user_message
from sandgate.protocol.usage import TokenInfo, TokenUsage
from sandgate.session.conversation import Conversation
from sandgate.session.event_log import EventLog
from sandgate.session.history import History
from support.agent.session_doubles import TranscriptDouble

WINDOW = 1000


def conversation() -> tuple[Conversation, TranscriptDouble]:
    transcript = TranscriptDouble()
    return Conversation(History(), transcript, EventLog()), transcript


def test_what_the_model_sees_again_is_what_is_kept() -> None:
    """Required: an answer is cut once, and a resumed session shows the same bytes."""
    talk, transcript = conversation()
    system = Message("system", (InputText("obey"),))
    talk.record((user_message("hi"), system, FunctionCallOutput("nothing", "asked"), FunctionCall("t", "{}", "c")))
    talk.record((FunctionCallOutput("c", "x\n" * 100_000),))
    assert tuple(transcript.items) == talk.history.items
    assert len(transcript.items) == 3
    assert len(str(transcript.items[-1])) < 100_000


def test_a_response_is_added_to_what_was_used_and_told() -> None:
    talk, transcript = conversation()
    first, second = TokenUsage(input_tokens=10, total_tokens=10), TokenUsage(output_tokens=5, total_tokens=15)
    talk.count("t", first, WINDOW)
    talk.count("t", None, WINDOW)  # a provider that does not say
    talk.count("t", second, None)
    assert talk.info == TokenInfo(first.plus(second), second, WINDOW)
    assert [event for event in transcript.events if isinstance(event, TokenCount)][-1] == TokenCount(talk.info)
    assert talk.tokens == 15


def test_what_follows_a_response_is_estimated_and_a_summary_counts_alone() -> None:
    talk, _ = conversation()
    talk.record((user_message("x" * 4000),))
    assert talk.tokens >= 1000
    talk.count("t", TokenUsage(total_tokens=900), WINDOW)
    assert talk.tokens == 900
    talk.replace((user_message("short"),), summary="short")
    assert talk.tokens < 100


def test_a_provider_that_has_no_room_fills_the_gauge() -> None:
    talk, _ = conversation()
    talk.fill("t", None)
    assert talk.info is None
    talk.fill("t", WINDOW)
    assert talk.info is not None
    assert talk.info.total.total_tokens == WINDOW
    assert talk.info.remaining_percent == 0
