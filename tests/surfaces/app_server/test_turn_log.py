from __future__ import annotations

from typing import Any

from sandgate.surfaces.app_server import turn_log
from sandgate.surfaces.app_server.turn_log import TurnLog, new_turn, past_turns


def item(text: str) -> dict[str, Any]:
    return {"type": "agentMessage", "id": "m", "text": text}


def test_turns_are_shown_with_their_items_and_a_copy_does_not_grow() -> None:
    log = TurnLog()
    log.add(item("before any turn"))
    log.begin(new_turn("t1"))
    log.add(item("one"))
    shown = log.turns()
    log.add(item("two"))
    assert [[each["text"] for each in turn["items"]] for turn in shown] == [["one"]]
    assert len(log.turns()[0]["items"]) == 2


def test_the_oldest_turns_go_when_there_are_too_many_or_too_much_text(monkeypatch: Any) -> None:
    monkeypatch.setattr(turn_log, "TURNS_MAX", 3)
    log = TurnLog(new_turn(f"t{number}") for number in range(5))
    assert [turn["id"] for turn in log.turns()] == ["t2", "t3", "t4"]
    monkeypatch.setattr(turn_log, "CHARS_MAX", 100)
    log.add(item("x" * 200))
    assert [turn["id"] for turn in log.turns()] == ["t4"]


def test_what_a_transcript_keeps_becomes_turns_and_what_has_no_end_was_cut_off() -> None:
    kept: list[dict[str, Any]] = [
        {"type": "user_message", "message": "before any turn"},
        {"type": "task_started", "turn_id": "a", "started_at": 7},
        {"type": "user_message", "message": "hello"},
        {"type": "agent_reasoning", "text": "hm"},
        {"type": "agent_message", "message": "hi"},
        {"type": "token_count"},
        {"type": "task_complete", "turn_id": "a", "completed_at": 9, "duration_ms": 2000},
        {"type": "task_started", "turn_id": "b"},
        {"type": "error", "message": "no money"},
        {"type": "turn_started", "turn_id": "c", "started_at": "nonsense"},
    ]
    first, second, third = past_turns(kept)
    assert [each["type"] for each in first["items"]] == ["userMessage", "reasoning", "agentMessage"]
    assert (first["status"], first["startedAt"], first["completedAt"], first["durationMs"]) == ("completed", 7, 9, 2000)
    assert (second["status"], second["error"]["message"]) == ("failed", "no money")
    assert (third["status"], third["startedAt"]) == ("interrupted", None)
