"""On whose behalf models are asked."""

from __future__ import annotations

from sandgate.config.assessor import ModelAssessment
from sandgate.model.provider import Provider
from sandgate.reviewers.asking_session import AskingSession, TurnModel, asked_about_risk


def test_a_session_without_an_agent_has_a_name_no_turns_and_no_conversation() -> None:
    """Required: nothing is taken for a person's words that nobody said."""
    asking = AskingSession("s1")
    assert (asking.session_id, asking.source, asking.turn_model, asking.conversation()) == ("s1", "", None, ())


def test_the_model_that_is_named_comes_first_then_the_turns_then_that_of_agents() -> None:
    """Required: the turn's with its provider and effort; and a turn that cannot be asked is not replaced by another."""
    mine, other = Provider("mine", "https://x.test/v1"), Provider("other", "https://y.test/v1")
    asking, named = AskingSession("s1"), ModelAssessment("small", other, "low", 1, "all")
    agents = ModelAssessment("big", mine, None, 1, "all", of_turn=True, agent_effort="high")
    assert asked_about_risk(agents, asking) == TurnModel("big", mine, "high")
    assert asked_about_risk(agents.but(model="", provider=None), asking) is None
    asking.turn_model = lambda: TurnModel("turns", mine, "medium")
    assert asked_about_risk(agents, asking) == TurnModel("turns", mine, "medium")
    assert asked_about_risk(agents.but(effort="minimal"), asking) == TurnModel("turns", mine, "minimal")
    assert asked_about_risk(named, asking) == TurnModel("small", other, "low")
    asking.turn_model = lambda: None
    assert asked_about_risk(agents, asking) is None
