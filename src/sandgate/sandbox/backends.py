"""The backends by name. Each is imported only when it is asked for."""

from __future__ import annotations

from sandgate.errors import BackendUnavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.permissions import BackendName
    from sandgate.sandbox.backend import Backend


def backend_named(kind: BackendName) -> Backend:
    """The backend of that name; whether this host can run it is `select`'s question.

    Raises `BackendUnavailable` for a name that nothing stands behind yet.
    """
    if kind == "namespace":
        from sandgate.sandbox.namespace import NamespaceBackend

        return NamespaceBackend()
    if kind == "bwrap":
        raise BackendUnavailable(
            "cannot confine with bubblewrap",
            why="this version builds its own namespaces, or falls back to Landlock",
            hint='pick `sandbox.backend = "auto"`',
        )
    if kind == "landlock":
        from sandgate.sandbox.landlock import LandlockBackend

        return LandlockBackend()
    from sandgate.sandbox.none import NoBackend

    return NoBackend()
