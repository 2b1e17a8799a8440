"""Did you mean: the nearest known name to one that is not known."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

SIMILAR_ENOUGH = 0.6  # difflib's ratio, its own default


def nearest(name: str, known: Iterable[str]) -> str:
    """A question naming the most similar known name, or "" when nothing is similar."""
    from difflib import get_close_matches  # slow to import, and needed only when something is wrong

    found = get_close_matches(name, list(known), n=1, cutoff=SIMILAR_ENOUGH)
    return f"did you mean `{found[0]}`?" if found else ""
