"""Which freedoms another one includes, so that what was given is not asked for in smaller pieces."""

from __future__ import annotations

from sandgate.protocol.permissions import ESCALATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from sandgate.protocol.permissions import Grant


def implies(wider: Grant, wanted: Grant) -> bool:
    """Whether whoever has `wider` has `wanted`.

    By kind and place alone: a protected name below a root stays protected, so what is given in the place of `wanted`
    must be `wider` itself.
    """
    if wider in (wanted, ESCALATE):
        return True
    if wider.kind == "write_root" and wanted.kind in ("write_root", "write_path"):
        return wanted.value.startswith(wider.value.rstrip("/") + "/") or wanted.value == wider.value
    return wider.kind == "host" and wanted.kind == "host" and wider.value == "*"


def implied_by(given: Collection[Grant], wanted: Grant) -> bool:
    """Whether one of `given` includes `wanted`."""
    return any(implies(each, wanted) for each in given)


def without_implied(grants: tuple[Grant, ...]) -> tuple[Grant, ...]:
    """The same freedoms with none that another of them includes, in their order."""
    distinct = tuple(dict.fromkeys(grants))
    return tuple(each for each in distinct if not any(implies(other, each) for other in distinct if other != each))
