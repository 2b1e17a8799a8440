"""On whose behalf models are asked."""

from __future__ import annotations

from sandgate.reviewers.asking_session import AskingSession


def test_a_session_without_an_agent_has_a_name_no_turns_and_no_conversation() -> None:
    """Required: nothing is taken for a person's words that nobody said."""
    asking = AskingSession("s1")
    assert (asking.session_id, asking.source, asking.turn_model, asking.conversation()) == ("s1", "", None, ())
