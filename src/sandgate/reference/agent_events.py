"""What `sandgate agent --json` writes: threads, turns and items, found out by having every event of a session told."""

from __future__ import annotations

from typing import Any

from sandgate.protocol.events import Event, SessionConfigured, TaskComplete, TaskStarted
from sandgate.protocol.events_wire import NAMES
from sandgate.record import RecordType
from sandgate.reference.run_events import Kind
from sandgate.reference.samples import FAMILIES, Family, samples
from sandgate.surfaces.cli.thread_events import ThreadEvents

Json = dict[str, Any]

BEGINNINGS = {
    "End": "Begin",
    "ApprovalResolved": "ExecApprovalRequest",
    "Delta": "Begin",
    "Continues": "Begin",
    "TerminalInteraction": "ExecCommandBegin",
}
"""How the event is called that an end belongs to: an item is complete only if it was begun."""


ITEM_LINES = {
    "item.started": "An item begins; it is told again when it is over, under the same id.",
    "item.updated": "More is known of an item that is not over.",
    "item.completed": "An item is over. What is over at once is told only so.",
}


def agent_events() -> tuple[dict[str, Kind], dict[str, Kind]]:
    """Every type of line, and every type of item in those that are about one."""
    lines: dict[str, Kind] = {}
    items: dict[str, Kind] = {}
    for number, family in enumerate(FAMILIES):
        for record in NAMES:
            for line, about in _told(record, family):
                _add(line, about, number, lines, items)
    return lines, items


def _told(record: type, family: Family) -> list[tuple[Json, str]]:
    """The lines of turns in which that happens, by itself and after what begins it, and what each is about."""
    assert isinstance(record, RecordType)
    found: list[tuple[Json, str]] = []
    first, start, end = (samples(each, family)[0] for each in (SessionConfigured, TaskStarted, TaskComplete))
    begun = [beginning for each in _beginnings(record) for beginning in samples(each, family)[:1]]
    for sample in samples(record, family):
        for before in ([], begun):
            found += _folded([first, start, *before, sample, end], family, None)
        found += _folded([first, start, *begun, sample], family, {"id": family.text, "kind": family.text})
    return found


def _folded(messages: list[Any], family: Family, delegate: dict[str, str] | None) -> list[tuple[Json, str]]:
    """The lines of a stream of these; `delegate`: the sub-agent to which all of it happens."""
    found, stream = list[tuple[Json, str]](), ThreadEvents(family.text)
    for place, message in enumerate(messages):
        about = type(message).__doc__ or ""
        found += [(line, about) for line in stream(Event(family.text, place, message, delegate))]
    return found


def _beginnings(record: type) -> list[RecordType]:
    name = record.__name__
    wanted = {name.replace(end, begin) for end, begin in BEGINNINGS.items() if end in name}
    return [each for each in NAMES if each.__name__ in wanted and isinstance(each, RecordType)]


def _add(line: Json, about: str, number: int, lines: dict[str, Kind], items: dict[str, Kind]) -> None:
    shown = dict(line)
    if isinstance(item := shown.get("item"), dict):
        items.setdefault(item["type"], Kind(about)).seen.add(item, number)
        shown["item"] = {}
    lines.setdefault(line["type"], Kind(ITEM_LINES.get(line["type"], about))).seen.add(shown, number)
