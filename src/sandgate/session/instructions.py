"""What AGENTS.md files tell the model.

The user's own file comes first, then those of the project from its root down to the working directory. A project is
other people's files, and what they say goes to a provider: nothing is read but regular files below the root that
belong to us, to root or to the owner of the working directory, and no file that is hidden from commands. So no link
can send a key of the user's along, and no other user's `/tmp/AGENTS.md` speaks for the user. Reading is bounded and
waits for no writer.
"""

from __future__ import annotations

import os
import stat

from sandgate.display import visible
from sandgate.protocol.items import user_message
from sandgate.record import Record
from sandgate.sandbox.project_roots import project_root
from sandgate.session.synthetic_messages import AGENTS_MD, INSTRUCTIONS, without_end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.protocol.items import Message

    Readable = Callable[[str], bool]

FILE_NAMES = ("AGENTS.override.md", "AGENTS.md")  # the first that exists counts
PROJECT_BYTES = 32_768  # of all files of a project together, unless the settings say otherwise
GLOBAL_BYTES = 1_048_576  # of the user's own file
PROJECT_SEPARATOR = "\n\n--- project-doc ---\n\n"
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC


class Instructions(Record):
    """What was found. `text` is "" when nothing was."""

    text: str = ""
    sources: tuple[str, ...] = ()  # paths of the files it comes from, in order
    problems: tuple[str, ...] = ()  # sentences for the person: what was left out, and why


class ProjectFiles(Record):
    """How a project's files are found."""

    max_bytes: int = PROJECT_BYTES  # 0: they are not read at all
    fallback_names: tuple[str, ...] = ()  # tried where a directory has none of FILE_NAMES
    root_markers: tuple[str, ...] = (".git",)  # the nearest directory upwards that holds one is the root


class _Unreadable(Exception):
    """A file is there and cannot be read; the message is a sentence for the person."""


def find_instructions(
    cwd: str,
    *,
    home: str | None,
    own: str = "",
    project: ProjectFiles = ProjectFiles(),  # noqa: B008 - a frozen value
    readable: Readable = lambda _path: True,
) -> Instructions:
    """Everything the model is to be told for work in `cwd`; never raises for what a disk holds. Blocks on the disk.

    `home` is Sandgate's home directory; `own` is what the settings say where no file there does. `readable` says of a
    canonical path whether commands of this session may read what lies there; a project's file says no more than that.
    """
    mine = _global_part(home, own)
    theirs = _project_part(os.path.realpath(cwd), project, readable)
    text = PROJECT_SEPARATOR.join(part for part in (mine.text, theirs.text) if part)
    return Instructions(text, mine.sources + theirs.sources, mine.problems + theirs.problems)


def instructions_message(text: str, directory: str) -> Message:
    """`text` as the model is given it for work in `directory`; it cannot end its block."""
    body = without_end(text, INSTRUCTIONS)
    return user_message(f"{AGENTS_MD}{visible(directory)}\n\n<{INSTRUCTIONS}>\n{body}\n</{INSTRUCTIONS}>")


def _global_part(home: str | None, own: str) -> Instructions:
    problems: list[str] = []
    for path in (os.path.join(home, name) for name in FILE_NAMES) if home else ():
        try:
            content = _content(path, GLOBAL_BYTES, below=None, owners=None)
        except _Unreadable as wrong:
            problems.append(str(wrong))
            continue
        text = _decoded(content, GLOBAL_BYTES).strip()
        if text:
            if len(content) > GLOBAL_BYTES:
                problems.append(_cut_notice(path, GLOBAL_BYTES))
            return Instructions(text, (path,), tuple(problems))
    return Instructions(own.strip(), (), tuple(problems))


