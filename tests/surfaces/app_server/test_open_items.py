from __future__ import annotations

from typing import Any

from sandgate.surfaces.app_server import open_items
from sandgate.surfaces.app_server.open_items import OpenItems

COMMAND = {"type": "commandExecution", "status": "inProgress", "exitCode": None, "processId": None}


class Told:
    def __init__(self) -> None:
        self.told: list[tuple[str, Any]] = []
        self.items = OpenItems("thread", lambda method, params: self.told.append((method, params["item"])))

    def names(self) -> list[tuple[str, str]]:
        return [(method.removeprefix("item/"), item["id"]) for method, item in self.told]


def test_an_item_begins_once_and_ends_once() -> None:
    told = Told()
    told.items.begin({**COMMAND, "id": "c"}, "turn")
    told.items.begin({**COMMAND, "id": "c", "processId": "7"}, "turn")
    ended = told.items.end({"id": "c", "status": "completed", "exitCode": 0}, "turn")
    assert told.names() == [("started", "c"), ("completed", "c")]
    assert (ended["processId"], ended["exitCode"], ended["startedAtMs"] <= ended["completedAtMs"]) == ("7", 0, True)
    assert "c" not in told.items


def test_what_ends_without_a_beginning_is_told_to_have_begun() -> None:
    told = Told()
    told.items.end({**COMMAND, "id": "c", "status": "failed"}, "turn")
    assert told.names() == [("started", "c"), ("completed", "c")]


def test_with_the_turn_everything_is_over_as_what_became_of_it() -> None:
    told = Told()
    for name in ("cut off", "refused", "lives"):
        told.items.begin({**COMMAND, "id": name}, "turn")
    told.items.begin({"type": "agentMessage", "id": "said", "text": "half"}, "turn")
    told.items.lives_on("lives", processId="7")
    ended = {item["id"]: item.get("status") for item in told.items.end_all({"refused"})}
    assert ended == {"cut off": "failed", "refused": "declined", "lives": "completed", "said": None}
    assert told.items.was_left("lives")
    assert not told.items.was_left("cut off")
    assert told.items.end_all(set()) == []


def test_more_than_a_turn_may_have_open_is_not_begun(monkeypatch: Any) -> None:
    monkeypatch.setattr(open_items, "OPEN_MAX", 1)
    told = Told()
    told.items.begin({**COMMAND, "id": "one"}, "turn")
    told.items.begin({**COMMAND, "id": "two"}, "turn")
    told.items.end({**COMMAND, "id": "two", "status": "completed"}, "turn")
    assert told.names() == [("started", "one"), ("completed", "two")]


def test_characters_that_were_cut_wait_for_their_rest() -> None:
    told = Told()
    told.items.begin({**COMMAND, "id": "c"}, "turn")
    pieces = [told.items.output("c", bytes([byte])) for byte in "é\n".encode()]
    assert pieces == ["", "é", "\n"]
    assert told.items.output("c", b"\xff") == "\ufffd"


def test_what_outlives_its_turn_shows_the_end_of_what_it_has_printed(monkeypatch: Any) -> None:
    monkeypatch.setattr(open_items, "OUTPUT_CHARS_MAX", 4)
    told = Told()
    told.items.begin({**COMMAND, "id": "c", "aggregatedOutput": None}, "turn")
    for piece in (b"star", b"ted\n"):
        told.items.output("c", piece)
    told.items.lives_on("c", processId="7")
    (ended,) = told.items.end_all(set())
    assert (ended["status"], ended["aggregatedOutput"]) == ("completed", "ted\n")
