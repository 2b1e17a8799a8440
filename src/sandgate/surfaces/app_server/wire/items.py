"""The parts of a turn, as clients show them. Names are those of the wire."""

from typing import Any, Literal, Required, TypedDict

from sandgate.surfaces.app_server.wire.objects import TurnStatus, UserInput, WireTurnError

CommandStatus = Literal["inProgress", "completed", "failed", "declined"]


class WireReadAction(TypedDict):
    """It reads a file."""

    type: Literal["read"]
    command: str
    name: str
    path: str


class WireListFilesAction(TypedDict):
    """It lists files."""

    type: Literal["listFiles"]
    command: str
    path: str | None


class WireSearchAction(TypedDict):
    """It looks for something."""

    type: Literal["search"]
    command: str
    query: str | None
    path: str | None


class WireUnknownAction(TypedDict):
    """It does something else."""

    type: Literal["unknown"]
    command: str


CommandAction = WireReadAction | WireListFilesAction | WireSearchAction | WireUnknownAction


class WireUserMessageItem(TypedDict):
    """What the person said."""

    type: Literal["userMessage"]
    id: str
    clientId: str | None
    content: list[UserInput]
    startedAtMs: int | None
    completedAtMs: int | None


class WireAgentMessageItem(TypedDict):
    """What the model said."""

    type: Literal["agentMessage"]
    moderation: Any
    id: str
    text: str
    phase: str | None
    memoryCitation: Any
    delivery: Any
    questions: Any
    startedAtMs: int | None
    completedAtMs: int | None


class WireReasoningItem(TypedDict):
    """What the model thought, as far as it is told."""

    type: Literal["reasoning"]
    id: str
    summary: list[str]
    content: list[str]
    startedAtMs: int | None
    completedAtMs: int | None


class WireCommandExecutionItem(TypedDict):
    """A command, from the question about it to its end."""

    type: Literal["commandExecution"]
    id: str
    pluginId: str | None
    scriptPath: str | None
    command: str
    cwd: str
    processId: str | None
    source: Literal["agent", "userShell", "unifiedExecStartup", "unifiedExecInteraction"]
    status: CommandStatus
    commandActions: list[CommandAction]
    aggregatedOutput: str | None
    exitCode: int | None
    durationMs: int | None
    startedAtMs: int | None
    completedAtMs: int | None


class WireAddKind(TypedDict):
    """A new file."""

    type: Literal["add"]


class WireDeleteKind(TypedDict):
    """A file less."""

    type: Literal["delete"]


class WireUpdateKind(TypedDict, total=False):
    """A file changes, and may move."""

    type: Required[Literal["update"]]
    move_path: str | None


class WireFileUpdateChange(TypedDict):
    """One file of a patch."""

    path: str
    kind: WireAddKind | WireDeleteKind | WireUpdateKind
    diff: str


class WireFileChangeItem(TypedDict):
    """A patch."""

    type: Literal["fileChange"]
    id: str
    changes: list[WireFileUpdateChange]
    status: CommandStatus
    startedAtMs: int | None
    completedAtMs: int | None


class WireMcpToolCallItem(TypedDict):
    """A call of a tool that a server of others has."""

    type: Literal["mcpToolCall"]
    id: str
    server: str
    tool: str
    status: Literal["inProgress", "completed", "failed"]
    arguments: Any
    result: Any
    error: Any
    durationMs: int | None
    startedAtMs: int | None
    completedAtMs: int | None


class WireWebSearchItem(TypedDict):
    """The provider searches the web."""

    type: Literal["webSearch"]
    id: str
    query: str
    startedAtMs: int | None
    completedAtMs: int | None


class WireImageViewItem(TypedDict):
    """The model looks at a picture."""

    type: Literal["imageView"]
    id: str
    path: str
    startedAtMs: int | None
    completedAtMs: int | None


class WireContextCompactionItem(TypedDict):
    """The history was replaced by a summary."""

    type: Literal["contextCompaction"]
    id: str
    startedAtMs: int | None
    completedAtMs: int | None


ThreadItem = (
    WireUserMessageItem
    | WireAgentMessageItem
    | WireReasoningItem
    | WireCommandExecutionItem
    | WireFileChangeItem
    | WireMcpToolCallItem
    | WireWebSearchItem
    | WireImageViewItem
    | WireContextCompactionItem
)


class WireTurn(TypedDict):
    """From something said to the end of the answer. `itemsView` says how many of its items are here."""

    id: str
    rootTurnId: str
    items: list[ThreadItem]
    itemsView: Literal["notLoaded", "summary", "full"]
    status: TurnStatus
    error: WireTurnError | None
    startedAt: int | None
    completedAt: int | None
    durationMs: int | None
