"""What reviewers and events are told about a plan: one `FileChange` for every touched file, all its hunks composed."""

from __future__ import annotations

from sandgate.patch.diff import unified_diff
from sandgate.protocol.patches import FileChange

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from sandgate.patch.drafts import FileDraft


def file_changes(drafts: Mapping[str, FileDraft]) -> tuple[FileChange, ...]:
    """In the order in which the patch first names the files. A moved file stands once, under the path it had."""
    moved = {id(draft.origin) for draft in drafts.values() if _is_move(draft)}
    changes = (_change(draft) for draft in drafts.values() if draft.is_touched and id(draft) not in moved)
    return tuple(change for change in changes if change is not None)


def _is_move(draft: FileDraft) -> bool:
    origin = draft.origin
    return draft.exists and origin is not None and not origin.exists and origin.first is not None


def _change(draft: FileDraft) -> FileChange | None:
    first = draft.first
    if _is_move(draft) and draft.origin is not None:
        diff = _diff(draft.base, draft.content())
        there = draft.first is not None
        return FileChange("update", draft.origin.path, unified_diff=diff, move_path=draft.path, replaces=there)
    if not draft.exists:
        return None if first is None else FileChange("delete", draft.path, content=_text(first.content) or "")
    if first is None or first.link is not None:
        return FileChange("add", draft.path, content=_shown(draft.content()), replaces=first is not None)
    if _text(first.content) is None:  # what goes is no text; what comes is shown whole
        return FileChange("add", draft.path, content=_shown(draft.content()), replaces=True)
    return FileChange("update", draft.path, unified_diff=_diff(first.content, draft.content()))


def _diff(old: bytes, new: bytes) -> str:
    return unified_diff(_shown(old), _shown(new))


def _shown(content: bytes) -> str:
    """The content as text; bytes that are none are shown as what they are, so that nothing is shown as nothing."""
    return content.decode("utf-8", "backslashreplace")


def _text(content: bytes) -> str | None:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return None
