"""What takes the last turn's patches back, also after the session was closed and goes on.

The session itself remembers it while it lives; here it lies on disk, as soon as a patch is applied and until the next
turn patches something. The files' earlier contents are in it, so it lies in the state directory, which no confined
command sees, and goes with the session's transcript.
"""

from __future__ import annotations

import json
import os
from _thread import allocate_lock
from contextlib import suppress

from sandgate.approvals.private_files import FILE_MODE, made_directory, removed
from sandgate.errors import SandgateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.patch.apply import UndoRecord
    from sandgate.runtime.runtime import Runtime

NAME = "undo"  # of the directory
KEPT_BYTES_MAX = 32 << 20  # of one session; what is larger can be taken back only while the session lives
_APPEND = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class PatchUndo:
    """The patches of one session that can be taken back. Blocks on the disk; from any thread.

    `kept`: where they are kept for a session that goes on later; None: it never does. `hand_up` gives them to the
    session that this one works for, whose turn they belong to; None: there is no such session.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self.kept: KeptUndo | None = None
        self.hand_up: Callable[[str, UndoRecord], None] | None = None
        # Of the last turn, from before the session went on: its name on disk, and the record. Its name here begins with
        # the turn: calls are named anew since, and one of them must not be taken for it.
        self._past: dict[str, tuple[str, UndoRecord]] = {}
        self._guard = allocate_lock()  # sub-agents hand up what they patch side by side

    def applied(self, call_id: str, turn_id: str) -> None:
        """This session has applied the patch of that call."""
        record = self._runtime.tools.patches.undo_of(call_id)
        if record is not None:
            with self._guard:
                self._keep(call_id, turn_id, record)

    def adopt(self, name: str, turn_id: str, record: UndoRecord) -> None:
        """A sub-agent has applied a patch, which is called `name` here."""
        with self._guard:
            self._runtime.tools.patches.know(name, record)
            self._keep(name, turn_id, record)

    def applied_in(self, turn_id: str) -> tuple[str, ...]:
        """The calls of that turn whose patches can be taken back, though the session was closed."""
        if self.kept is not None:
            found = self.kept.of(turn_id).items()
            self._past = {f"{turn_id}/{call_id}": (call_id, record) for call_id, record in found}
        return tuple(self._past)

    def undo(self, call_id: str) -> bool:
        """Takes it back; False when it is not known. Raises SandgateError."""
        patches = self._runtime.tools.patches
        kept_as, past = self._past.get(call_id, (call_id, None))
        if past is not None:
            patches.know(call_id, past)
        done = patches.undo(call_id)
        if done:
            self._past.pop(call_id, None)
            if self.kept is not None:
                self.kept.taken_back(kept_as)
        return done

    def _keep(self, name: str, turn_id: str, record: UndoRecord) -> None:
        self._past.clear()  # a turn that patches is the last one that did
        if self.hand_up is not None:
            self.hand_up(name, record)
        if self.kept is not None:
            self.kept.keep(turn_id, name, record)


class KeptUndo:
    """Of one session. `state` is the state directory. Blocks on the disk; used from one thread at a time."""

    def __init__(self, state: str, session_id: str) -> None:
        self._state = state
        self._name = session_id
        self._turn = ""  # whose patches the file holds

    def keep(self, turn_id: str, call_id: str, record: UndoRecord) -> bool:
        """Whether it could be kept; the patches of an earlier turn give way."""
        from sandgate.patch.undo_wire import undo_json

        data = json.dumps({"turn": turn_id, "call": call_id, "undo": undo_json(record)}).encode() + b"\n"
        first, self._turn = self._turn != turn_id, turn_id
        try:
            return self._append(data, first=first)
        except (OSError, SandgateError):
            return False

    def taken_back(self, call_id: str) -> None:
        """It has been done and is not to be done again."""
        with suppress(OSError, SandgateError):
            self._append(json.dumps({"done": call_id}).encode() + b"\n", first=False)

    def of(self, turn_id: str) -> dict[str, UndoRecord]:
        """What takes the patches of that turn back, by their calls, in their order; nothing of any other turn."""
        lines, found = self._lines(), dict[str, "UndoRecord"]()
        if not lines:
            return found
        from sandgate.patch.undo_wire import as_undo

        for line in lines:
            found.pop(str(line.get("done")), None)
            record = as_undo(line.get("undo"))
            if record is not None and line.get("turn") == turn_id:
                found[str(line.get("call"))] = record
        if found:
            self._turn = turn_id
        return found

    def forget(self) -> None:
        """The session is deleted."""
        with suppress(OSError, SandgateError):
            directory = made_directory(os.path.join(self._state, NAME))
            try:
                removed(directory, self._name)
            finally:
                os.close(directory)

    def _append(self, data: bytes, *, first: bool) -> bool:
        directory = made_directory(os.path.join(self._state, NAME))
        try:
            if first:
                removed(directory, self._name)
            descriptor = os.open(self._name, _APPEND, FILE_MODE, dir_fd=directory)
        finally:
            os.close(directory)
        try:
            before = os.fstat(descriptor).st_size
            if before + len(data) > KEPT_BYTES_MAX:
                return False
            written = 0
            try:
                while written < len(data):
                    written += os.write(descriptor, data[written:])
            except OSError:
                os.ftruncate(descriptor, before)  # no half line, which would spoil the next one
                raise
            return True
        finally:
            os.close(descriptor)

    def _lines(self) -> list[dict[str, object]]:
        try:
            descriptor = os.open(os.path.join(self._state, NAME, self._name), _READ)
        except OSError:
            return []
        with open(descriptor, "rb") as file:
            data = file.read(KEPT_BYTES_MAX)
        found = []
        for line in data.split(b"\n"):
            with suppress(ValueError):  # torn, or not ours
                value = json.loads(line)
                if isinstance(value, dict):
                    found.append(value)
        return found
