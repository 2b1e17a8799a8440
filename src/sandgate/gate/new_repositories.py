"""Lets a line of nothing but `git init` and its like begin a repository, where no other command may write meanwhile."""

from __future__ import annotations

import os
from _thread import allocate_lock

from sandgate.places.git import DIRECTORY as GIT
from sandgate.sandbox.begun_alone import SharedRoots

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sandgate.gate.running_commands import RunningCommands
    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.permissions import EffectivePermissions
    from sandgate.sandbox.private_tmp import PrivateDirectory


class NewRepositories:
    """Of one session of `project`. `tmp` gives its directory, whose lock tells of other sessions; None: there is none.

    `goes_on`: further commands follow, so that each begins when it starts and not when it is planned, and lets others
    in again at its end.
    """

    def __init__(
        self, state: str | None, project: str, tmp: Callable[[], PrivateDirectory | None], *, goes_on: bool
    ) -> None:
        self._state = state
        self._project = project
        self._tmp = tmp
        self._goes_on = goes_on
        self._roots = SharedRoots()
        self._taking = allocate_lock()
        self._running: RunningCommands | None = None

    @property
    def running(self) -> RunningCommands:
        """The commands of the session that run."""
        with self._taking:
            if self._running is None:
                from sandgate.gate.running_commands import RunningCommands

                self._running = RunningCommands(self)
            return self._running

    def share(self, roots: Iterable[str]) -> None:
        """So that no other session begins a repository in a further root of ours; before the disk is looked at."""
        if self._state is not None:
            with self._taking:
                self._roots.share(self._state, roots)

    def keep_out(self, directory: str) -> bool:
        """Whether no other session may write in canonical `directory`, nor begin to, until `let_in`; told at once."""
        tmp = self._tmp()
        if tmp is None or not tmp.take_alone():
            return False
        with self._taking:
            if directory == self._project or (self._state and self._roots.take_alone(self._state, directory)):
                return True
        self.let_in()
        return False

    def let_in(self) -> None:
        """Other sessions go on."""
        tmp = self._tmp()
        if tmp is not None:
            tmp.share_again()
        with self._taking:
            self._roots.share_again()

    def permitted(self, permissions: EffectivePermissions, command: CommandRequest) -> EffectivePermissions:
        """With the name that such a line makes, where no command may make it otherwise.

        A command that began before the repository would not find it protected, so no other may run in the project, or
        in another one with the directory as a further root.
        """
        from sandgate.policy.beginnings import begins_repository

        begun = f"{os.path.realpath(command.cwd)}/{GIT}"
        if begun not in permissions.absent or permissions.case_insensitive or not begins_repository(command.argv):
            return permissions
        alone = self.running.may_begin(begun) if self._goes_on else self.keep_out(os.path.dirname(begun))
        if not alone or os.path.lexists(begun):
            return permissions
        return permissions.but(absent=tuple([path for path in permissions.absent if path != begun]), begun=begun)

    def close(self) -> None:
        """Sessions that wait for this one go on."""
        self._roots.close()
