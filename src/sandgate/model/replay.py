"""What a model was asked and said, written down, and said again without a network.

A recording has one JSON object a line, one line a request: its number in one life of a model (`run`), what decides the
answer (`asked`), what came (`events`), and how it ended when that was an error. A replay takes requests about in the
order in which they were placed, and holds each one against the recorded one, but for what every run has of its own
(`run_specific.py`), so that a change shows where it is.
"""

from __future__ import annotations

import json
import os
import stat

from sandgate.display import visible
from sandgate.errors import ModelError, ModelFailed, RequestError, StreamBroken, beyond_commands
from sandgate.model.run_specific import Steady, renumbered
from sandgate.model.scripted import SCRIPT_BYTES_MAX, shown_file
from sandgate.model.streamed_json import as_event, model_event_json
from sandgate.model.streaming import Completed
from sandgate.protocol.items_wire import item_json
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from typing import Any

    from sandgate.model.prompt import Asking, ModelSettings, Prompt
    from sandgate.model.streaming import Model, ModelEvent

    Json = dict[str, Any]

RUN_BYTES = 8
AHEAD_MAX = 16  # requests among which one is looked for: sub-agents ask side by side, in no order
EXCERPT_CHARS = 60  # of a value in a message
AGREEING_CHARS = 20  # of two texts, shown before they part


class Recorded(Record):
    """One request and what came of it."""

    asked: Json
    events: tuple[ModelEvent, ...]
    error: ModelError | None


class RecordingModel:
    """Any model, with every request appended to a file that only its owner can read. It holds the conversation.

    The file is opened before anything runs: a command may put a link or a pipe in its place meanwhile, and writing into
    a pipe would hold the whole session. Raises RequestError.
    """

    def __init__(self, model: Model, path: str) -> None:
        self.settings = model.settings
        self._model = model
        self._path = path
        self._file = _opened(path)
        self._run = os.urandom(RUN_BYTES).hex()
        self._number = 0

    async def stream(self, prompt: Prompt, asking: Asking) -> AsyncGenerator[ModelEvent, None]:
        """The model's own answer, written down when it has ended, however that was."""
        number = self._number
        self._number += 1
        asked = asked_json(prompt, prompt.how or self.settings)
        line: Json = {"run": self._run, "number": number, "asked": asked, "events": []}
        answer = self._model.stream(prompt, asking)
        try:
            async for event in answer:
                line["events"].append(model_event_json(event))
                yield event
        except ModelError as error:
            delay = {"retry_after_ms": error.retry_after_ms} if isinstance(error, StreamBroken) else {}
            line["error"] = {"code": error.code, "what": error.what, "why": error.why, **delay}
            raise
        finally:
            self._append(line)
            if hasattr(answer, "aclose"):
                await answer.aclose()

    async def close(self) -> None:
        """Close the model, and the file."""
        file, self._file = self._file, -1
        if file >= 0:
            os.close(file)
        await self._model.close()

    def _append(self, line: Json) -> None:
        data = json.dumps(line, separators=(",", ":")).encode() + b"\n"
        try:
            while data:
                data = data[os.write(self._file, data) :]
        except OSError as problem:
            why = problem.strerror or ""
            raise ModelFailed(f"the recording {shown_file(self._path)} cannot be written", why=why) from None


def _opened(path: str) -> int:
    """A descriptor of a file of ours, to be added to. Raises RequestError."""
    # A name that is a link leads to a place that another program may have chosen; a pipe without a reader never opens.
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        file = os.open(path, flags, 0o600)
    except OSError as problem:
        raise RequestError(f"the recording {shown_file(path)} cannot be written", why=problem.strerror or "") from None
    found = os.fstat(file)
    if stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid():
        return file
    os.close(file)
    why = "it belongs to another user" if stat.S_ISREG(found.st_mode) else "it is not a regular file"
    raise RequestError(f"the recording {shown_file(path)} cannot be written", why=why)


