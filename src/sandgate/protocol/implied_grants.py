"""Which freedoms another one includes, so that what was given is not asked for in smaller pieces."""

from __future__ import annotations

from sandgate.protocol.permissions import ESCALATE, SUPERVISED_KINDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from sandgate.protocol.permissions import Grant

GOES_ON = "[!0-9A-Za-z]*"  # behind the name of a new file: `-journal`, `.pub`


def implies(wider: Grant, wanted: Grant) -> bool:
    """Whether a command that has `wider` has `wanted` with it.

    What lies behind a name that begins with a dot may be protected, and stays so below a writable root.
    """
    if wider in (wanted, ESCALATE):
        return True
    if wider.kind == "write_path" and wanted.kind in ("new_entry", "metadata"):
        return wanted.value == wider.value
    if wider.kind == "write_root" and wanted.kind in ("write_root", "write_path", *SUPERVISED_KINDS):
        root = wider.value.rstrip("/") + "/"
        below = wanted.value.removeprefix(root)
        same = wanted.value == wider.value and wanted.kind not in ("new_entry", "remove")  # which change what holds it
        return same or (below != wanted.value and not any(part[:1] == "." for part in below.split("/")))
    return wider.kind == "host" and wanted.kind == "host" and wider.value == "*"


def names_with(grant: Grant) -> str:
    """The names in the same directory that a new file brings with it, as a pattern of fnmatch(3); "" where none.

    They go on from its own (`protocol.names_beside.extends_name`). None go on from a name that begins with a dot.
    """
    path = grant.value.rstrip("/")
    name = path.rpartition("/")[2]
    if grant.kind != "new_entry" or not name or name.startswith("."):
        return ""
    literal = "".join([f"[{each}]" if each in "*?[" else each for each in path])
    return f"{literal}{GOES_ON}"


def implied_by(given: Collection[Grant], wanted: Grant) -> bool:
    """Whether one of `given` includes `wanted`."""
    return any(implies(each, wanted) for each in given)


def without_implied(grants: tuple[Grant, ...]) -> tuple[Grant, ...]:
    """The same freedoms with none that another of them includes, in their order."""
    distinct = tuple(dict.fromkeys(grants))
    return tuple(each for each in distinct if not any(implies(other, each) for other in distinct if other != each))
