"""What a row of the table of configuration keys is made of."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Kind = Literal[
        "choice", "flag", "count", "seconds", "names", "words", "entries", "paths", "path", "text", "variables",
        "approval",
    ]  # fmt: skip
    ProjectRule = Literal[
        "ignored",  # only the user decides
        "tighter",  # an earlier choice, or an approval policy that asks more
        "only-true",
        "only-false",
        "fewer",  # a list: some of what stands below
        "more",  # a list: added to what stands below
        "narrower",  # a list that selects: some of what stands below, or anything where nothing stands
        "lower",  # a number
    ]
    Row = tuple[str, Kind, tuple[str, ...] | tuple[int, int] | None, object, ProjectRule, str]
