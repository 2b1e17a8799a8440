"""What is read of the draft of a git directory and of the directory itself, and what is refused of it."""

from __future__ import annotations

import posixpath

from sandgate.commandline import git_settings
from sandgate.places.git_draft import innermost
from sandgate.sandbox.git_draft import Unwanted
from sandgate.sandbox.git_entries import SHA1_BYTES, SHA256_BYTES, IndexEntries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.execution.held_tree import HeldTree
    from sandgate.protocol.denials import Operation
    from sandgate.sandbox.git_draft import Draft

ALL_BYTES_MAX = 1 << 30  # read out of one draft
INDEX_BYTES_MAX = 256 << 20


class DraftFiles:
    """One draft, `upper`, over `real`. `blocked`: why nothing but objects and settings goes over; "" for no reason."""

    def __init__(self, upper: HeldTree, real: HeldTree, draft: Draft) -> None:
        self.upper = upper
        self.real = real
        self.draft = draft
        self.blocked = ""
        self.refused: dict[str, Unwanted] = {}
        self._left = ALL_BYTES_MAX

    def refuse(self, operation: Operation, path: str, *, blocks: str = "") -> None:
        """The file at `path` does not go over; `blocks`: and therefore nothing that is not by itself."""
        self.refused.setdefault(path, Unwanted(operation, path))
        self.blocked = self.blocked or blocks

    def content(self, path: str, bytes_max: int) -> bytes | None:
        """What the draft says there; None, and refused, where that cannot be read or is too large."""
        try:
            content = self.upper.read(path, min(bytes_max, self._left))
        except OSError:
            content = None
        if content is None:
            self.refuse("create", path, blocks=f"`{path}` cannot be read, or is too large")
            return None
        self._left -= len(content)
        return content

    def entries_now(self, path: str) -> IndexEntries:
        """Of the index that is there now."""
        return self.entries(path, self.now(path, INDEX_BYTES_MAX) or b"")

    def entries(self, path: str, content: bytes) -> IndexEntries:
        """As the git that finds it there will read it; no command chooses the length of a hash."""
        directory, _, is_linked = innermost(path)
        shared = posixpath.dirname(posixpath.dirname(directory)) if is_linked else directory
        settings = git_settings.settings_in(settings_text(self.now(posixpath.join(shared, "config")) or b""))
        formats = [value for key, value in settings if key == "extensions.objectformat"]
        return IndexEntries(content, SHA256_BYTES if formats[-1:] == ["sha256"] else SHA1_BYTES)

    def now(self, path: str, bytes_max: int = INDEX_BYTES_MAX) -> bytes | None:
        """What the git directory itself says there; None for nothing."""
        try:
            return self.real.read(path, bytes_max)
        except OSError:
            return None


def repository_of(path: str) -> str:
    """The directory with the objects of what lies at `path` in a git directory: a submodule's, or "" for its own."""
    directory, _, is_linked = innermost(path)
    return posixpath.dirname(posixpath.dirname(directory)) if is_linked else directory


def settings_text(content: bytes) -> str:
    """The content of a file of settings; what is not UTF-8 survives the way back."""
    return content.decode("utf-8", "surrogateescape")
