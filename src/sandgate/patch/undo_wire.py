"""What takes a patch back, as JSON: for a program that goes on where another one has ended.

File contents are bytes and stand in base64; names may hold bytes that are no UTF-8 and stand as they are, in escapes.
"""

from __future__ import annotations

from binascii import Error, a2b_base64, b2a_base64

from sandgate.patch.apply import UndoRecord
from sandgate.patch.disk_lookup import FileState
from sandgate.patch.plan import FileWrite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Json = dict[str, Any]


def undo_json(record: UndoRecord) -> Json:
    """For `as_undo`."""
    return {"writes": [_write_json(write) for write in record.writes], "made": list(record.made)}


def as_undo(value: object) -> UndoRecord | None:
    """None for what `undo_json` has not made."""
    try:
        fields: Any = value
        return UndoRecord(tuple(map(_as_write, fields["writes"])), tuple(map(_text, fields["made"])))
    except (KeyError, TypeError, ValueError, Error):
        return None


def _write_json(write: FileWrite) -> Json:
    return {
        "place": write.place,
        "path": write.path,
        "before": _state_json(write.before),
        "after": _state_json(write.after),
    }


def _state_json(state: FileState | None) -> Json | None:
    if state is None:
        return None
    attributes = [[name, _base64(value)] for name, value in state.attributes]
    return {**state.fields(), "content": _base64(state.content), "attributes": attributes}


def _as_write(value: Any) -> FileWrite:
    return FileWrite(_text(value["place"]), _text(value["path"]), _as_state(value["before"]), _as_state(value["after"]))


def _as_state(value: Any) -> FileState | None:
    if value is None:
        return None
    mode, link, links = value["mode"], value["link"], value["links"]
    if not isinstance(links, int) or not isinstance(mode, int | None) or not isinstance(link, str | None):
        raise ValueError("a field is of another type")
    attributes = tuple((_text(name), _bytes(held)) for name, held in value["attributes"])
    return FileState(_bytes(value["content"]), mode, link, links, attributes)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("a field is no text")
    return value


def _base64(data: bytes) -> str:
    return b2a_base64(data, newline=False).decode()


def _bytes(text: object) -> bytes:
    return a2b_base64(_text(text), strict_mode=True)
