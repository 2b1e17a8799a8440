"""What a client is asked, and its answers. Names are those of the wire; `risk` and its fields are ours."""

from typing import Literal, Required, TypedDict

from sandgate.surfaces.app_server.wire.items import CommandAction


class WireRisk(TypedDict, total=False):
    """What could go wrong, in words."""

    description: Required[str]
    riskLevel: Required[Literal["low", "medium", "high"]]
    riskCategories: list[str]


class WireAmendmentPrefix(TypedDict):
    """The words that commands of the rule begin with."""

    execpolicy_amendment: list[str]


class WireAcceptWithAmendment(TypedDict):
    """Yes, and the offered rule is saved."""

    acceptWithExecpolicyAmendment: WireAmendmentPrefix


CommandDecision = Literal["accept", "acceptForSession", "decline", "cancel"] | WireAcceptWithAmendment
FileChangeDecision = Literal["accept", "acceptForSession", "decline", "cancel"]


class WireCommandApprovalParams(TypedDict, total=False):
    """A question about a command. `reason` has what it is about, the risk, and what a yes gives.

    `approvalId` is there where the same command is asked about again, after or in the middle of a run.
    """

    kind: Required[Literal["command"]]
    threadId: Required[str]
    turnId: Required[str]
    itemId: Required[str]
    startedAtMs: Required[int]
    approvalId: str | None
    environmentId: str | None
    reason: str | None
    command: str | None
    cwd: str | None
    commandActions: list[CommandAction] | None
    proposedExecpolicyAmendment: list[str] | None
    availableDecisions: list[CommandDecision] | None
    risk: WireRisk | None


class WireCommandApprovalAnswer(TypedDict):
    """What the person decided."""

    decision: CommandDecision


class WireFileChangeApprovalParams(TypedDict, total=False):
    """A question about a patch; the item of that id has what it does."""

    threadId: Required[str]
    turnId: Required[str]
    itemId: Required[str]
    startedAtMs: Required[int]
    reason: str | None
    grantRoot: str | None
    risk: WireRisk | None


class WireFileChangeApprovalAnswer(TypedDict):
    """What the person decided."""

    decision: FileChangeDecision
