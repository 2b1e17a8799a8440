"""What an agent is opened with."""

from __future__ import annotations

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from sandgate.agent.delegate_limit import DelegateLimit
    from sandgate.external.servers import ExternalServers
    from sandgate.model.prompt import ModelSettings
    from sandgate.model.streaming import Model
    from sandgate.patch.apply import UndoRecord
    from sandgate.protocol.conversation import ConversationEntry
    from sandgate.protocol.decisions import ApprovalRequest, Decision
    from sandgate.reviewers.with_risk_advice import Advising

    Patched = Callable[[str, UndoRecord], None]
    Reads = Callable[[ApprovalRequest], Advising]
    Ask = Callable[[ApprovalRequest, Mapping[str, str]], Awaitable[Decision]]


class AgentOptions(Record):
    """What is asked for on the way in, beside the settings."""

    model: str | None = None
    provider: str | None = None
    model_script: str | None = None  # a file with the answers of the offline model
    model_record: str | None = None  # what is asked and answered is added to this file
    model_replay: str | None = None  # the answers come from such a file, to the same questions
    resume: str | None = None  # a session's id, or how it begins, or "last"
    fork: bool = False  # go on in a copy of it
    fork_before: int | None = None  # with what came before this message of the person's, counted from 0; None: all
    ephemeral: bool = False  # nothing is kept
    unasked: bool = False  # nothing is said to a model, so there has to be none
    source: str = "cli"
    instructions: str | None = None  # in place of the base instructions
    only_tighten: bool = False  # its turns may ask for nothing looser than what it begins with


class Superior(Record):
    """Of a session that works for another one."""

    session_id: str
    kind: str  # "review", "collab_spawn"
    depth: int  # how many stand above it
    model: Model  # which it shares
    room: DelegateLimit
    ask: Ask | None  # its questions, with the name of the sub-agent that asks; None: it has no reviewer
    heard: Callable[[], tuple[ConversationEntry, ...]]  # what was said there, for who judges its actions
    patched: Patched  # hears of each patch it applies, what takes it back: it belongs to the superior's turn
    reads_advice: Reads | None = None  # when words of a model about its questions are read; None: never
    servers: ExternalServers | None = None  # of others; they are the superior's to end
    instructions: str | None = None  # instead of the usual ones; then no files of the project are read either
    delegates: bool = True  # it may have some of its own
    writes: bool = True  # within its superior's policy; otherwise it reads, and has no tool for patches
    how: ModelSettings | None = None  # how its turn asks the model; None: as the model is set
    token_budget: int | None = None  # what is left of the superior's; None: no end
