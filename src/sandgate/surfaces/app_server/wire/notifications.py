"""What clients are told as it happens. Names are those of the wire."""

from typing import Literal, Required, TypedDict

from sandgate.surfaces.app_server.wire.items import ThreadItem, WireTurn
from sandgate.surfaces.app_server.wire.objects import ThreadStatus, WireThreadTokenUsage, WireTurnError
from sandgate.surfaces.app_server.wire.threads import WireSettingsInForce, WireThread


class WireThreadStarted(TypedDict):
    """A thread is open."""

    thread: WireThread


class WireThreadStatusChanged(TypedDict):
    """It works, waits, or waits for an answer."""

    threadId: str
    status: ThreadStatus


class WireThreadNamed(TypedDict):
    """It has another name."""

    threadId: str
    threadName: str | None


class WireThreadSettingsUpdated(TypedDict):
    """Something else holds for it."""

    threadId: str
    threadSettings: WireSettingsInForce


class WireThreadOnly(TypedDict):
    """Which thread."""

    threadId: str


class WireTokenUsageUpdated(TypedDict):
    """Tokens were used."""

    threadId: str
    turnId: str
    tokenUsage: WireThreadTokenUsage


class WireTurnChanged(TypedDict):
    """A turn begins, or is over."""

    threadId: str
    turn: WireTurn


class WireTurnDiffUpdated(TypedDict):
    """Everything the turn's patches have changed so far."""

    threadId: str
    turnId: str
    diff: str


class WirePlanStep(TypedDict):
    """One step."""

    step: str
    status: Literal["pending", "inProgress", "completed"]


class WireTurnPlanUpdated(TypedDict):
    """What the model is going to do, and how far it is."""

    threadId: str
    turnId: str
    explanation: str | None
    plan: list[WirePlanStep]


class WireItemStarted(TypedDict):
    """An item begins."""

    item: ThreadItem
    threadId: str
    turnId: str
    startedAtMs: int


class WireItemCompleted(TypedDict):
    """An item is over. Every item that began has one, before the end of its turn."""

    item: ThreadItem
    threadId: str
    turnId: str
    contentTokenCount: int | None
    completedAtMs: int


class WireItemDelta(TypedDict):
    """A piece of an item: text of the model, or output of a command."""

    threadId: str
    turnId: str
    itemId: str
    delta: str


class WireTerminalInteraction(TypedDict):
    """Something was typed into a live command; empty: the model looked at it."""

    threadId: str
    turnId: str
    itemId: str
    processId: str
    stdin: str


class WireSummaryTextDelta(TypedDict):
    """A piece of a summary of what the model thought."""

    threadId: str
    turnId: str
    itemId: str
    delta: str
    summaryIndex: int


class WireSummaryPartAdded(TypedDict):
    """Another part of the summary begins."""

    threadId: str
    turnId: str
    itemId: str
    summaryIndex: int


class WireRequestResolved(TypedDict):
    """A question is answered or gone: a client that shows it takes it down."""

    threadId: str
    requestId: int | str


class WireErrorTold(TypedDict):
    """The turn failed, or a request is tried again."""

    error: WireTurnError
    willRetry: bool
    threadId: str
    turnId: str


class WireWarned(TypedDict, total=False):
    """Something is not as it should be, and it goes on."""

    message: Required[str]
    threadId: str | None


class WireDeprecationNotice(TypedDict, total=False):
    """A setting has a new name."""

    summary: Required[str]
    details: str | None
