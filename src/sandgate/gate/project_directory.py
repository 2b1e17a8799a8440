"""The project's own directory, in which its commands have their /tmp and their caches, as one session holds it."""

from __future__ import annotations

import os
from _thread import allocate_lock

from sandgate.sandbox.private_tmp import is_due, private_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.confinement import ConfinementSettings
    from sandgate.protocol.environment import Environment
    from sandgate.sandbox.private_tmp import PrivateDirectory

OWN_DIRECTORY_MODE = 0o700


class ProjectDirectory:
    """Taken with the first command that needs it, and let go with the session. Threads may share it."""

    def __init__(self, settings: ConfinementSettings, environment: Environment) -> None:
        self._settings = settings
        self._environment = environment
        self._held: PrivateDirectory | None = None
        self._taking = allocate_lock()

    @property
    def project(self) -> str:
        """Whose it is, canonical: sessions anywhere in one project share it."""
        cwd, root = (os.path.realpath(path) for path in (self._environment.cwd, self._settings.project_root))
        return root if cwd == root or cwd.startswith(root.rstrip("/") + "/") else cwd

    def held(self) -> PrivateDirectory | None:
        """What the session holds now."""
        return self._held

    def taken(self) -> str:
        """Its path, in use from now on; "" where there is no place for one."""
        with self._taking:
            if self._held is not None and self._held.renew():
                return self._held.path
            state = self._settings.state
            self._held = private_directory(state, self.project) if state else None
            if state and self._held is not None and is_due(state):
                from sandgate.sandbox.sweeping import sweep_beside

                sweep_beside(state)
            return self._held.path if self._held is not None else ""

    def last(self) -> str:
        """The same, as the last plan had it."""
        held = self._held
        return self.taken() if held is None else held.path

    def close(self) -> None:
        """The session needs it no longer; a later command takes it again."""
        with self._taking:
            if self._held is not None:
                self._held.close()
                self._held = None


def make_own(unmade: tuple[str, ...], absent: tuple[str, ...]) -> bool:
    """Makes those of our own directories that a command could make otherwise; whether there were any."""
    missing = [own for own in unmade if not _and_above(own).isdisjoint(absent)]
    for own in missing:
        try:
            os.makedirs(own, mode=OWN_DIRECTORY_MODE, exist_ok=True)
        except OSError:
            continue  # it stays a name that must not come to exist
    return bool(missing)


def _and_above(path: str) -> set[str]:
    parts = path.split("/")
    return {"/".join(parts[:count]) for count in range(2, len(parts) + 1)}
