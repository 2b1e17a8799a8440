"""What the model does, as tool calls of the protocol: each is told to begin once, and has one end before its turn's."""

from __future__ import annotations

import asyncio
from codecs import getincrementaldecoder

from acp.helpers import start_tool_call, update_tool_call

from sandgate.surfaces.acp.content import OUTPUT_CHARS_MAX, output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeAlias

    from acp.schema import ToolCallLocation, ToolCallStatus, ToolKind

    from sandgate.surfaces.acp.content import Content

    Tell = Callable[[Any], object]
    Key: TypeAlias = tuple[str, str]  # the sub-agent's id, "" for the session itself, and what the model calls it

OPEN_MAX = 512  # of one session; what begins beyond that is told at its end alone
OUTPUT_PAUSE_SECONDS = 0.1  # between two looks that a client gets at what a command prints


class ShownCall:
    """One that is open."""

    def __init__(self, call_id: str, title: str, kind: ToolKind) -> None:
        self.id = call_id
        self.title = title
        self.kind: ToolKind = kind
        self.locations: list[ToolCallLocation] = []
        self.raw_input: Any = None
        self.content: list[Content] = []  # beside what it printed
        self.printed = ""  # the end of it
        self.living = False  # the call is answered, and its command goes on
        self.decode = getincrementaldecoder("utf-8")("replace").decode
        self.pause: asyncio.TimerHandle | None = None

    def shown(self) -> list[Content]:
        """What stands in it now."""
        return [*self.content, output(self.printed)] if self.printed else list(self.content)


class ShownCalls:
    """Of one session. `tell` is called with the library's updates."""

    def __init__(self, tell: Tell) -> None:
        self._tell = tell
        self._open: dict[Key, ShownCall] = {}
        self._numbers = 0

    def __contains__(self, key: Key) -> bool:
        return key in self._open

    def __getitem__(self, key: Key) -> ShownCall:
        return self._open[key]

    def begin(
        self,
        key: Key,
        title: str,
        kind: ToolKind,
        *,
        status: ToolCallStatus = "in_progress",
        content: list[Content] | None = None,
        locations: list[ToolCallLocation] | None = None,
        raw_input: Mapping[str, Any] | None = None,
    ) -> ShownCall:
        """Tells of it; where it is open already, that it goes on."""
        call = self._open.get(key)
        if call is not None:
            self.update(call, status=status)
            return call
        self._numbers += 1
        call = ShownCall(f"call-{self._numbers}", title, kind)
        call.content, call.locations, call.raw_input = content or [], locations or [], raw_input
        if len(self._open) < OPEN_MAX:
            self._open[key] = call
        self._tell(
            start_tool_call(
                call.id,
                title,
                kind=kind,
                status=status,
                content=call.content or None,
                locations=call.locations or None,
                raw_input=raw_input,
            )
        )
        return call

    def update(self, call: ShownCall, **changes: Any) -> None:
        """Tells what is new of it, and what stands in it."""
        self._tell(update_tool_call(call.id, **{"content": call.shown() or None, **changes}))

    def printed(self, key: Key, chunk: bytes) -> None:
        """It printed something. A client is told at most every `OUTPUT_PAUSE_SECONDS`, and at its end."""
        call = self._open.get(key)
        if call is None:
            return
        call.printed = (call.printed + call.decode(chunk))[-2 * OUTPUT_CHARS_MAX :]
        if call.pause is None:
            call.pause = asyncio.get_running_loop().call_later(OUTPUT_PAUSE_SECONDS, self._look, call)

    def end(self, key: Key, status: ToolCallStatus, **changes: Any) -> None:
        """Tells that it is over."""
        call = self._open.pop(key, None)
        if call is None:
            return
        if call.pause is not None:
            call.pause.cancel()
        self.update(call, status=status, **changes)

    def end_all(self) -> None:
        """The turn is over: what no event has ended was cut off, or lives on beyond it."""
        for key, call in tuple(self._open.items()):
            self.end(key, "completed" if call.living else "failed")

    def _look(self, call: ShownCall) -> None:
        call.pause = None
        self.update(call)
