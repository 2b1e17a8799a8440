"""What a running turn may do to its session."""

from __future__ import annotations

from time import monotonic_ns

from sandgate.protocol.commands import NS_PER_MS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from sandgate.protocol.decisions import ApprovalRequest, Decision
    from sandgate.protocol.events import EventMessage
    from sandgate.session.conversation import Conversation
    from sandgate.session.inbox import SessionInbox
    from sandgate.session.turn import Turn


class TurnContext:
    """One turn while it runs. Belongs to one event loop."""

    def __init__(self, turn: Turn, conversation: Conversation, inbox: SessionInbox) -> None:
        self.turn = turn
        self.turn_id = turn.turn_id
        self.patches: list[str] = []  # the calls whose patches were applied, in order
        self.patches_told = 0  # how many of them the last `TurnDiff` contains
        self._conversation = conversation
        self._inbox = inbox
        self._began_ns = monotonic_ns()
        self.first_token_ms: int | None = None

    def tell(self, message: EventMessage, *, delegate: Mapping[str, str] | None = None) -> None:
        """Tells all who watch the session; `delegate` names the sub-agent to which it happened."""
        self._conversation.tell(self.turn_id, message, delegate=delegate)

    async def ask(self, request: ApprovalRequest, *, delegate: Mapping[str, str] | None = None) -> Decision:
        """Puts a question to the session's reviewers."""
        return await self._inbox.ask(request, turn_id=self.turn_id, delegate=delegate)

    def first_token(self) -> None:
        """The model has begun to say something."""
        if self.first_token_ms is None:
            self.first_token_ms = self.lasted_ms

    @property
    def lasted_ms(self) -> int:
        return (monotonic_ns() - self._began_ns) // NS_PER_MS
