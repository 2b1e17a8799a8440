"""Whether what was approved is still in its place, as the last thing before a start without the helper.

The directory is compared as it was entered, by descriptor; files by their identity and last change, by the very path
that is executed or that an interpreter opens next. The helper does the same, native/command.c.
"""

from __future__ import annotations

import os

from sandgate.protocol.bindings import Identity
from sandgate.protocol.confinement import EXCHANGED, ExecFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.bindings import Bound


def exchanged(bound: Bound, directory: int, program: str) -> ExecFailure | None:
    """What is not what `bound` expects; None when all is. `program` is relative to the open `directory`."""
    if bound.directory is not None and not _is_same(bound.directory, os.fstat(directory)):
        return ExecFailure("directory", EXCHANGED)
    expected = [(path, identity) for path, identity in bound.files]
    if bound.program is not None:
        expected.append((program, bound.program))
    for path, identity in expected:
        try:
            found = os.stat(path, dir_fd=directory)
        except OSError:
            return ExecFailure("program", EXCHANGED)
        if not _is_same(identity, found):
            return ExecFailure("program", EXCHANGED)
    return None


def _is_same(wanted: Identity, found: os.stat_result) -> bool:
    same = (found.st_dev, found.st_ino) == (wanted.device, wanted.inode)
    return same and wanted.changed_ns in (0, found.st_ctime_ns)
