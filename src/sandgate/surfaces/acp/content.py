"""Parts of a tool call as a client shows them. Editors show text as Markdown; what others wrote stands in fences."""

from __future__ import annotations

import re

from acp.schema import ContentToolCallContent, FileEditToolCallContent, TextContentBlock, ToolCallLocation

from sandgate.commandline.words import joined
from sandgate.display import one_line, visible
from sandgate.protocol.wire import sendable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any, TypeAlias

    from acp.schema import TerminalToolCallContent, ToolKind

    from sandgate.protocol.patches import FileChange

    Content: TypeAlias = ContentToolCallContent | FileEditToolCallContent | TerminalToolCallContent  # the last: never

TITLE_CHARS_MAX = 200
OUTPUT_CHARS_MAX = 32 * 1024  # of a command, its end; the model read what it read, and the transcript has it
LOCATIONS_MAX = 64
DIFFS_MAX = 256  # hunks of one patch
SHELLS = ("bash", "sh", "zsh", "dash")
KINDS: Mapping[str, ToolKind] = {"read": "read", "list_files": "search", "search": "search"}
CUT = "[…]\n"


def text_content(text: str) -> ContentToolCallContent:
    """Markdown."""
    return ContentToolCallContent(type="content", content=TextContentBlock(type="text", text=text))


def fenced(text: str) -> ContentToolCallContent:
    """Words that are shown as they are: no sign in them means anything, and none ends the fence."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    shown = "\n".join(map(visible, text.rstrip().split("\n")))
    return text_content(f"{fence}text\n{shown}\n{fence}")


def output(text: str) -> ContentToolCallContent:
    """The end of what a command printed."""
    return fenced(text if len(text) <= OUTPUT_CHARS_MAX else CUT + text[-OUTPUT_CHARS_MAX:])


def command_title(argv: Sequence[str]) -> str:
    """One line: a shell's script by itself, everything else as it would be typed."""
    scripted = len(argv) == 3 and argv[1] in ("-c", "-lc") and argv[0].rpartition("/")[2] in SHELLS
    return code(argv[2] if scripted else joined(tuple(argv)))


def code(text: str) -> str:
    """A name or command within a title."""
    shown = one_line(text, limit=TITLE_CHARS_MAX)
    ticks = "``" if "`" in shown else "`"
    space = " " if len(ticks) > 1 else ""
    return f"{ticks}{space}{shown}{space}{ticks}"


def command_kind(parsed: Sequence[Mapping[str, Any]]) -> ToolKind:
    """What it looks like it does, for an icon."""
    kinds = {KINDS.get(str(each.get("type")), "execute") for each in parsed}
    return kinds.pop() if len(kinds) == 1 else "execute"


def command_locations(parsed: Sequence[Mapping[str, Any]], cwd: str) -> list[ToolCallLocation]:
    """The files that it names to read."""
    return locations((str(each["path"]) for each in parsed if each.get("path")), cwd)


def locations(paths: Iterable[str], cwd: str) -> list[ToolCallLocation]:
    """Absolute, each once."""
    placed = (path if path.startswith("/") else f"{cwd.rstrip('/')}/{path}" for path in paths)
    return [ToolCallLocation(path=sendable(path)) for path in list(dict.fromkeys(placed))[:LOCATIONS_MAX]]


def patch_title(changes: Sequence[FileChange]) -> str:
    """Which files."""
    names = ", ".join(code(change.path.rpartition("/")[2]) for change in changes[:3])
    more = f" and {len(changes) - 3} more" if len(changes) > 3 else ""
    return f"Edit {names}{more}" if names else "Edit files"


def patch_kind(changes: Sequence[FileChange]) -> ToolKind:
    """`edit`, but for what only deletes or only moves."""
    if changes and all(change.kind == "delete" for change in changes):
        return "delete"
    if changes and all(change.move_path and not change.unified_diff for change in changes):
        return "move"
    return "edit"


def diffs(changes: Sequence[FileChange]) -> list[Content]:
    """What is changed, as it was shown to whoever approved it: a part for each hunk."""
    return [part for change in changes for part in _parts(change)][:DIFFS_MAX]


def _parts(change: FileChange) -> Iterator[Content]:
    if change.kind == "add":
        yield FileEditToolCallContent(type="diff", path=sendable(change.path), new_text=sendable(change.content))
    elif change.kind == "delete":
        yield FileEditToolCallContent(
            type="diff", path=sendable(change.path), old_text=sendable(change.content), new_text=""
        )
    else:
        path = change.move_path or change.path
        if change.move_path:
            yield text_content(f"{code(visible(change.path))} becomes {code(visible(change.move_path))}")
        for old, new in hunks(change.unified_diff):
            yield FileEditToolCallContent(
                type="diff", path=sendable(path), old_text=sendable(old), new_text=sendable(new)
            )


def hunks(unified: str) -> Iterator[tuple[str, str]]:
    """The lines of each hunk before and after."""
    old: list[str] = []
    new: list[str] = []
    for line in unified.split("\n"):
        sign, rest = line[:1], line[1:]
        if line.startswith("@@"):
            if old or new:
                yield _joined(old), _joined(new)
            old, new = [], []
        elif sign == " ":
            old.append(rest)
            new.append(rest)
        elif sign == "-":
            old.append(rest)
        elif sign == "+":
            new.append(rest)
    if old or new:
        yield _joined(old), _joined(new)


def _joined(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
