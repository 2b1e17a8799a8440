"""Who may write directly in a directory, across sessions: known by locks, so that one of them can have it alone.

A session shares the directory of its project (`private_tmp.py`) as long as it lasts. One that was given further
roots shares theirs here, as if they were projects, so that no session begins a repository in a root that it may write
to.
"""

from __future__ import annotations

import os

from sandgate.sandbox.private_tmp import private_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from sandgate.sandbox.private_tmp import PrivateDirectory

SHARED_MAX = 64  # roots of one session, a descriptor each; further ones are not seen by others


class SharedRoots:
    """The roots that one session has beside its project. Threads take turns."""

    __slots__ = ("_held",)

    def __init__(self) -> None:
        self._held: dict[str, PrivateDirectory] = {}

    def share(self, state: str, roots: Iterable[str]) -> None:
        """From now on no session is alone in these canonical directories.

        Waits for one that is: while one command runs.
        """
        for root in roots:
            if root not in self._held and len(self._held) < SHARED_MAX and os.path.isdir(root):
                held = private_directory(state, root)
                if held is not None:
                    self._held[root] = held

    def take_alone(self, state: str, root: str) -> bool:
        """Whether no other session has `root`, which is canonical, nor gets it before `close`; told at once."""
        self.share(state, (root,))
        held = self._held.get(root)
        return held is not None and held.take_alone()

    def share_again(self) -> None:
        """No session is alone any more."""
        for held in self._held.values():
            held.share_again()

    def close(self) -> None:
        """A session that waits goes on."""
        for held in self._held.values():
            held.close()
        self._held = {}
