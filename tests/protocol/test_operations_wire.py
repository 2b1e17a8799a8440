"""What clients ask for, in the names and shapes that they send; everything else is refused by name."""

from __future__ import annotations

from typing import Any

import pytest

from sandgate.config.schema import APPROVAL_MODES
from sandgate.errors import RequestError
from sandgate.protocol.decisions import Decision
from sandgate.protocol.operations import (
    AddToHistory,
    AnswerApproval,
    Compact,
    ContextChange,
    GetHistoryEntry,
    ImageInput,
    Interrupt,
    ListCustomPrompts,
    ListMcpTools,
    LocalImageInput,
    OverrideTurnContext,
    Review,
    RunUserShellCommand,
    Shutdown,
    TextInput,
    Undo,
    UserInput,
    UserTurn,
)
from sandgate.protocol.operations_wire import APPROVALS, SANDBOXES, read_operation
from sandgate.protocol.permissions import DangerFullAccess, ExternalSandbox, Granular, ReadOnly, WorkspaceWrite
from sandgate.protocol.wire import sandbox_json

HI = [{"type": "text", "text": "hi"}]
SCHEMA = {"type": "object"}


@pytest.mark.parametrize(
    ("sent", "meant"),
    [
        ({"type": "interrupt"}, Interrupt()),
        ({"type": "compact"}, Compact()),
        ({"type": "undo"}, Undo()),
        ({"type": "shutdown", "unknown": 1}, Shutdown()),
        ({"type": "list_mcp_tools"}, ListMcpTools()),
        ({"type": "list_custom_prompts"}, ListCustomPrompts()),
        ({"type": "add_to_history", "text": "hi"}, AddToHistory("hi")),
        ({"type": "get_history_entry_request", "offset": 2, "log_id": 7}, GetHistoryEntry(2, 7)),
        ({"type": "run_user_shell_command", "command": "ls"}, RunUserShellCommand("ls")),
        ({"type": "review", "review_request": {"prompt": "p", "user_facing_hint": "h"}}, Review("p", "h")),
        ({"type": "review", "review_request": {"prompt": "p"}}, Review("p")),
        ({"type": "user_input", "items": HI}, UserInput((TextInput("hi"),))),
        (
            {
                "type": "user_input",
                "items": [{"type": "image", "image_url": "data:x"}, {"type": "local_image", "path": "/p"}],
                "final_output_json_schema": SCHEMA,
            },
            UserInput((ImageInput("data:x"), LocalImageInput("/p")), SCHEMA),
        ),
        (
            {
                "type": "user_turn",
                "items": HI,
                "cwd": "/w",
                "approval_policy": "never",
                "sandbox_policy": {"mode": "workspace-write", "writable_roots": ["/a"], "network_access": True},
                "model": "m",
                "effort": "low",
                "summary": "auto",
                "final_output_json_schema": SCHEMA,
            },
            UserTurn(
                (TextInput("hi"),),
                ContextChange("/w", "never", WorkspaceWrite(("/a",), network_access=True), "m", "low", "auto"),
                SCHEMA,
            ),
        ),
        ({"type": "override_turn_context"}, OverrideTurnContext(ContextChange())),
        (
            {"type": "override_turn_context", "effort": None, "cwd": None},
            OverrideTurnContext(ContextChange(effort=None)),
        ),
        (
            {
                "type": "override_turn_context",
                "approval_policy": {"granular": {"sandbox_approval": True, "rules": False, "mcp_elicitations": True}},
                "sandbox_policy": {"type": "read-only"},
            },
            OverrideTurnContext(ContextChange(approval_policy=Granular(True, False, True), sandbox_policy=ReadOnly())),
        ),
        (
            {"type": "exec_approval", "id": "a", "decision": "approved_for_session"},
            AnswerApproval("a", Decision("initial", "approved_for_session", "user")),
        ),
        ({"type": "patch_approval", "id": "a"}, AnswerApproval("a", Decision("initial", "denied", "user"))),
        (
            {"type": "exec_approval", "id": "a", "decision": {"denied": {"rejection": "no"}}},
            AnswerApproval("a", Decision("initial", "denied", "user", reason="no")),
        ),
    ],
)
def test_an_operation_is_read_as_clients_send_it(sent: dict[str, Any], meant: Any) -> None:
    assert read_operation(sent) == meant


@pytest.mark.parametrize("policy", [ReadOnly(), WorkspaceWrite(("/a",)), ExternalSandbox(True), DangerFullAccess()])
@pytest.mark.parametrize("tag", ["mode", "type"])
def test_a_sandbox_policy_is_read_as_events_tell_it(policy: Any, tag: str) -> None:
    told = sandbox_json(policy)
    sent = {"type": "override_turn_context", "sandbox_policy": {tag: told.pop("mode"), **told}}
    assert read_operation(sent) == OverrideTurnContext(ContextChange(sandbox_policy=policy))


def test_the_names_are_those_of_the_configuration() -> None:
    assert set(APPROVALS) == set(APPROVAL_MODES)
    assert list(SANDBOXES) == ["read-only", "workspace-write", "external-sandbox", "danger-full-access"]


@pytest.mark.parametrize(
    ("sent", "named"),
    [
        (None, "the operation"),
        ([], "the operation"),
        ({}, "`type`"),
        ({"type": "reboot"}, "`type`"),
        ({"type": ["interrupt"]}, "`type`"),
        ({"type": "user_input"}, "`items`"),
        ({"type": "user_input", "items": [HI[0]] * 1025}, "`items`"),
        ({"type": "user_input", "items": ["hi"]}, "an item"),
        ({"type": "user_input", "items": [{"type": "sound"}]}, "`type` of an item"),
        ({"type": "user_input", "items": [{"type": "text", "text": 3}]}, "`text`"),
        ({"type": "user_input", "items": HI, "final_output_json_schema": "{}"}, "`final_output_json_schema`"),
        ({"type": "user_turn", "items": HI, "model": 3}, "`model`"),
        ({"type": "user_turn", "items": HI, "effort": 3}, "`effort`"),
        ({"type": "user_turn", "items": HI, "approval_policy": "sometimes"}, "`approval_policy`"),
        ({"type": "user_turn", "items": HI, "approval_policy": {"granular": {"rules": True}}}, "`approval_policy`"),
        ({"type": "user_turn", "items": HI, "sandbox_policy": "read-only"}, "`sandbox_policy`"),
        ({"type": "user_turn", "items": HI, "sandbox_policy": {"mode": "open"}}, "`sandbox_policy`"),
        ({"type": "user_turn", "items": HI, "sandbox_policy": {"mode": ["read-only"]}}, "`sandbox_policy`"),
        (
            {"type": "user_turn", "items": HI, "sandbox_policy": {"mode": "read-only", "network_access": "no"}},
            "`network_access`",
        ),
        (
            {"type": "user_turn", "items": HI, "sandbox_policy": {"mode": "workspace-write", "writable_roots": "/a"}},
            "`writable_roots`",
        ),
        ({"type": "run_user_shell_command"}, "`command`"),
        ({"type": "review"}, "`review_request`"),
        ({"type": "exec_approval", "decision": "approved"}, "`id`"),
        ({"type": "exec_approval", "id": "a", "decision": "maybe"}, "`decision`"),
        ({"type": "exec_approval", "id": "a", "decision": {"denied": "no"}}, "`decision`"),
    ],
)
def test_what_cannot_be_read_is_refused_by_name(sent: Any, named: str) -> None:
    with pytest.raises(RequestError) as refused:
        read_operation(sent)
    assert named in refused.value.what
