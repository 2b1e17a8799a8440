"""The one table of the app-server protocol: every message, its name, what it carries, what answers it.

The dispatcher, JSON Schema, TypeScript and the reference page are made from it. What is not in it is not offered: a
request of another name is answered with -32601.
"""

from __future__ import annotations

from typing import Any

from sandgate.record import Record
from sandgate.surfaces.app_server.wire import approvals, commands, notifications, server, threads


class Method(Record):
    """A request, and the answer to it."""

    name: str
    params: Any  # a type of this package
    result: Any
    summary: str


class NotificationRow(Record):
    """A message without an answer."""

    name: str
    params: Any  # None: it has none
    summary: str


METHODS = (
    Method("initialize", server.WireInitializeParams, server.WireInitializeResult, "the first message of every client"),
    Method("account/read", server.WireEmpty, server.WireAccountReadResult, "nobody signs in here"),
    Method("model/list", server.WireModelListParams, server.WireModelListResult, "the models that are configured"),
    Method("config/read", server.WireConfigReadParams, server.WireConfigReadResult, "the settings in force"),
    Method(
        "configRequirements/read",
        server.WireEmpty,
        server.WireConfigRequirementsResult,
        "what an administrator demands",
    ),
    Method("skills/list", server.WireDirectoriesParams, server.WireSkillsListResult, "none, for each directory"),
    Method("hooks/list", server.WireDirectoriesParams, server.WireHooksListResult, "none, for each directory"),
    Method(
        "collaborationMode/list",
        server.WireEmpty,
        server.WireCollaborationModesResult,
        "the only one: a model that works",
    ),
    Method("thread/start", threads.WireThreadSettings, threads.WireThreadOpened, "begins a session"),
    Method(
        "thread/resume",
        threads.WireThreadResumeParams,
        threads.WireThreadOpened,
        "goes on with a session, or joins a live one",
    ),
    Method("thread/fork", threads.WireThreadForkParams, threads.WireThreadOpened, "goes on in a copy of a session"),
    Method("thread/list", threads.WireThreadListParams, threads.WireThreadListResult, "sessions on disk, newest first"),
    Method("thread/loaded/list", threads.WirePageParams, threads.WireLoadedThreads, "the sessions that are open here"),
    Method(
        "thread/read", threads.WireThreadReadParams, threads.WireThreadReadResult, "one session, without opening it"
    ),
    Method("thread/turns/list", threads.WireThreadTurnsParams, threads.WireThreadTurnsResult, "the turns of a session"),
    Method("thread/items/list", threads.WireThreadItemsParams, threads.WireThreadItemsResult, "the items of a session"),
    Method(
        "thread/name/set",
        threads.WireThreadNameParams,
        threads.WireNothing,
        "names an open session, for as long as it is open",
    ),
    Method(
        "thread/settings/update",
        threads.WireThreadSettingsParams,
        threads.WireNothing,
        "what holds from the next turn on",
    ),
    Method("thread/archive", threads.WireThreadParams, threads.WireNothing, "puts a session away"),
    Method("thread/unarchive", threads.WireThreadParams, threads.WireThreadReadResult, "lists it again"),
    Method(
        "thread/unsubscribe", threads.WireThreadParams, threads.WireUnsubscribeResult, "watches a session no longer"
    ),
    Method(
        "turn/start", threads.WireTurnStartParams, threads.WireTurnStartResult, "says something, which begins a turn"
    ),
    Method(
        "turn/steer", threads.WireTurnSteerParams, threads.WireTurnSteerResult, "says something to the turn that runs"
    ),
    Method(
        "command/exec",
        commands.WireCommandExecParams,
        commands.WireCommandExecResult,
        "runs a single command, without a thread and without anybody to ask",
    ),
    Method("command/exec/write", commands.WireCommandExecWriteParams, threads.WireNothing, "writes to its input"),
    Method("command/exec/resize", commands.WireCommandExecResizeParams, threads.WireNothing, "resizes its terminal"),
    Method("command/exec/terminate", commands.WireCommandExecTerminateParams, threads.WireNothing, "ends it"),
    Method("turn/interrupt", threads.WireTurnInterruptParams, threads.WireNothing, "ends the turn that runs"),
)

CLIENT_NOTIFICATIONS = (NotificationRow("initialized", None, "the client has read the answer to `initialize`"),)

SERVER_REQUESTS = (
    Method(
        "item/commandExecution/requestApproval",
        approvals.WireCommandApprovalParams,
        approvals.WireCommandApprovalAnswer,
        "may this command run so?",
    ),
    Method(
        "item/fileChange/requestApproval",
        approvals.WireFileChangeApprovalParams,
        approvals.WireFileChangeApprovalAnswer,
        "may this patch be applied?",
    ),
)

SERVER_NOTIFICATIONS = (
    NotificationRow("thread/started", notifications.WireThreadStarted, "a session is open"),
    NotificationRow(
        "thread/status/changed", notifications.WireThreadStatusChanged, "it works, waits, or waits for an answer"
    ),
    NotificationRow(
        "thread/settings/updated", notifications.WireThreadSettingsUpdated, "something else holds for its turns"
    ),
    NotificationRow("thread/name/updated", notifications.WireThreadNamed, "it has another name"),
    NotificationRow("thread/closed", notifications.WireThreadOnly, "it is over"),
    NotificationRow("thread/archived", notifications.WireThreadOnly, "it is put away"),
    NotificationRow("thread/unarchived", notifications.WireThreadOnly, "it is listed again"),
    NotificationRow("thread/tokenUsage/updated", notifications.WireTokenUsageUpdated, "tokens were used"),
    NotificationRow("turn/started", notifications.WireTurnChanged, "a turn begins"),
    NotificationRow("turn/completed", notifications.WireTurnChanged, "a turn is over"),
    NotificationRow(
        "turn/diff/updated", notifications.WireTurnDiffUpdated, "what the turn's patches have changed so far"
    ),
    NotificationRow("turn/plan/updated", notifications.WireTurnPlanUpdated, "what the model is going to do"),
    NotificationRow("item/started", notifications.WireItemStarted, "an item begins"),
    NotificationRow("item/completed", notifications.WireItemCompleted, "an item is over"),
    NotificationRow("item/agentMessage/delta", notifications.WireItemDelta, "a piece of what the model says"),
    NotificationRow("item/reasoning/summaryTextDelta", notifications.WireSummaryTextDelta, "a piece of what it thinks"),
    NotificationRow(
        "item/reasoning/summaryPartAdded", notifications.WireSummaryPartAdded, "another part of that begins"
    ),
    NotificationRow("item/commandExecution/outputDelta", notifications.WireItemDelta, "a piece of a command's output"),
    NotificationRow(
        "item/commandExecution/terminalInteraction",
        notifications.WireTerminalInteraction,
        "something is typed into a live command",
    ),
    NotificationRow(
        "command/exec/outputDelta", commands.WireCommandOutputDelta, "a piece of the output of a single command"
    ),
    NotificationRow("serverRequest/resolved", notifications.WireRequestResolved, "a question is answered or gone"),
    NotificationRow("error", notifications.WireErrorTold, "the turn failed, or a request is tried again"),
    NotificationRow("warning", notifications.WireWarned, "something is not as it should be"),
    NotificationRow("deprecationNotice", notifications.WireDeprecationNotice, "a setting has a new name"),
)