def _project_part(cwd: str, project: ProjectFiles, readable: Readable) -> Instructions:
    if project.max_bytes <= 0:
        return Instructions()
    try:
        owners = frozenset((0, os.geteuid(), os.stat(cwd).st_uid))
    except OSError:
        return Instructions()
    root = project_root(cwd, project.root_markers)
    left = project.max_bytes
    texts: dict[str, str] = {}
    problems: list[str] = []
    for path in _candidates(root, cwd, (*FILE_NAMES, *project.fallback_names)):
        if left <= 0:
            problems.append(f"`{visible(path)}` is left out: the files before it use up {project.max_bytes} bytes")
            continue
        try:
            content = _content(path, left, below=root, owners=owners, readable=readable)
        except _Stranger as wrong:
            problems.append(str(wrong))
            continue
        except _Unreadable as wrong:
            # Half of what a project says can mean the opposite of the whole.
            return Instructions(problems=(*problems, str(wrong), "Nothing of the project's own instructions is used."))
        text = _decoded(content, left)
        if text.strip():
            if len(content) > left:
                problems.append(_cut_notice(path, project.max_bytes))
            left -= len(content)
            texts[path] = text
    return Instructions("\n\n".join(texts.values()), tuple(texts), tuple(problems))


def _decoded(content: bytes, most: int) -> str:
    return content[:most].decode("utf-8", "replace")


def _cut_notice(path: str, most: int) -> str:
    return f"`{visible(path)}` is cut: no more than {most} bytes of such files are read"


def _candidates(root: str, cwd: str, names: tuple[str, ...]) -> list[str]:
    """In each directory from the root down, the first name that is a regular file or a link."""
    directories = [cwd]
    while directories[-1] != root:
        directories.append(os.path.dirname(directories[-1]))
    wanted = tuple(filter(None, map(str.strip, names)))
    firsts = (next(filter(_may_be_read, (os.path.join(place, name) for name in wanted)), None) for place in directories)
    return [path for path in firsts if path is not None][::-1]


def _may_be_read(path: str) -> bool:
    try:
        mode = os.lstat(path).st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(mode) or stat.S_ISLNK(mode)


class _Stranger(_Unreadable):
    """It could be read, and must not be."""


def _content(
    path: str,
    most_bytes: int,
    *,
    below: str | None,
    owners: frozenset[int] | None,
    readable: Readable = lambda _path: True,
) -> bytes:
    """At most `most_bytes` and one more of a regular file; b"" when there is none, or a link leads nowhere.

    Raises _Stranger for what lies outside `below`, is hidden, or belongs to no user in `owners`; _Unreadable for
    other failures.
    """
    try:
        # Held by name only, so that looking at it cannot touch a device or wait for the other end of a pipe.
        held = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return b""
    except OSError as wrong:
        raise _Unreadable(f"`{visible(path)}` cannot be opened ({wrong.strerror})") from wrong
    try:
        status = os.fstat(held)
        if not stat.S_ISREG(status.st_mode):
            return b""
        real = os.readlink(f"/proc/self/fd/{held}")
        if below is not None and not real.startswith(below.rstrip("/") + "/"):
            raise _Stranger(f"`{visible(path)}` is not read: it leads out of the project, to `{visible(real)}`")
        if not readable(real):
            raise _Stranger(f"`{visible(path)}` is not read: `{visible(real)}` may hold secrets")
        if owners is not None and status.st_uid not in owners:
            raise _Stranger(f"`{visible(path)}` is not read: it belongs to another user (number {status.st_uid})")
        return _first_bytes(held, most_bytes + 1)
    except OSError as wrong:
        raise _Unreadable(f"`{visible(path)}` cannot be read ({wrong.strerror})") from wrong
    finally:
        os.close(held)


def _first_bytes(held: int, most: int) -> bytes:
    descriptor = os.open(f"/proc/self/fd/{held}", _READ)
    try:
        content = bytearray()
        while len(content) < most and (more := os.read(descriptor, most - len(content))):
            content += more
        return bytes(content)
    finally:
        os.close(descriptor)