class ReplayingModel:
    """Says again what was recorded. Raises RequestError when the file is no recording."""

    def __init__(self, path: str, settings: ModelSettings) -> None:
        self.settings = settings
        self._path = path
        self._recorded = read_recording(path)
        self._left = [*range(len(self._recorded))]

    async def stream(self, prompt: Prompt, asking: Asking) -> AsyncGenerator[ModelEvent, None]:
        """The recorded answer, with its error. Raises ModelFailed for a request that differs, or was not recorded."""
        del asking
        recorded, numbers = self._taken(Steady(asked_json(prompt, prompt.how or self.settings)))
        for event in recorded.events:
            yield renumbered(event, numbers)
        if recorded.error is not None:
            raise recorded.error
        if not recorded.events or not isinstance(recorded.events[-1], Completed):
            raise StreamBroken("the recorded answer was not read to its end")

    def _taken(self, now: Steady) -> tuple[Recorded, dict[str, str]]:
        """The recorded request, which is used up, and the numbers its commands have here."""
        differences = []
        for place in self._left[:AHEAD_MAX]:
            was = Steady(self._recorded[place].asked)
            difference = first_difference(was.asked, now.asked)
            if not difference:
                self._left.remove(place)
                return self._recorded[place], dict(zip(was.numbers, now.numbers, strict=True))
            differences.append(difference)
        if not differences:
            raise ModelFailed(f"the recording {shown_file(self._path)} has {len(self._recorded)} requests and no more")
        number = self._left.pop(0) + 1
        raise ModelFailed(f"request {number} is not the recorded one of {shown_file(self._path)}", why=differences[0])

    async def close(self) -> None:
        """Nothing is held."""


def asked_json(prompt: Prompt, settings: ModelSettings) -> Json:
    """What of a request decides the answer; nothing of the session that asks, which is another one every time."""
    asked = {
        **settings.fields(),
        "instructions": prompt.instructions,
        "input": [item_json(item) for item in prompt.input],
        "tools": [dict(tool) for tool in prompt.tools],
        "parallel_tool_calls": prompt.parallel_tool_calls,
        "output_schema": None if prompt.output_schema is None else dict(prompt.output_schema),
    }
    return dict(json.loads(json.dumps(asked)))  # as it will be read: without tuples


def first_difference(recorded: object, asked: object, at: str = "") -> str:
    """Where two JSON values part, and what stands there; "" when they do not."""
    if isinstance(recorded, dict) and isinstance(asked, dict):
        for name in (*recorded, *(name for name in asked if name not in recorded)):
            place = f"{at}.{name}" if at else str(name)
            if name not in asked or name not in recorded:
                return f"`{visible(place)}` is only in the {'recorded' if name in recorded else 'new'} request"
            if found := first_difference(recorded[name], asked[name], place):
                return found
        return ""
    if isinstance(recorded, list) and isinstance(asked, list):
        for index, (one, other) in enumerate(zip(recorded, asked, strict=False)):
            if found := first_difference(one, other, f"{at}[{index}]"):
                return found
        return "" if len(recorded) == len(asked) else f"`{visible(at)}` has {len(asked)} entries, not {len(recorded)}"
    # True and 1 are equal to Python, and not to a provider.
    if recorded == asked and type(recorded) is type(asked):
        return ""
    one, other = _excerpts(recorded, asked)
    return f"`{visible(at)}` is {other}, and was {one}"


def _excerpts(recorded: object, asked: object) -> tuple[str, str]:
    one, other = (json.dumps(value, ensure_ascii=False) for value in (recorded, asked))
    parting = (at for at, (mine, yours) in enumerate(zip(one, other, strict=False)) if mine != yours)
    start = max(next(parting, min(len(one), len(other))) - AGREEING_CHARS, 0)
    return visible(one[start:], limit=EXCERPT_CHARS), visible(other[start:], limit=EXCERPT_CHARS)


def read_recording(path: str) -> tuple[Recorded, ...]:
    """All requests in the order in which they were placed. Raises RequestError."""
    try:
        with open(path, "rb") as file:
            content = file.read(SCRIPT_BYTES_MAX + 1)
    except OSError as problem:
        raise RequestError(f"the recording {shown_file(path)} cannot be read", why=problem.strerror or "") from None
    if len(content) > SCRIPT_BYTES_MAX:
        raise RequestError(f"the recording {shown_file(path)} has more than {SCRIPT_BYTES_MAX} bytes")
    runs: dict[str, int] = {}  # in the order of their first lines
    found = {}
    for index, line in enumerate(content.splitlines(), 1):
        try:
            value = json.loads(line)
            events = tuple(as_event(event) for event in value["events"])
            run = runs.setdefault(str(value["run"]), len(runs))
            found[run, int(value["number"])] = Recorded(dict(value["asked"]), events, _error_of(value.get("error")))
        except (ValueError, KeyError, TypeError, RecursionError):
            raise RequestError(f"the recording {shown_file(path)}, line {index} is not a recorded request") from None
    return tuple(found[place] for place in sorted(found))


def _error_of(value: Json | None) -> ModelError | None:
    if value is None:
        return None
    if value["code"] == StreamBroken.code:
        return StreamBroken(value["what"], why=value["why"], retry_after_ms=value["retry_after_ms"])
    known = (each for each in vars(beyond_commands).values() if isinstance(each, type) and issubclass(each, ModelError))
    kind = next((each for each in known if each.code == value["code"]), ModelFailed)
    return kind(value["what"], why=value["why"])
