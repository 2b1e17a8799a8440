"""The backends by name, and which is tried first. Each is imported only when it is asked for."""

from __future__ import annotations

from sandgate.errors import BackendUnavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.permissions import BackendName
    from sandgate.sandbox.backend import Backend
    from sandgate.sandbox.select import BackendWish


def first_backend(wish: BackendWish, helper: str | None) -> BackendName:
    """The backend to try without looking at the host: starting the first command is the best probe there is."""
    if wish != "auto":
        return wish
    return "namespace" if helper is not None else "landlock"


def find_helper() -> tuple[str | None, str]:
    """The helper's path, built first if need be; or None and why."""
    from sandgate.kernel.build import helper_path

    try:
        return helper_path(), ""
    except BackendUnavailable as problem:
        return None, problem.why


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
