"""A plan in lines for a person who decides: every file, what happens to it, and the difference, safe to print."""

from __future__ import annotations

from sandgate.display import visible
from sandgate.patch.diff import SHOWN_CONTEXT_LINES, shown_diff, unified_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.patch.plan import FileWrite, PatchPlan
    from sandgate.protocol.patches import FileChange

FILES_SHOWN_MAX = 100


def described(plan: PatchPlan) -> list[str]:
    """Lines without control characters; long differences and long lists of files are cut, and say so."""
    writes = {write.path: write for write in plan.writes}
    lines: list[str] = []
    for change in plan.changes[:FILES_SHOWN_MAX]:
        moved = "" if change.move_path is None else f" -> {visible(change.move_path)}"
        lines.append(f"{change.kind} {visible(change.path)}{moved}")
        lines += shown_diff(_difference(change, writes))
    if len(plan.changes) > FILES_SHOWN_MAX:
        rest = plan.changes[FILES_SHOWN_MAX:]
        lines += [f"{change.kind} {visible(change.path)}" for change in rest[:FILES_SHOWN_MAX]]
        lines += [f"… and {len(rest) - FILES_SHOWN_MAX} more files"] if len(rest) > FILES_SHOWN_MAX else []
    return lines + [f"warning: {visible(warning)}" for warning in plan.warnings]


def _difference(change: FileChange, writes: dict[str, FileWrite]) -> str:
    if change.kind != "update":
        sign = "+" if change.kind == "add" else "-"
        return "".join(f"{sign}{line}\n" for line in change.content.split("\n")[:-1])
    source, target = writes.get(change.path), writes.get(change.move_path or change.path)
    old = source.before if source is not None else None
    new = target.after if target is not None else None
    if old is None or new is None or old.link is not None:
        return change.unified_diff
    try:
        return unified_diff(old.content.decode("utf-8"), new.content.decode("utf-8"), context=SHOWN_CONTEXT_LINES)
    except UnicodeDecodeError:
        return ""
