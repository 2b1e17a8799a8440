"""A thread, which is a session of ours, and what is said and answered about threads and their turns."""

from typing import Annotated, Any, Literal, Required, TypedDict

from sandgate.surfaces.app_server.wire.items import ThreadItem, WireTurn
from sandgate.surfaces.app_server.wire.objects import (
    ApprovalInForce,
    ApprovalsReviewer,
    AskForApproval,
    SandboxMode,
    SandboxPolicy,
    ThreadSource,
    ThreadStatus,
    UserInput,
    WireGitInfo,
    WireGranular,
    WireThreadEnvironment,
)
from sandgate.surfaces.app_server.wire.shapes import NO_EFFECT

Ignored = Annotated[Any, NO_EFFECT]


class WireThread(TypedDict):
    """A session. `turns` are there where they were asked for."""

    id: str
    environments: list[WireThreadEnvironment]
    extra: Any
    sessionId: str
    forkedFromId: str | None
    attachedToThreadId: str | None
    parentThreadId: str | None
    preview: str
    ephemeral: bool
    section: Any
    sectionEnteredAt: int | None
    projectId: str | None
    historyMode: str
    modelProvider: str
    model: str | None
    reasoningEffort: str | None
    createdAt: int
    updatedAt: int
    recencyAt: int
    status: ThreadStatus
    path: str | None
    cwd: str
    cliVersion: str
    originator: str
    source: ThreadSource
    canAcceptDirectInput: bool
    threadSource: str | None
    agentNickname: str | None
    agentRole: str | None
    gitInfo: WireGitInfo | None
    name: str | None
    daybreakEnabled: bool | None
    turns: list[WireTurn]


class WireThreadSettings(TypedDict, total=False):
    """What holds for a thread from its start; `config` has settings as after `-c`, by dotted key."""

    model: str | None
    modelProvider: str | None
    cwd: str | None
    approvalPolicy: AskForApproval | None
    approvalsReviewer: ApprovalsReviewer | None
    sandbox: SandboxMode | None
    config: dict[str, Any] | None
    baseInstructions: None
    developerInstructions: None
    runtimeWorkspaceRoots: Ignored
    permissions: None
    serviceName: Ignored
    serviceTier: Ignored
    personality: Ignored
    multiAgentMode: Ignored
    sessionStartSource: Ignored
    projectId: Ignored
    daybreakEnabled: Ignored
    environments: Ignored
    dynamicTools: Ignored
    selectedCapabilityRoots: Ignored
    mockExperimentalField: Ignored
    historyMode: Ignored
    threadSource: str | None
    ephemeral: bool | None


class WireThreadResumeParams(WireThreadSettings, total=False):
    """Which thread goes on."""

    threadId: Required[str]
    excludeTurns: bool | None
    history: None
    path: Ignored
    initialTurnsPage: Ignored


class WireThreadForkParams(WireThreadSettings, total=False):
    """Which thread is copied."""

    threadId: Required[str]


class WireThreadOpened(TypedDict):
    """A thread that was started, goes on, or is a copy, and what holds for it."""

    thread: WireThread
    model: str
    modelProvider: str
    serviceTier: str | None
    disabledPluginIds: list[str]
    cwd: str
    runtimeWorkspaceRoots: list[str]
    instructionSources: list[str]
    approvalPolicy: ApprovalInForce
    approvalsReviewer: ApprovalsReviewer
    sandbox: SandboxPolicy
    activePermissionProfile: Any
    reasoningEffort: str | None
    multiAgentMode: str


class WireThreadListParams(TypedDict, total=False):
    """Which threads, and where in their list; newest first."""

    cursor: str | None
    limit: int | None
    archived: bool | None
    cwd: str | None
    searchTerm: str | None
    modelProviders: list[str] | None
    sourceKinds: list[str] | None
    sectionId: str | None
    sortKey: Ignored
    sortDirection: Ignored
    currentAccountOnly: Ignored
    excludedThreadIds: list[str] | None
    originators: Ignored
    useStateDbOnly: Ignored
    parentThreadId: str | None
    ancestorThreadId: None
    attachedToThreadId: None


class WireThreadListResult(TypedDict):
    """A page of threads."""

    data: list[WireThread]
    readStates: dict[str, Any]
    nextCursor: str | None
    backwardsCursor: str | None


class WirePageParams(TypedDict, total=False):
    """Where in a list."""

    cursor: str | None
    limit: int | None


class WireLoadedThreads(TypedDict):
    """The ids of the threads that are open here."""

    data: list[str]
    nextCursor: str | None


class WireThreadParams(TypedDict):
    """Which thread."""

    threadId: str


class WireThreadReadParams(TypedDict, total=False):
    """Which thread, and whether with its turns."""

    threadId: Required[str]
    includeTurns: bool | None


