"""What `sandgate run --json` writes, found out by having it written: every kind of record, with every kind of value."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, get_args

from sandgate.errors import SandgateError, beyond_commands, command
from sandgate.protocol.decisions import Passage
from sandgate.protocol.trace import ApprovalUpdated, RiskAssessed
from sandgate.reference.hints import alias
from sandgate.reference.observed import ObservedJson
from sandgate.reference.samples import FAMILIES, samples
from sandgate.surfaces.cli.jsonlines import JsonLines

Json = dict[str, Any]


class Kind:
    """One type of event: what it is about, and what was seen of it."""

    def __init__(self, about: str) -> None:
        self.about = about
        self.seen = ObservedJson()


class Collected(JsonLines):
    """Keeps what would be written."""

    def __init__(self, kinds: dict[str, Kind]) -> None:
        super().__init__()
        self._kinds = kinds
        self.about = ""
        self.family = 0

    def emit(self, event: Json) -> None:
        """Instead of a line: what is seen of its type."""
        kind = self._kinds.setdefault(event["type"], Kind(self.about))
        kind.seen.add({"type": event["type"], "seq": 1, **event}, self.family)


def run_events() -> dict[str, Kind]:
    """Every type of event, in the order in which a run tells them."""
    kinds: dict[str, Kind] = {}
    for number, family in enumerate(FAMILIES):
        for record in get_args(alias("sandgate.protocol.trace", "TraceRecord")):
            for sample in samples(record, family):
                writer = _writer(kinds, record.__doc__, number)
                _told(writer, sample)
                if record is RiskAssessed:  # an answer is told with the words that come next
                    _told(writer, samples(ApprovalUpdated, family)[0])
        _ends(kinds, number)
    return kinds


def _told(writer: JsonLines, record: Any) -> None:
    with suppress(AssertionError):  # the value says of itself that it cannot be: an attempt in a report has ended
        writer(record)


def _ends(kinds: dict[str, Kind], number: int) -> None:
    about = "The last line, once in every run."
    for passage in samples(Passage, FAMILIES[number]):
        with suppress(AssertionError):
            _writer(kinds, about, number).completed(passage, FAMILIES[number].number)
    for problem in _problems(FAMILIES[number].text):
        _writer(kinds, about, number).failed(problem, FAMILIES[number].number)
    _writer(kinds, about, number).interrupted()


def _problems(text: str) -> list[SandgateError]:
    return [kind(text) for kind in error_kinds()]


def error_kinds() -> list[type[SandgateError]]:
    """Every error of ours, by name."""
    everything = [*vars(command).values(), *vars(beyond_commands).values()]
    kinds = {each for each in everything if isinstance(each, type) and issubclass(each, SandgateError)}
    return sorted(kinds, key=lambda kind: kind.__name__)


def _writer(kinds: dict[str, Kind], about: str | None, number: int) -> Collected:
    writer = Collected(kinds)
    writer.about, writer.family = about or "", number
    return writer
