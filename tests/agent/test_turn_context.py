"""What the model is told of where it works: all of it, then what changed, and all of it again after a summary."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

from sandgate.agent.turn_context import Situation
from sandgate.config.agent import agent_settings
from sandgate.protocol.items import message_text, user_message
from support.terminal.live_sessions import Workplace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandgate.runtime import Runtime

pytestmark = pytest.mark.host("namespace", "notify")


def of(runtime: Runtime, **values: Any) -> Situation:
    return Situation(runtime, agent_settings(values))


def texts(items: Sequence[Any]) -> list[str]:
    return [message_text(item) for item in items]


def test_everything_is_told_once_and_then_what_changed(place: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    (place.repo / ".git").mkdir()
    (place.repo / "AGENTS.md").write_text("Be polite.")
    here = of(place.session())
    monkeypatch.setattr(time, "strftime", lambda _form: "2026-01-01")
    first = here.news(())
    assert ["Be polite." in text for text in texts(first)] == [True, False]
    assert "<cwd>" in texts(first)[1]
    assert here.news(first) == ()
    monkeypatch.setattr(time, "strftime", lambda _form: "2026-01-02")
    (update,) = texts(here.news(first))
    assert "2026-01-02" in update
    assert "<cwd>" not in update


def test_after_a_summary_it_is_told_again(place: Workplace) -> None:
    here = of(place.session())
    first = here.news(())
    assert here.news((user_message("only what a person said"),)) == first


def test_a_resumed_session_is_told_only_what_changed_meanwhile(
    place: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "strftime", lambda _form: "2026-01-01")
    before = of(place.session())
    first = before.news(())
    kept = before.context()
    same = of(place.session())
    same.resumed(kept)
    assert same.news(first) == ()
    later = of(place.session())
    monkeypatch.setattr(time, "strftime", lambda _form: "2026-01-02")
    later.resumed(kept)
    (update,) = texts(later.news(first))
    assert "2026-01-02" in update


@pytest.mark.parametrize(
    "context",
    [
        None,
        {},
        {"surroundings": 3},
        {"surroundings": {"unknown": 1}},
        {"surroundings": {"writable_roots": 3}},
        {"surroundings": {"cwd": 3, "timezone": None, "writable_roots": [1, {}], "sandbox_mode": ["x"]}},
    ],
)
def test_a_context_that_makes_no_sense_is_told_over(place: Workplace, context: Any) -> None:
    """Required: a damaged transcript does not keep a session from going on."""
    here = of(place.session())
    first = here.all()
    again = of(place.session())
    again.resumed(context)
    assert texts(again.news(first))


def test_the_zone_has_a_name(monkeypatch: pytest.MonkeyPatch, place: Workplace) -> None:
    monkeypatch.setenv("TZ", ":Europe/Zurich")
    assert "<timezone>Europe/Zurich</timezone>" in texts(of(place.session()).news(()))[-1]
