"""What messages are about: threads, turns, policies, usage. Names are those of the wire."""

from typing import Any, Literal, Required, TypedDict

AskForApproval = Literal["untrusted", "on-failure", "on-request", "never"]
SandboxMode = Literal["read-only", "workspace-write", "danger-full-access"]
ApprovalsReviewer = Literal["user", "auto_review"]
TurnStatus = Literal["inProgress", "completed", "interrupted", "failed"]


class WireGranularChoices(TypedDict, total=False):
    """Of each kind of question: whether it is asked, or answered with no by itself."""

    sandbox_approval: Required[bool]
    rules: Required[bool]
    mcp_elicitations: Required[bool]
    skill_approval: bool
    request_permissions: bool


class WireGranular(TypedDict):
    """Some kinds of questions are asked."""

    granular: WireGranularChoices


ApprovalInForce = Literal["untrusted", "on-request", "never"] | WireGranular


class WireOtherSubAgent(TypedDict):
    """A sub-agent, of whatever kind."""

    other: str


class WireSubAgentSource(TypedDict):
    """The thread works for another one."""

    subAgent: WireOtherSubAgent


ThreadSource = Literal["cli", "vscode", "exec", "appServer", "unknown"] | WireSubAgentSource


class WireTextInput(TypedDict, total=False):
    """Something the person says."""

    type: Required[Literal["text"]]
    text: Required[str]
    text_elements: list[Any]


class WireImageInput(TypedDict):
    """A picture, as an address or a `data:` URL."""

    type: Literal["image"]
    url: str


class WireLocalImageInput(TypedDict):
    """A picture on the machine of the server."""

    type: Literal["localImage"]
    path: str


UserInput = WireTextInput | WireImageInput | WireLocalImageInput


class WireDangerFullAccess(TypedDict):
    """No sandbox."""

    type: Literal["dangerFullAccess"]


class WireReadOnly(TypedDict, total=False):
    """Nothing may be written."""

    type: Required[Literal["readOnly"]]
    networkAccess: bool


class WireWorkspaceWrite(TypedDict, total=False):
    """The workspace may be written, and what is named beside it."""

    type: Required[Literal["workspaceWrite"]]
    writableRoots: list[str]
    networkAccess: bool
    excludeTmpdirEnvVar: bool
    excludeSlashTmp: bool


class WireExternalSandbox(TypedDict):
    """Somebody else confines."""

    type: Literal["externalSandbox"]
    networkAccess: Literal["restricted", "enabled"]


SandboxPolicy = WireDangerFullAccess | WireReadOnly | WireWorkspaceWrite | WireExternalSandbox


class WireNotLoaded(TypedDict):
    """It is on disk alone."""

    type: Literal["notLoaded"]


class WireIdle(TypedDict):
    """It waits for somebody to say something."""

    type: Literal["idle"]


class WireSystemError(TypedDict):  # shadows the built-in one here; its name is the wire's
    """It has ended, though nobody wanted that."""

    type: Literal["systemError"]


class WireActive(TypedDict):
    """A turn runs."""

    type: Literal["active"]
    activeFlags: list[Literal["waitingOnApproval", "waitingOnUserInput"]]


ThreadStatus = WireNotLoaded | WireIdle | WireSystemError | WireActive


class WireThreadEnvironment(TypedDict):
    """Where the commands of a thread run."""

    environmentId: str
    cwd: str
    runtimeWorkspaceRoots: list[str]


class WireGitInfo(TypedDict):
    """Of the directory a thread began in."""

    sha: str | None
    branch: str | None
    originUrl: str | None


class WireTurnError(TypedDict):
    """Why a turn failed."""

    message: str
    codexErrorInfo: Any
    additionalDetails: str | None


class WireTokenUsageBreakdown(TypedDict):
    """Tokens, counted."""

    totalTokens: int
    inputTokens: int
    cachedInputTokens: int
    cacheWriteInputTokens: int
    outputTokens: int
    reasoningOutputTokens: int


class WireThreadTokenUsage(TypedDict):
    """Of the whole thread, and of the last request."""

    total: WireTokenUsageBreakdown
    last: WireTokenUsageBreakdown
    modelContextWindow: int | None


class WireReasoningEffortOption(TypedDict):
    """One way to think."""

    reasoningEffort: str
    description: str


class WireModel(TypedDict):
    """A model that can be chosen."""

    id: str
    model: str
    upgrade: str | None
    upgradeInfo: Any
    availabilityNux: Any
    displayName: str
    description: str
    modelSpecialty: str | None
    hidden: bool
    supportedReasoningEfforts: list[WireReasoningEffortOption]
    defaultReasoningEffort: str
    inputModalities: list[str]
    supportsPersonality: bool
    multiAgentVersion: str | None
    additionalSpeedTiers: list[str]
    serviceTiers: list[Any]
    defaultServiceTier: str | None
    availableAccessPrograms: Any
    isDefault: bool
