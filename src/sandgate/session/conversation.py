"""What has been said in one session: shown to the model, kept in the transcript, told to those who watch, counted."""

from __future__ import annotations

from sandgate.protocol.events import TokenCount
from sandgate.protocol.usage import NO_USAGE, TokenInfo

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sandgate.protocol.events import EventMessage
    from sandgate.protocol.items import Item
    from sandgate.protocol.usage import RateLimits, TokenUsage
    from sandgate.session.event_log import EventLog
    from sandgate.session.history import History
    from sandgate.session.interfaces import KeptTranscript


class Conversation:
    """Belongs to one event loop. Whatever is recorded is in the transcript before anything comes of it."""

    def __init__(
        self, history: History, transcript: KeptTranscript, log: EventLog, *, info: TokenInfo | None = None
    ) -> None:
        self.history = history
        self.transcript = transcript
        self.log = log
        self.info = info
        self.limits: RateLimits | None = None
        self.delegated_tokens = 0  # new input and output of those who worked for this session

    def record(self, items: Iterable[Item]) -> None:
        """Adds to the history, as the model will see it again."""
        for item in self.history.record(items):
            self.transcript.keep(item)

    def replace(self, items: Sequence[Item], *, summary: str) -> None:
        """The history is this from now on."""
        self.history.replace(items)
        self.transcript.keep_compacted(summary, items)

    def tell(self, turn_id: str, message: EventMessage, *, delegate: Mapping[str, str] | None = None) -> None:
        """Something happened; to a sub-agent, if `delegate` names one."""
        self.transcript.keep_event(message)
        self.log.emit(turn_id, message, delegate)

    def count(self, turn_id: str, usage: TokenUsage | None, window: int | None) -> None:
        """A response was complete."""
        self.history.responded()
        if usage is not None:
            self.info = (self.info or TokenInfo(NO_USAGE, NO_USAGE)).after(usage, window)
        self.tell(turn_id, TokenCount(self.info, self.limits))

    def fill(self, turn_id: str, window: int | None) -> None:
        """The provider says that there is no more room."""
        if window is not None:
            self.info = (self.info or TokenInfo(NO_USAGE, NO_USAGE)).full(window)
            self.tell(turn_id, TokenCount(self.info, self.limits))

    @property
    def spent_tokens(self) -> int:
        """New input and output, those of sub-agents included: a budget is for the work, whichever session does it."""
        return (0 if self.info is None else self.info.total.blended) + self.delegated_tokens

    @property
    def tokens(self) -> int:
        """About how many the next request takes."""
        return self.history.in_window(self.info.last if self.info is not None else NO_USAGE)
