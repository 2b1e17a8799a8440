"""Operations from JSON, in the names and shapes that clients of the lineage send.

What cannot be read is refused as a whole, with the field that is wrong. A field that is not known is passed over, and
so is null for one that may be left out; of `effort`, null is the model's own.
"""

from __future__ import annotations

from sandgate.display import visible
from sandgate.errors import RequestError
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
from sandgate.protocol.permissions import DangerFullAccess, ExternalSandbox, Granular, ReadOnly, WorkspaceWrite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from sandgate.protocol.decisions import ReviewDecision
    from sandgate.protocol.operations import InputItem, Operation
    from sandgate.protocol.permissions import ApprovalPolicy, SandboxPolicy

    Json = Mapping[str, Any]

ITEMS_MAX = 1024  # of one message
PLAIN: dict[str, Operation] = {
    "interrupt": Interrupt(),
    "compact": Compact(),
    "undo": Undo(),
    "shutdown": Shutdown(),
    "list_mcp_tools": ListMcpTools(),
    "list_custom_prompts": ListCustomPrompts(),
}
ITEMS: dict[str, tuple[str, Callable[[str], InputItem]]] = {
    "text": ("text", TextInput),
    "image": ("image_url", ImageInput),
    "local_image": ("path", LocalImageInput),
}
SANDBOXES: dict[str, type[ReadOnly | WorkspaceWrite | DangerFullAccess | ExternalSandbox]] = {
    "read-only": ReadOnly,
    "workspace-write": WorkspaceWrite,
    "external-sandbox": ExternalSandbox,
    "danger-full-access": DangerFullAccess,
}
APPROVALS: dict[str, ApprovalPolicy] = {
    "untrusted": "untrusted",
    "on-failure": "on-failure",
    "on-request": "on-request",
    "never": "never",
}
DECISIONS: dict[str, ReviewDecision] = {
    "approved": "approved",
    "approved_for_session": "approved_for_session",
    "denied": "denied",
    "abort": "abort",
}


def read_operation(value: object) -> Operation:
    """Raises RequestError, which names what is wrong."""
    given = _object(value, "the operation")
    kind = given.get("type")
    if isinstance(kind, str) and kind in PLAIN:
        return PLAIN[kind]
    match kind:
        case "user_input":
            return UserInput(_items(given), _schema(given))
        case "user_turn":
            return UserTurn(_items(given), _change(given), _schema(given))
        case "override_turn_context":
            return OverrideTurnContext(_change(given))
        case "run_user_shell_command":
            return RunUserShellCommand(_text(given, "command"))
        case "add_to_history":
            return AddToHistory(_text(given, "text"))
        case "get_history_entry_request":
            return GetHistoryEntry(_number(given, "offset"), _number(given, "log_id"))
        case "review":
            asked = _object(given.get("review_request"), "`review_request`")
            return Review(_text(asked, "prompt"), _optional(asked, "user_facing_hint") or "")
        case "exec_approval" | "patch_approval":
            return AnswerApproval(_text(given, "id"), _decision(given))
    raise _wrong("`type`", kind, "it names no operation")


def approval_policy_of(value: object) -> ApprovalPolicy:
    """A policy's name, or `{"granular": {class of questions: whether they are asked}}`. Raises RequestError."""
    if isinstance(value, str) and value in APPROVALS:
        return APPROVALS[value]
    flags = value.get("granular") if isinstance(value, dict) else None
    if not isinstance(flags, dict):
        raise _wrong("`approval_policy`", value, f"it is one of {', '.join(APPROVALS)}, or granular")
    known = {name: flags[name] for name in Granular.__match_args__ if name in flags}
    lacking = {"sandbox_approval", "rules", "mcp_elicitations"} - known.keys()
    if lacking or not all(isinstance(flag, bool) for flag in known.values()):
        raise _wrong("`approval_policy`", value, "a granular policy has a boolean for each class of questions")
    return Granular(**known)


def sandbox_policy_of(value: object) -> SandboxPolicy:
    """Under either name of its tag. Raises RequestError."""
    given = _object(value, "`sandbox_policy`")
    tag = given.get("mode", given.get("type"))
    made = SANDBOXES.get(tag) if isinstance(tag, str) else None
    if made is None:
        raise _wrong("`sandbox_policy`", tag, f"it is one of {', '.join(SANDBOXES)}")
    fields = {name: given[name] for name in made.__match_args__ if given.get(name) is not None}
    for name, field in fields.items():
        if name == "writable_roots":
            if not isinstance(field, list) or not all(isinstance(root, str) for root in field):
                raise _wrong(f"`{name}`", field, "it is a list of directories")
            fields[name] = tuple(field)
        elif not isinstance(field, bool):
            raise _wrong(f"`{name}`", field, "it is true or false")
    return made(**fields)


def _change(given: Json) -> ContextChange:
    approval, sandbox = given.get("approval_policy"), given.get("sandbox_policy")
    effort = _optional(given, "effort") if "effort" in given else ""
    return ContextChange(
        cwd=_optional(given, "cwd"),
        approval_policy=None if approval is None else approval_policy_of(approval),
        sandbox_policy=None if sandbox is None else sandbox_policy_of(sandbox),
        model=_optional(given, "model"),
        effort=effort,
        summary=_optional(given, "summary"),
    )


def _items(given: Json) -> tuple[InputItem, ...]:
    items = given.get("items")
    if not isinstance(items, list) or len(items) > ITEMS_MAX:
        raise _wrong("`items`", items, f"it is a list of at most {ITEMS_MAX}")
    return tuple(map(_item, items))


def _item(value: object) -> InputItem:
    given = _object(value, "an item")
    kind = given.get("type")
    if not isinstance(kind, str) or kind not in ITEMS:
        raise _wrong("`type` of an item", kind, f"it is one of {', '.join(ITEMS)}")
    name, made = ITEMS[kind]
    return made(_text(given, name))


def _decision(given: Json) -> Any:
    from sandgate.protocol.decisions import Decision

    said: Any = given.get("decision", "denied")
    reason = ""
    if isinstance(said, dict) and isinstance(said.get("denied"), dict):
        said, reason = "denied", _optional(said["denied"], "rejection") or ""
    if not isinstance(said, str) or said not in DECISIONS:
        raise _wrong("`decision`", said, f"it is one of {', '.join(DECISIONS)}")
    return Decision("initial", DECISIONS[said], "user", reason=reason)


def _schema(given: Json) -> Json | None:
    schema = given.get("final_output_json_schema")
    return None if schema is None else _object(schema, "`final_output_json_schema`")


def _object(value: object, what: str) -> Json:
    if not isinstance(value, dict):
        raise _wrong(what, value, "it is no object")
    return value


def _text(given: Json, name: str) -> str:
    value = _optional(given, name)
    if value is None:
        raise _wrong(f"`{name}`", None, "it is missing")
    return value


def _optional(given: Json, name: str) -> str | None:
    value = given.get(name)
    if value is not None and not isinstance(value, str):
        raise _wrong(f"`{name}`", value, "it is no text")
    return value


def _number(given: Json, name: str) -> int:
    value = given.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise _wrong(f"`{name}`", value, "it is no whole number")
    return value


def _wrong(what: str, value: object, why: str) -> RequestError:
    return RequestError(f"cannot read {what}: `{visible(str(value), limit=80)}`", why=why)
