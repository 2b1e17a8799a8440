"""The last patch that `sandgate patch` applied in a project, until it is taken back or another one is applied.

It lies where a session's patches lie (`undo.py`), under a name made from the project's place: a user who works
in two projects takes back in each what was applied there.
"""

from __future__ import annotations

import os
from hashlib import sha256

from sandgate.agent.undo import KeptUndo
from sandgate.config.state_directory import ensured_state
from sandgate.errors import SandgateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sandgate.runtime.runtime import Runtime

TURN = "patch"  # each one begins anew: what was kept of the one before gives way


class LastPatch:
    """Of the project at `root`. Blocks on the disk."""

    def __init__(self, environ: Mapping[str, str], root: str) -> None:
        self._environ = environ
        self._name = f"patch-{sha256(os.fsencode(root)).hexdigest()}"

    def keep(self, runtime: Runtime, calls: Iterable[str]) -> None:
        """What these calls applied, in their order; without a place to keep it, it cannot be taken back later."""
        records = [(call, record) for call in calls if (record := runtime.tools.patches.undo_of(call)) is not None]
        if not records:
            return
        try:
            kept = KeptUndo(ensured_state(self._environ), self._name)
        except SandgateError:
            return
        for call, record in records:
            kept.keep(TURN, call, record)

    def take_back(self, runtime: Runtime, *, approved: bool = False) -> tuple[str, ...]:
        """The paths that are as they were before; nothing where nothing is kept. `approved`: a yes was given for it.

        Raises PatchDoesNotFit when a file was changed since, CommandRefused when it may not be written any more.
        """
        kept = KeptUndo(ensured_state(self._environ), self._name)
        patches, paths = runtime.tools.patches, []
        for call, record in reversed(kept.of(TURN).items()):
            patches.know(call, record)
            patches.undo(call, approved=approved)
            kept.taken_back(call)
            paths += [write.path for write in record.writes]
        return tuple(dict.fromkeys(paths))
