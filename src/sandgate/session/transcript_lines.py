"""The lines of a transcript: what each says, and how it is written.

A line is one JSON object, `{"timestamp", "ordinal", "type", "payload"}` in this order, so that a reader can tell what
most lines are without reading them. Types we do not know are skipped: a later version may have more. A file whose
`version` has a higher first number than ours means something else by the types we know, and is refused as a whole.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime

from sandgate.display import visible
from sandgate.errors import TranscriptUnreadable
from sandgate.protocol.items_wire import as_item, kept_json
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, TypeAlias

    from sandgate.protocol.items import Item

    Json = Mapping[str, Any]

VERSION = "1.0"  # of what is written here
MAJOR = 1
LINE_BYTES_MAX = 64 << 20  # of one line; a longer one is neither written nor read
VERSION_CHARS_SHOWN = 20
SESSION_META, RESPONSE_ITEM, EVENT_MSG = "session_meta", "response_item", "event_msg"
TURN_CONTEXT, COMPACTED, APPROVAL_AUDIT = "turn_context", "compacted", "approval_audit"
UNKNOWN_SOURCE = "unknown"
PARENT = "parent_thread_id"  # of a sub-agent's source
NO_ITEM = "it holds no item that we know"
TASK_STARTED, USER_MESSAGE, TOKEN_COUNT = "task_started", "user_message", "token_count"
REVIEW_BEGAN = "entered_review_mode"
TURN_ENDS = frozenset(("task_complete", "turn_complete", "turn_aborted", "error"))

_TEXT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_ASCII = json.JSONEncoder(separators=(",", ":")).encode


class Malformed(ValueError):
    """A line is of a type we know, and does not fit it."""


class GitState(Record):
    """Of the directory a session began in."""

    commit_hash: str | None = None
    branch: str | None = None
    repository_url: str | None = None


class SessionMeta(Record):
    """Whose transcript this is. Always the first line."""

    id: str
    timestamp: str  # RFC 3339, UTC: when the session began
    cwd: str
    originator: str = "sandgate"
    cli_version: str = ""
    source: str | Mapping[str, Any] = (
        "cli"  # "cli", "exec", "mcp", "vscode", "unknown", or {"subagent": ..., PARENT: ...}
    )
    model_provider: str | None = None
    instructions: str | None = None
    git: GitState | None = None
    forked_from_id: str | None = None
    version: str = VERSION


class ItemLine(Record):
    """One item of the history."""

    item: Item


class EventLine(Record):
    """One event, as clients see it, with its `type`."""

    event: Json


class ContextLine(Record):
    """What holds for the turn that follows.

    `turn_id`, `cwd`, `approval_policy`, `sandbox_policy`, `model`, `effort`, `summary`, as JSON.
    """

    context: Json


class CompactedLine(Record):
    """The history was replaced. `replacement` is None in files of others: then it has to be made again."""

    message: str
    replacement: tuple[Item, ...] | None


class AuditLine(Record):
    """An approval was asked for or answered, or a risk assessed: who allowed what."""

    record: Json


if TYPE_CHECKING:
    Line: TypeAlias = SessionMeta | ItemLine | EventLine | ContextLine | CompactedLine | AuditLine


def timestamp(at: datetime | None = None) -> str:
    """A moment as transcripts have it, RFC 3339 in UTC to the millisecond; now, if none is given."""
    return (at or datetime.now(UTC)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def line_bytes(line: Line, *, ordinal: int, timestamp: str) -> bytes:
    """The line with its end. UTF-8, except that text with half characters is written in escapes throughout."""
    kind, payload = _payload(line)
    head = f'{{"timestamp":"{timestamp}","ordinal":{ordinal},"type":"{kind}","payload":'
    try:
        return f"{head}{_TEXT(payload)}}}\n".encode()
    except UnicodeEncodeError:
        return f"{head}{_ASCII(payload)}}}\n".encode()


def _payload(line: Line) -> tuple[str, Json]:
    match line:
        case ItemLine():
            return RESPONSE_ITEM, kept_json(line.item)
        case EventLine():
            return EVENT_MSG, typed_first(line.event)
        case ContextLine():
            return TURN_CONTEXT, dict(line.context)
        case CompactedLine():
            fields: dict[str, Any] = {"message": line.message}
            if line.replacement is not None:
                fields["replacement_history"] = [kept_json(item) for item in line.replacement]
            return COMPACTED, fields
        case AuditLine():
            return APPROVAL_AUDIT, dict(line.record)
        case SessionMeta():
            return SESSION_META, _meta_json(line)


def typed_first(event: Json) -> dict[str, Any]:
    """The event with its type in front, where readers look for it."""
    return {"type": event["type"], **event}


def _meta_json(meta: SessionMeta) -> Json:
    fields = {name: value for name, value in meta.fields().items() if value is not None and name != "git"}
    git = {} if meta.git is None else meta.git.fields()
    return {**fields, "git": {name: value for name, value in git.items() if value is not None}}


def as_line(kind: str, payload: object) -> Line | None:
    """The line that says `payload`; None for types we do not know. Raises Malformed, TranscriptUnreadable."""
    if not isinstance(payload, dict):
        raise Malformed("its payload is no object")
    match kind:
        case "response_item":
            return ItemLine(_item(payload))
        case "event_msg":
            _text(payload, "type")
            return EventLine(payload)
        case "turn_context":
            return ContextLine(payload)
        case "compacted":
            return _compacted(payload)
        case "session_meta":
            return _meta(payload)
        case "approval_audit":
            return AuditLine(payload)
    return None


def _item(value: object) -> Item:
    item = as_item(value)
    if item is None:
        raise Malformed(NO_ITEM)
    return item


def _compacted(payload: Json) -> CompactedLine:
    items = payload.get("replacement_history")
    if items is not None and not isinstance(items, list):
        raise Malformed("its history is no list")
    known = None if items is None else tuple(item for item in map(as_item, items) if item is not None)
    return CompactedLine(_text(payload, "message"), known)


def _meta(payload: Json) -> SessionMeta:
    version = payload.get("version", VERSION)
    _require_known(version)
    git, source = payload.get("git"), payload.get("source")
    return SessionMeta(
        _text(payload, "id"),
        _text(payload, "timestamp"),
        _text(payload, "cwd"),
        _maybe(payload, "originator") or "",
        _maybe(payload, "cli_version") or "",
        source if isinstance(source, str | dict) else UNKNOWN_SOURCE,
        _maybe(payload, "model_provider"),
        _maybe(payload, "instructions"),
        _git(git if isinstance(git, dict) else payload),
        _maybe(payload, "forked_from_id"),
        version,
    )


def _git(fields: Json) -> GitState | None:
    found = GitState(*(_maybe(fields, name) for name in ("commit_hash", "branch", "repository_url")))
    return None if found == GitState() else found


def _require_known(version: object) -> None:
    major, _, _ = version.partition(".") if isinstance(version, str) else ("", "", "")
    if not (major.isascii() and major.isdigit() and len(major) < VERSION_CHARS_SHOWN) or int(major) > MAJOR:
        raise TranscriptUnreadable(
            "this transcript was written by a later version of Sandgate",
            why=f"its version is `{visible(str(version), limit=VERSION_CHARS_SHOWN)}`, and we read {MAJOR}.x",
            hint="use the program that wrote it",
        )


def _text(fields: Json, name: str) -> str:
    found = fields.get(name)
    if not isinstance(found, str):
        raise Malformed(f"`{name}` is missing or no text")
    return found


def _maybe(fields: Json, name: str) -> str | None:
    found = fields.get(name)
    return found if isinstance(found, str) else None
