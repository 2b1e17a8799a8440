"""What a session works with, as it sees it: tools and a place to keep what was said. `runtime` brings the real ones."""

from __future__ import annotations

from sandgate.tools.calls import Answer as Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from typing import Any, Protocol

    from sandgate.protocol.decisions import ApprovalRequest, Decision
    from sandgate.protocol.events import CustomPrompt, EventMessage, HistoryEntry
    from sandgate.protocol.items import Call, Item

    Json = Mapping[str, Any]

    class CallContext(Protocol):
        """What a tool call may do to the session while it runs."""

        turn_id: str
        patches: list[str]  # the calls whose patches were applied, in order

        def tell(self, message: EventMessage, *, delegate: Mapping[str, str] | None = None) -> None:
            """Tells all who watch the session; `delegate` names the sub-agent to which it happened."""

        async def ask(self, request: ApprovalRequest, *, delegate: Mapping[str, str] | None = None) -> Decision:
            """Puts a question to the session's reviewers; `delegate` says which sub-agent asks."""

    class SessionTools(Protocol):
        """The tools of one session."""

        def definitions(self) -> tuple[Json, ...]:
            """What the model is told about them."""

        def is_alone(self, call: Call) -> bool:
            """Whether the call must not overlap any other."""

        async def call(self, call: Call, context: CallContext) -> Answer:
            """Carries the call out. Raises nothing but what ends the turn. Cancelled, it ends what it began."""

        async def diff(self, patches: Sequence[str]) -> str:
            """What the patches of these calls have changed together."""

        def external_tools(self) -> Mapping[str, Json]:
            """The tools of other servers, by the names that the model calls them by, as their servers describe them."""

        async def custom_prompts(self) -> tuple[CustomPrompt, ...]:
            """The prompts that the person keeps in files."""

        async def history_entry(self, log_id: int, offset: int, /) -> HistoryEntry | None:
            """What the person typed in some session; None where there is nothing any more."""

        async def add_to_history(self, text: str, session_id: str, /) -> None:
            """Keeps it for later sessions."""

        def living(self) -> tuple[int, ...]:
            """The numbers of commands that live on."""

        async def close(self) -> None:
            """Ends everything that still runs."""

    class KeptTranscript(Protocol):
        """Where a session is kept. Nothing here waits for the disk but `flush`."""

        def keep(self, item: Item, /) -> None: ...
        def keep_event(self, message: EventMessage, /) -> None: ...
        def keep_context(self, context: Mapping[str, Any], /) -> None: ...
        def keep_compacted(self, message: str, replacement: Sequence[Item], /) -> None: ...
        def keep_audit(self, record: Mapping[str, Any], /) -> None: ...
        async def flush(self) -> None: ...
        async def close(self) -> None: ...

    Sleep = Callable[[float], Awaitable[None]]
