"""What reviewers and events are told about a plan: one `FileChange` for every touched file, all its hunks composed."""

from __future__ import annotations

from sandgate.patch.diff import unified_diff
from sandgate.protocol.patches import FileChange

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from sandgate.patch.drafts import Draft


def file_changes(drafts: Mapping[str, Draft]) -> tuple[FileChange, ...]:
    """In the order in which the patch first names the files. A moved file stands once, under the path it had."""
    moved = {id(draft.origin) for draft in drafts.values() if _is_move(draft)}
    changes = (_change(draft) for draft in drafts.values() if draft.is_touched and id(draft) not in moved)
    return tuple(change for change in changes if change is not None)


def _is_move(draft: Draft) -> bool:
    origin = draft.origin
    return draft.exists and origin is not None and not origin.exists and origin.first is not None


def _change(draft: Draft) -> FileChange | None:
    first = draft.first
    if _is_move(draft) and draft.origin is not None:
        diff = _diff(draft.base, draft.content())
        return FileChange("update", draft.origin.path, unified_diff=diff, move_path=draft.path)
    if not draft.exists:
        return None if first is None else FileChange("delete", draft.path, content=_text(first.content) or "")
    if first is None or first.link is not None:
        return FileChange("add", draft.path, content=_text(draft.content()) or "")
    return FileChange("update", draft.path, unified_diff=_diff(first.content, draft.content()))


def _diff(old: bytes, new: bytes) -> str:
    before, after = _text(old), _text(new)
    return "" if before is None or after is None else unified_diff(before, after)


def _text(content: bytes) -> str | None:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return None
