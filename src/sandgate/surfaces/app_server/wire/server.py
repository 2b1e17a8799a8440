"""What is said and answered about the server: handshake, accounts, models, settings. Names are those of the wire."""

from typing import Any, Literal, Required, TypedDict

from sandgate.surfaces.app_server.wire.objects import WireModel
from sandgate.surfaces.app_server.wire.threads import Ignored


class WireClientInfo(TypedDict, total=False):
    """Which program the client is."""

    name: Required[str]
    version: Required[str]
    title: str | None


class WireClientCapabilities(TypedDict, total=False):
    """What the client can do, and which notifications it does not want, by their exact names."""

    experimentalApi: bool | None
    optOutNotificationMethods: list[str] | None
    requestAttestation: Ignored
    requiredHumanApproval: Ignored


class WireInitializeParams(TypedDict, total=False):
    """The first message of a client."""

    clientInfo: Required[WireClientInfo]
    capabilities: WireClientCapabilities | None


class WireInitializeResult(TypedDict):
    """Which program the server is, and where it keeps what it keeps."""

    userAgent: str
    codexHome: str
    platformFamily: str
    platformOs: str


class WireEmpty(TypedDict, total=False):
    """Nothing need be said."""


class WireAccountReadResult(TypedDict):
    """Nobody signs in here: a provider's key is a variable or a setting."""

    account: Any
    userId: str | None
    requiresOpenaiAuth: bool
    workspaceRouting: Any


class WireModelListParams(TypedDict, total=False):
    """Which models."""

    cursor: str | None
    limit: int | None
    includeHidden: bool | None
    modelProvider: str | None


class WireModelListResult(TypedDict):
    """The models that are configured."""

    data: list[WireModel]
    nextCursor: str | None


class WireConfigReadParams(TypedDict, total=False):
    """In which directory, and whether layer by layer."""

    includeLayers: bool | None
    cwd: str | None


class WireUserLayer(TypedDict):
    """A file of the user's; with a profile, what that says."""

    type: Literal["user"]
    file: str
    profile: str | None


class WireProjectLayer(TypedDict):
    """The folder of a project that has its settings."""

    type: Literal["project"]
    dotCodexFolder: str


class WireSystemLayer(TypedDict):
    """A file of the administrator's."""

    type: Literal["system"]
    file: str


class WireSessionLayer(TypedDict):
    """Options of the server's command line."""

    type: Literal["sessionFlags"]


ConfigLayerSource = WireUserLayer | WireProjectLayer | WireSystemLayer | WireSessionLayer


class WireConfigLayerMetadata(TypedDict):
    """Where a setting comes from. `version` is a digest of the layer's values."""

    name: ConfigLayerSource
    version: str


class WireConfigLayer(TypedDict):
    """One layer of the configuration."""

    name: ConfigLayerSource
    version: str
    config: dict[str, Any]


class WireConfigReadResult(TypedDict, total=False):
    """What is in force, where each key comes from, and the layers, the highest first."""

    config: Required[dict[str, Any]]
    origins: Required[dict[str, WireConfigLayerMetadata]]
    layers: list[WireConfigLayer] | None


class WireConfigRequirementsResult(TypedDict):
    """What an administrator demands; null: nothing."""

    supportsIndependentSpeedModes: bool
    requirements: Any


class WireDirectoriesParams(TypedDict, total=False):
    """For which directories."""

    cwds: list[str] | None
    threadId: Ignored
    forceReload: Ignored


class WireSkillsOfDirectory(TypedDict):
    """There are none."""

    cwd: str
    skills: list[Any]
    errors: list[Any]


class WireSkillsListResult(TypedDict):
    """One entry a directory."""

    data: list[WireSkillsOfDirectory]


class WireHooksOfDirectory(TypedDict):
    """There are none."""

    cwd: str
    hooks: list[Any]
    warnings: list[str]
    errors: list[Any]


class WireHooksListResult(TypedDict):
    """One entry a directory."""

    data: list[WireHooksOfDirectory]


class WireCollaborationMode(TypedDict):
    """A way of working together."""

    name: str
    mode: str
    model: str | None
    reasoning_effort: str | None


class WireCollaborationModesResult(TypedDict):
    """The ways of working together."""

    data: list[WireCollaborationMode]