class WireThreadReadResult(TypedDict):
    """One thread."""

    thread: WireThread
    readState: Any


class WireThreadTurnsParams(TypedDict, total=False):
    """Which turns of a thread."""

    threadId: Required[str]
    cursor: str | None
    limit: int | None
    sortDirection: Literal["asc", "desc"] | None
    itemsView: Literal["notLoaded", "summary", "full"] | None


class WireThreadTurnsResult(TypedDict):
    """A page of turns."""

    data: list[WireTurn]
    nextCursor: str | None
    backwardsCursor: str | None


class WireThreadItemsParams(TypedDict, total=False):
    """Which items of a thread: of one turn, or of all."""

    threadId: Required[str]
    turnId: str | None
    cursor: str | None
    limit: int | None
    sortDirection: Literal["asc", "desc"] | None
    deferOutput: Ignored


class WireThreadItemEntry(TypedDict):
    """One item, and the turn it belongs to."""

    turnId: str
    item: ThreadItem
    startedAtMs: int | None
    completedAtMs: int | None


class WireThreadItemsResult(TypedDict):
    """A page of items."""

    data: list[WireThreadItemEntry]
    nextCursor: str | None
    backwardsCursor: str | None


class WireThreadNameParams(TypedDict):
    """What a thread is to be called."""

    threadId: str
    name: str


class WireUnsubscribeResult(TypedDict):
    """Whether the client had been watching."""

    status: Literal["unsubscribed", "notSubscribed", "notLoaded"]


class WireModeSettings(TypedDict, total=False):
    """The model of the mode, and how it thinks; they go before those that stand beside the mode."""

    model: str | None
    reasoning_effort: str | None
    developer_instructions: Ignored


class WireModeAsked(TypedDict):
    """The only mode is `default`."""

    mode: Literal["default"]
    settings: WireModeSettings


class WireThreadSettingsParams(TypedDict, total=False):
    """What is to hold from the next turn on."""

    threadId: Required[str]
    cwd: str | None
    approvalPolicy: AskForApproval | WireGranular | None
    approvalsReviewer: ApprovalsReviewer | None
    sandboxPolicy: SandboxPolicy | None
    model: str | None
    effort: str | None
    summary: str | None
    collaborationMode: WireModeAsked | None
    permissions: None
    disabledPluginIds: Ignored
    environments: Ignored
    multiAgentMode: Ignored
    personality: Ignored
    serviceTier: Ignored


class WireSettingsInForce(TypedDict):
    """What holds for a thread."""

    disabledPluginIds: list[str]
    cwd: str
    environments: list[WireThreadEnvironment]
    approvalPolicy: ApprovalInForce
    approvalsReviewer: ApprovalsReviewer
    sandboxPolicy: SandboxPolicy
    activePermissionProfile: Any
    model: str
    modelProvider: str
    serviceTier: str | None
    effort: str | None
    summary: str | None
    collaborationMode: WireModeAsked
    multiAgentMode: str
    personality: str | None


class WireTurnStartParams(TypedDict, total=False):
    """What is said. What stands beside it holds from this turn on; `outputSchema` for this turn alone."""

    threadId: Required[str]
    input: Required[list[UserInput]]
    clientUserMessageId: str | None
    cwd: str | None
    approvalPolicy: AskForApproval | WireGranular | None
    approvalsReviewer: ApprovalsReviewer | None
    sandboxPolicy: SandboxPolicy | None
    model: str | None
    effort: str | None
    summary: str | None
    outputSchema: dict[str, Any] | None
    disabledPluginIds: Ignored
    turnTrigger: Ignored
    parentTurnId: Ignored
    rootTurnId: Ignored
    toolOutput: None
    responsesapiClientMetadata: Ignored
    responsesapiClientMetadataPatch: Ignored
    additionalContext: None
    environments: Ignored
    runtimeWorkspaceRoots: Ignored
    permissions: None
    serviceTier: Ignored
    serviceTierForTurn: Ignored
    personality: Ignored
    collaborationMode: WireModeAsked | None
    multiAgentMode: Ignored
    cyberAccessProgram: Ignored


class WireTurnStartResult(TypedDict):
    """The turn that begins."""

    turn: WireTurn


class WireTurnSteerParams(TypedDict, total=False):
    """What is said to the turn that runs, if it is that one."""

    threadId: Required[str]
    input: Required[list[UserInput]]
    expectedTurnId: Required[str]
    clientUserMessageId: str | None
    responsesapiClientMetadata: Ignored
    responsesapiClientMetadataPatch: Ignored
    additionalContext: None


class WireTurnSteerResult(TypedDict):
    """The turn that hears it."""

    turnId: str


class WireTurnInterruptParams(TypedDict):
    """Which turn is to end."""

    threadId: str
    turnId: str


class WireNothing(TypedDict):
    """It was done."""
