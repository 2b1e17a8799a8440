"""A thread in the form of the wire, from what is known of a session."""

from __future__ import annotations

from datetime import datetime

from sandgate import __version__
from sandgate.agent.past_sessions import SUBAGENT
from sandgate.surfaces.app_server.policies import approval_on_wire, sandbox_on_wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.agent.agent import SessionSettings
    from sandgate.agent.past_sessions import ListedSession, ReadSession

    Json = dict[str, Any]

ENVIRONMENT = "local"
NOT_LOADED = {"type": "notLoaded"}
SOURCE = "appServer"  # as our transcripts have it
# On the wire `vscode` is every client of an app server with a person before it, `appServer` a program that delegates.
SOURCES = {"cli": "cli", "exec": "exec", SOURCE: "vscode", "vscode": "vscode", "mcp": "appServer"}
PAGED = "paginated"
_NOTHING = (
    "extra", "attachedToThreadId", "parentThreadId", "section", "sectionEnteredAt", "projectId", "agentNickname",
    "agentRole", "gitInfo", "daybreakEnabled", "threadSource", "reasoningEffort", "model", "path", "name",
    "forkedFromId",
)  # fmt: skip


def thread_form(thread_id: str, cwd: str, **known: Any) -> Json:
    """With null for whatever is not `known`. `createdAt` and `updatedAt` in seconds since 1970."""
    shown: Json = {
        "id": thread_id,
        "environments": environments(cwd),
        "sessionId": thread_id,
        "preview": "",
        "ephemeral": False,
        "historyMode": PAGED,
        "modelProvider": "",
        "status": NOT_LOADED,
        "cwd": cwd,
        "cliVersion": __version__,
        "originator": "sandgate",
        "source": SOURCES[SOURCE],
        "canAcceptDirectInput": True,
        "turns": [],
    }
    whole = {**dict.fromkeys(_NOTHING), **shown, **known}
    return {**whole, "recencyAt": whole["updatedAt"]}


def opened_form(holding: SessionSettings, reviewer: str) -> Json:
    """What holds for a thread that was opened, beside the thread itself."""
    return {
        "model": holding.model.model,
        "modelProvider": holding.provider_id,
        "serviceTier": None,
        "disabledPluginIds": [],
        "cwd": holding.cwd,
        "runtimeWorkspaceRoots": [holding.cwd],
        "instructionSources": [],
        "approvalPolicy": approval_on_wire(holding.approval),
        "approvalsReviewer": reviewer,
        "sandbox": sandbox_on_wire(holding.sandbox),
        "activePermissionProfile": None,
        "reasoningEffort": holding.model.effort,
        "multiAgentMode": "explicitRequestOnly",
    }


def settings_form(holding: SessionSettings, reviewer: str) -> Json:
    """What holds for a thread, where it is told by itself."""
    model, effort = holding.model.model, holding.model.effort
    mode = {"model": model, "reasoning_effort": effort, "developer_instructions": None}
    return {
        "disabledPluginIds": [],
        "cwd": holding.cwd,
        "environments": environments(holding.cwd),
        "approvalPolicy": approval_on_wire(holding.approval),
        "approvalsReviewer": reviewer,
        "sandboxPolicy": sandbox_on_wire(holding.sandbox),
        "activePermissionProfile": None,
        "model": model,
        "modelProvider": holding.provider_id,
        "serviceTier": None,
        "effort": effort,
        "summary": holding.model.summary,
        "collaborationMode": {"mode": "default", "settings": mode},
        "multiAgentMode": "explicitRequestOnly",
        "personality": None,
    }


def environments(cwd: str) -> list[Json]:
    """Where the commands of a thread run: here."""
    return [{"environmentId": ENVIRONMENT, "cwd": cwd, "runtimeWorkspaceRoots": [cwd]}]


def listed_form(session: ListedSession) -> Json:
    """A session on disk."""
    return thread_form(
        session.id,
        session.cwd,
        preview=session.preview,
        model=session.model or None,
        modelProvider=session.provider,
        source=source_on_wire(session.source),
        parentThreadId=session.parent_id or None,
        createdAt=seconds(session.created_at),
        updatedAt=seconds(session.updated_at),
    )


def past_form(past: ReadSession, turns: list[Json]) -> Json:
    """One on disk that was read."""
    return thread_form(
        past.id,
        past.cwd,
        preview=past.preview,
        model=past.model,
        modelProvider=past.provider,
        source=source_on_wire(past.source),
        path=past.path,
        forkedFromId=past.forked_from_id,
        createdAt=seconds(past.created_at),
        updatedAt=past.updated_at_s,
        turns=turns,
    )


def source_on_wire(source: str) -> Any:
    """Where a session comes from, in the words of the wire."""
    return {"subAgent": {"other": source}} if source == SUBAGENT else SOURCES.get(source, "unknown")


def source_kinds(source: Any) -> tuple[str, ...]:
    """The words by which a list may ask for threads with that source."""
    return (source,) if isinstance(source, str) else ("subAgent", "subAgentOther")


def seconds(moment: str) -> int:
    """A moment as transcripts have it, in seconds since 1970; 0 for what is none."""
    try:
        return int(datetime.fromisoformat(moment.replace("Z", "+00:00")).timestamp())
    except ValueError:
        return 0
