"""How much of a workspace is protected, as configured."""

from __future__ import annotations

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.permissions import GitProtection

NESTED_DEPTH_DEFAULT = 3  # path components below the root


class Protection(Record):
    """The defaults are the strictest that everyday work survives."""

    git: GitProtection = "all"
    optional_names: tuple[str, ...] = ()  # beside the built-in ones; relative paths
    nested_depth: int = NESTED_DEPTH_DEFAULT
    broad_workspace: bool = False  # whether the user insists on a home, or a directory of programs, as a workspace
