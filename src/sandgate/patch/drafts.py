"""One file of a patch in the making: what lies on the disk, and what it has become so far."""

from __future__ import annotations

from sandgate.patch.disk_lookup import FileState
from sandgate.patch.text import FileText

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.patch.disk_lookup import Attributes


class FileDraft:
    """`path` is how the patch first named it; `first` what the disk holds; `origin` where its content was moved from.

    The content is kept as bytes or, while updates come in, as lines; `base` are the bytes it began as.
    """

    __slots__ = (
        "_content",
        "_text",
        "_was_set",
        "attributes",
        "base",
        "exists",
        "first",
        "is_link",
        "mode",
        "moved_away",
        "origin",
        "path",
    )

    def __init__(self, path: str, first: FileState | None) -> None:
        self.path = path
        self.first = first
        self.exists = first is not None
        self.is_link = first is not None and first.link is not None  # still the symbolic link the disk holds
        self.mode: int | None = first.mode if first else None
        self.attributes: Attributes = first.attributes if first else ()
        self.base = first.content if first else b""
        self.origin: FileDraft | None = None
        self.moved_away = False
        self._content = self.base
        self._text: FileText | None = None
        self._was_set = False

    @property
    def is_touched(self) -> bool:
        """Whether a hunk did anything here but read."""
        return self._was_set or self._text is not None

    def content(self) -> bytes:
        """What it holds now."""
        return self._content if self._text is None else self._text.to_bytes()

    def text(self) -> FileText:
        """The same as lines that may be changed. Raises UnicodeDecodeError."""
        if self._text is None:
            self._text = FileText(self._content)
        return self._text

    def write(self, content: bytes) -> None:
        """Holds `content` from now on."""
        if self.is_link or not self.exists:
            self.mode, self.attributes, self.moved_away, self.origin = None, (), False, None
            if self.first is not None and self.first.link is None:
                self.mode, self.attributes = self.first.mode, self.first.attributes
        self.exists, self.is_link, self._content, self._text, self._was_set = True, False, content, None, True

    def remove(self, *, moved: bool = False) -> None:
        """Nothing is here any more; `moved`: because it is elsewhere now."""
        self.exists = self.is_link = False
        self._was_set = True
        self._content, self._text, self.moved_away, self.origin = b"", None, moved, None

    def copied(self) -> FileDraft:
        """An independent draft of the same content, for a move that changes it on the way."""
        copy = FileDraft(self.path, self.first)
        copy.exists, copy.mode, copy.attributes, copy.base = self.exists, self.mode, self.attributes, self.base
        copy.origin = self.origin
        copy._content = self.content()
        return copy

    def take_over(self, source: FileDraft, original: FileDraft) -> None:
        """Becomes what `source` holds, with its mode; `original` is the entry that is left behind."""
        self.write(source.content())
        self.mode, self.attributes, self.moved_away = source.mode, source.attributes, False
        self.base = source.base
        self.origin = source.origin or original

    def state(self) -> FileState | None:
        """What is to lie on the disk."""
        if not self.exists:
            return None
        if self.is_link:
            return self.first
        return FileState(self.content(), self.mode, attributes=self.attributes)

    def changes(self, after: FileState | None) -> bool:
        """Whether `after`, the draft's state, is another one than the disk's."""
        if self.first is None or after is None:
            return self.first is not after
        return not after.is_same(self.first) or (after.mode, after.attributes) != (
            self.first.mode,
            self.first.attributes,
        )
