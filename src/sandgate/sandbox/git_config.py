"""What a repository's settings, with the user's and the system's, name on this disk: git-config(1).

A setting that names a command may name any file in its words; those that look like a path are taken for one.
Conditions (`includeIf`) are not weighed: what holds tomorrow is closed today.
"""

from __future__ import annotations

import os

from sandgate.commandline import git_settings
from sandgate.record import Record
from sandgate.sandbox.listing import join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from sandgate.sandbox.looking import Look

    Kind = Literal["file", "directory", "word"]

SYSTEM = "/etc/gitconfig"
IN_HOME = (".gitconfig", ".config/git/config")
CONFIG_BYTES_MAX = 1 << 20  # of one file
FILES_MAX = 64  # read for one repository, what they include among them
NAMED_MAX = 256  # places taken from them
SCRIPT_ENDS = (".sh", ".bash", ".py", ".pl", ".rb", ".js", ".mjs", ".cjs", ".ts", ".lua", ".php", ".awk")
_BREAKS = str.maketrans(dict.fromkeys("\"'`;&|()<>$={}!,\t\n", " "))


class Named(Record):
    """A place that settings name. `word`: only perhaps, since it is a word of a command."""

    kind: Kind
    path: str  # absolute, and not yet looked at


def users_files(homes: tuple[str, ...], more: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The files of settings that hold for every repository; `more` are those that the environment names."""
    return (SYSTEM, *(join(home, name) for home in homes for name in IN_HOME), *more)


def named_by_environment(config_home: str, config_global: str, config_system: str) -> tuple[str, ...]:
    """By `$XDG_CONFIG_HOME`, `$GIT_CONFIG_GLOBAL` and `$GIT_CONFIG_SYSTEM`; relative ones mean nothing here."""
    named = (config_home and join(config_home, "git/config"), config_global, config_system)
    return tuple(os.path.normpath(path) for path in named if path.startswith("/"))


class Allowance:
    """How many bytes of settings are still read where a confined command may have written them."""

    __slots__ = ("left",)

    def __init__(self, left: int) -> None:
        self.left = left

    def text(self, file: str, look: Look) -> str:
        """The file; cut off where nothing is left."""
        text = look.settled_text(file, min(self.left, CONFIG_BYTES_MAX)) if self.left > 0 else ""
        self.left -= len(text)
        return text


def named_places(
    files: tuple[str, ...], worktree: str, homes: tuple[str, ...], look: Look, allowance: Allowance | None = None
) -> list[Named]:
    """Everything that the settings in `files`, and in what they include, name for this working tree.

    Without an `allowance` every file is read up to `CONFIG_BYTES_MAX`.
    """
    found: dict[Named, None] = {}
    pending = list(files[::-1])
    seen: dict[str, None] = {}
    while pending and len(seen) < FILES_MAX and len(found) < NAMED_MAX:
        file = pending.pop()
        if file in seen:
            continue
        seen[file] = None
        text = look.settled_text(file, CONFIG_BYTES_MAX) if allowance is None else allowance.text(file, look)
        for key, value in git_settings.settings_in(text):
            if not value or "\0" in value:
                continue
            if len(found) >= NAMED_MAX:
                break
            if key.startswith(git_settings.INCLUDES):
                included = _place(value, os.path.dirname(file), homes)
                pending.append(included)
                found[Named("file", included)] = None
            elif key.startswith(git_settings.DIRECTORIES):
                found[Named("directory", _place(value, worktree, homes))] = None
            elif git_settings.loads(key):
                found[Named("file", _place(value, worktree, homes))] = None
            elif git_settings.runs(key):
                found |= dict.fromkeys(Named("word", path) for path in _words(value, worktree, homes)[:NAMED_MAX])
    return list(found)


def _words(value: str, worktree: str, homes: tuple[str, ...]) -> list[str]:
    """The words of a command that look like programs here. Behind `$(git rev-parse --show-toplevel)` one has a `/`."""
    split = [word for word in value.translate(_BREAKS).split() if word[0] != "-" and "://" not in word]
    words = [word for word in split[:1] if "/" in word.strip("/")]  # else it is looked for on PATH
    words += [word for word in split[1:] if "/" in word.strip("/") or word.endswith(SCRIPT_ENDS)]
    relative = [word.lstrip("/") for word in words if word[0] == "/"]
    return [_place(word, worktree, homes) for word in (*words, *relative)]


def _place(value: str, directory: str, homes: tuple[str, ...]) -> str:
    if value.startswith("~/") and homes:
        return os.path.normpath(join(homes[0], value[2:]))
    return os.path.normpath(join(directory, value))
