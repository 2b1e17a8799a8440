"""What an approval is tied to beside its words: the directory, the program and the files it was shown with."""

from __future__ import annotations

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    BoundAs = Literal["directory", "root", "program", "file", "more"]  # more: too many to be looked at

ABSENT = "absent"
DIRECTORY = "directory"  # where a file was looked for
SYSTEMS = "system:"  # in front of where a file of the system's lies, whose content is not looked at


class Identity(Record):
    """An object of a file system, whatever it is called."""

    device: int
    inode: int
    changed_ns: int = 0  # its last change of content or status, since the epoch; 0: it may change


class Seen(Record):
    """One place as it was at one look. Two looks saw the same when path, kind and state are the same."""

    kind: BoundAs
    path: str  # absolute, as the command reaches it
    state: str  # "absent", "sha256:…" of the content, or where it really lies and which object it is

    @property
    def exists(self) -> bool:
        return self.state != ABSENT

    @property
    def is_ours(self) -> bool:
        """A file is there, and not one of the system's."""
        return self.state not in (ABSENT, DIRECTORY) and not self.state.startswith(SYSTEMS)

    @property
    def read(self) -> bool:
        """Its content is known, so an equal state means equal content."""
        return self.state.startswith("sha256:")


class Binding(Record):
    """Everything one question is about that could be exchanged while it is open, in a steady order."""

    places: tuple[Seen, ...] = ()

    @property
    def files(self) -> tuple[str, ...]:
        """The files that will be executed and lie where commands may write, and are there."""
        return tuple([seen.path for seen in self.places if seen.kind == "file" and seen.is_ours])

    def lasting(self, *, changing: bool) -> Binding:
        """What an answer for the session is tied to. `changing`: it holds whatever the files become.

        Granted roots are part of what was given, by their paths, and are held only while they are asked for.
        """
        left_out = ("root", "file", "more") if changing else ("root",)
        return Binding(tuple([seen for seen in self.places if seen.kind not in left_out]))

    def changed_in(self, now: Binding) -> tuple[Seen, ...]:
        """What of this is not so `now`. What came to be looked at beside it does not count."""
        after = {(seen.kind, seen.path): seen.state for seen in now.places}
        return tuple([seen for seen in self.places if after.get((seen.kind, seen.path)) != seen.state])

    def holds(self, now: Binding) -> bool:
        return not self.changed_in(now)


class Bound(Record):
    """What a started command has to find in its place; anything else, and nothing runs (ESTALE).

    `directory` is compared with the directory that was entered, `program` with the file about to be executed, `files`
    as the last thing before that.
    """

    directory: Identity | None = None  # None: whichever is there
    program: Identity | None = None
    by_descriptor: bool = False  # the program lies where commands may write: what was compared is what is executed
    files: tuple[tuple[str, Identity], ...] = ()
