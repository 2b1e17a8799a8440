"""What a conversation is replaced by."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.protocol.items import (
    FunctionCall,
    FunctionCallOutput,
    InputImage,
    InputText,
    Message,
    OutputText,
    message_text,
    user_message,
)
from sandgate.session.compaction import KEPT_TOKENS, NO_SUMMARY, compacted, compaction_limit, rebuilt
from sandgate.session.environment_message import TurnEnvironment, environment_context
from sandgate.session.notices import turn_aborted
from sandgate.session.synthetic_messages import SUMMARY_PREFIX, real_user_messages
from sandgate.tools.truncation import token_estimate

FIRST, SECOND, THIRD = map(user_message, ("make it green", "faster", "and now the docs"))
AGENTS = user_message("# AGENTS.md instructions for /repo\n\n<INSTRUCTIONS>\nbe brief\n</INSTRUCTIONS>")
HERE = environment_context(TurnEnvironment("/repo"))
THERE = environment_context(TurnEnvironment("/there"))
WORK = (
    Message("assistant", (OutputText("looking"),)),
    FunctionCall("exec_command", "{}", "a"),
    FunctionCallOutput("a", "done"),
    turn_aborted(),
)


def summary(text: str) -> Message:
    return user_message(f"{SUMMARY_PREFIX}\n{text}")


def test_the_persons_messages_and_the_summary_are_kept_and_the_work_is_not() -> None:
    """Required: within a turn the context stands before the last thing the person said."""
    items = (AGENTS, HERE, FIRST, *WORK, SECOND, *WORK)
    assert compacted((), items, "did it") == (FIRST, SECOND, summary("did it"))
    assert compacted((AGENTS, HERE), items, "did it") == (FIRST, AGENTS, HERE, SECOND, summary("did it"))
    assert compacted((AGENTS,), (), " ") == (AGENTS, summary(NO_SUMMARY))


def test_a_second_compaction_keeps_newer_messages_and_only_the_newer_summary() -> None:
    """Required: a summary is not nested in the next."""
    once = compacted((), (FIRST, SECOND, *WORK), "first half")
    assert compacted((), (*once, THIRD, *WORK), "all of it") == (FIRST, SECOND, THIRD, summary("all of it"))


def test_the_newest_words_are_kept_and_the_message_that_overflows_loses_its_middle() -> None:
    long = user_message("begin " + "x" * 4 * KEPT_TOKENS + " end")
    kept = compacted((), (FIRST, long, SECOND), "s")
    assert kept[1:] == (SECOND, summary("s"))
    assert isinstance(kept[0], Message)
    cut = message_text(kept[0])
    assert (cut[:6], cut[-4:]) == ("begin ", " end")
    assert KEPT_TOKENS - 10 < token_estimate(len(cut.encode())) <= KEPT_TOKENS - token_estimate(len("faster"))


def test_a_budget_used_up_exactly_leaves_nothing_of_older_messages() -> None:
    full = user_message("x" * 4 * KEPT_TOKENS)
    assert compacted((), (FIRST, full), "s") == (full, summary("s"))


def test_pictures_are_not_kept_and_the_text_with_them_is() -> None:
    """Our choice: the summary says what was seen; a picture costs more than it tells."""
    shown = Message("user", (InputText("look"), InputImage("data:,x"), InputText("there")))
    assert compacted((), (Message("user", (InputImage("data:,x"),)), shown), "s") == (
        user_message("look\nthere"),
        summary("s"),
    )


@given(st.lists(st.text(st.sampled_from("aé\n"), max_size=40).map(lambda text: user_message(text * 900)), max_size=8))
def test_whatever_was_said_what_is_kept_fits_the_budget_and_stays_in_order(said: list[Message]) -> None:
    *kept, last = compacted((), said, "s")
    assert last == summary("s")
    texts = [message_text(message) for message in kept if isinstance(message, Message)]
    assert sum(token_estimate(len(text.encode())) for text in texts) <= KEPT_TOKENS + 10
    whole = [message_text(message) for message in said if message_text(message).strip()]
    assert texts[1:] == whole[len(whole) - len(texts) + 1 :]


def test_an_old_transcript_is_rebuilt_from_what_it_tells() -> None:
    """Required: replay; its own mark before the summary is not doubled."""
    items = (AGENTS, HERE, FIRST, *WORK, THERE, SECOND, *WORK)
    once = rebuilt(items, "did it")
    assert once == (FIRST, AGENTS, HERE, THERE, SECOND, summary("did it"))
    assert rebuilt(once, message_text(summary("again"))) == (FIRST, AGENTS, HERE, THERE, SECOND, summary("again"))
    assert real_user_messages(once) == (FIRST, SECOND)


@pytest.mark.parametrize(
    ("configured", "window", "limit"),
    [(None, None, None), (500, None, 500), (None, 1000, 900), (500, 1000, 500), (950, 1000, 900)],
)
def test_compaction_begins_at_the_smaller_of_the_setting_and_nine_tenths_of_the_window(
    configured: int | None, window: int | None, limit: int | None
) -> None:
    """Required."""
    assert compaction_limit(configured, window) == limit
