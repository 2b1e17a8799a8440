"""Where a session is kept, as the session sees it: on disk, or nowhere."""

from __future__ import annotations

from sandgate.protocol.events_wire import is_kept, message_json
from sandgate.session.session_summary import read_head
from sandgate.session.transcript_lines import AuditLine, CompactedLine, ContextLine, EventLine, ItemLine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from typing import Any

    from sandgate.protocol.events import EventMessage
    from sandgate.protocol.items import Item
    from sandgate.session.transcript_writer import TranscriptWriter

    Blocking = Callable[[Callable[[], None]], Awaitable[None]]


class Kept:
    """On disk. `on_thread` runs what waits for the disk."""

    def __init__(self, writer: TranscriptWriter, on_thread: Blocking) -> None:
        self.writer = writer
        self._on_thread = on_thread
        self._listed = not writer.home  # one that goes on was listed before

    def keep(self, item: Item) -> None:
        """In the kernel's hands before this returns, so that nothing comes of it that is not known."""
        self.writer.write(ItemLine(item))

    def keep_event(self, message: EventMessage) -> None:
        """Those that cannot be told from the items."""
        if is_kept(message):
            self.writer.write(EventLine(message_json(message)))

    def keep_context(self, context: Mapping[str, Any]) -> None:
        self.writer.write(ContextLine(dict(context)))

    def keep_compacted(self, message: str, replacement: Sequence[Item]) -> None:
        self.writer.write(CompactedLine(message, tuple(replacement)))

    def keep_audit(self, record: Mapping[str, Any]) -> None:
        self.writer.write(AuditLine(dict(record)))

    async def flush(self) -> None:
        """On the disk. Raises StorageError."""
        await self._on_thread(self.writer.flush)

    async def close(self) -> None:
        """The same, and another process may go on with it."""
        await self._on_thread(self._closed)

    def enlist(self) -> None:
        """Tells the index what the session is about, if that was said by now. On any thread; may take 0.2 s."""
        if self._listed:
            return
        head = read_head(self.writer.path)
        if head is None or not head.complete:
            return
        from sandgate.session.session_index import SessionIndex  # with sqlite3

        index = SessionIndex(self.writer.home)
        try:
            index.add(self.writer.path, head)
        finally:
            index.close()
        self._listed = True

    def _closed(self) -> None:
        try:
            self.writer.close()
        finally:
            self.enlist()


class Unkept:
    """Nowhere: for a session that is to leave nothing."""

    def keep(self, _item: Item) -> None:
        return

    def keep_event(self, _message: EventMessage) -> None:
        return

    def keep_context(self, _context: Mapping[str, Any]) -> None:
        return

    def keep_compacted(self, _message: str, _replacement: Sequence[Item]) -> None:
        return

    def keep_audit(self, _record: Mapping[str, Any]) -> None:
        return

    def enlist(self) -> None:
        return

    async def flush(self) -> None:
        return

    async def close(self) -> None:
        return
