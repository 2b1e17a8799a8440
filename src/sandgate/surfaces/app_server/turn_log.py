"""The turns of a thread, as a client that comes later is shown them. What is kept is limited; the oldest goes first."""

from __future__ import annotations

from collections import deque

from sandgate.surfaces.app_server.item_forms import agent_message_item, reasoning_item, text_input

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    Json = dict[str, Any]

TURNS_MAX = 500  # of one thread
CHARS_MAX = 8 * 1024 * 1024  # of text in their items
ENDINGS = {"task_complete": "completed", "turn_complete": "completed", "turn_aborted": "interrupted", "error": "failed"}


class TurnLog:
    """Of one thread."""

    def __init__(self, earlier: Iterable[Json] = ()) -> None:
        self._turns: deque[Json] = deque()
        self._weights: deque[int] = deque()
        self._chars = 0
        for turn in earlier:
            self.begin(turn)

    def begin(self, turn: Json) -> None:
        """Another turn."""
        weight = sum(map(_weight, turn["items"]))
        self._turns.append(turn)
        self._weights.append(weight)
        self._chars += weight
        self._forget()

    def add(self, item: Json) -> None:
        """An item of the last turn is over."""
        if not self._turns:
            return
        self._turns[-1]["items"].append(item)
        self._weights[-1] += _weight(item)
        self._chars += _weight(item)
        self._forget()

    def turns(self) -> list[Json]:
        """Oldest first, with their items."""
        return [{**turn, "items": list(turn["items"])} for turn in self._turns]

    def _forget(self) -> None:
        while len(self._turns) > 1 and (len(self._turns) > TURNS_MAX or self._chars > CHARS_MAX):
            self._turns.popleft()
            self._chars -= self._weights.popleft()


def new_turn(turn_id: str, *, view: str = "full", started_at: int | None = None) -> Json:
    """A turn that begins."""
    return {
        "id": turn_id,
        "rootTurnId": turn_id,
        "items": [],
        "itemsView": view,
        "status": "inProgress",
        "error": None,
        "startedAt": started_at,
        "completedAt": None,
        "durationMs": None,
    }


def without_items(turn: Json) -> Json:
    """The turn alone."""
    return {**turn, "items": [], "itemsView": "notLoaded"}


def turn_error(message: str, details: str | None = None) -> Json:
    """Why a turn failed."""
    return {"message": message, "codexErrorInfo": None, "additionalDetails": details}


def past_turns(kept: Iterable[Mapping[str, Any]]) -> list[Json]:
    """The turns of a session that was closed, from the events that are kept: what was said, and how they ended."""
    turns: list[Json] = []
    for number, event in enumerate(kept):
        kind = event.get("type")
        if kind in ("task_started", "turn_started"):
            started = event.get("started_at")
            turn = new_turn(
                str(event.get("turn_id") or f"turn-{number}"),
                view="summary",
                started_at=started if isinstance(started, int) else None,
            )
            turns.append({**turn, "status": "interrupted"})  # what has no end was cut off
        elif turns:
            _happened(turns[-1], event, f"{turns[-1]['id']}-{number}")
    return turns


def _happened(turn: Json, event: Mapping[str, Any], item_id: str) -> None:
    kind = str(event.get("type"))
    if kind in ENDINGS:
        turn["status"] = ENDINGS[kind]
        for name, of in (("completedAt", "completed_at"), ("durationMs", "duration_ms")):
            turn[name] = event.get(of) if isinstance(event.get(of), int) else None
        turn["error"] = turn_error(str(event.get("message") or "")) if kind == "error" else None
        return
    item: Json | None = None
    text = event.get("message") if kind != "agent_reasoning" else event.get("text")
    match kind:
        case "user_message":
            item = {"type": "userMessage", "id": item_id, "clientId": None, "content": [text_input(str(text))]}
        case "agent_message":
            item = {**agent_message_item(item_id, None), "text": str(text)}
        case "agent_reasoning":
            item = {**reasoning_item(item_id, None), "summary": [str(text)]}
    if item is not None:
        turn["items"].append({**item, "startedAtMs": None, "completedAtMs": None})


def _weight(item: Json) -> int:
    weight, left = 0, list[object]((item,))
    while left:
        value = left.pop()
        match value:
            case str():
                weight += len(value)
            case dict():
                left.extend(value.values())
            case list():
                left.extend(value)
    return weight
