"""Asks the table of names that something executes or obeys later: `run_later_rows`, which says what its words mean."""

from __future__ import annotations

from sandgate.places.run_later_rows import HOOKS, STARTED, TABLE
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.places.run_later_rows import Decision

_closed: list[str] = []
# What is told of when a command makes it, and the part of it of which also a change is told.
_WATCHED: dict[str, tuple[str, str, Decision, str]] = {}
for _row in TABLE:  # in one go: this is on the path of every command
    if _row[2] == "closed":
        _closed += _row[0].split()
    if _row[2] != "open":
        _WATCHED |= dict.fromkeys(_row[0].lower().split(), _row)
CLOSED = tuple(_closed)
CLOSED_ENDINGS = tuple([name[1:] for name in CLOSED if name[0] == "*"])
CLOSED_NAMES = tuple([name for name in CLOSED if name[0] != "*"])
_WATCHED_ENDINGS = tuple([name[1:] for name in _WATCHED if name[0] == "*"])
_PARTS_MAX = 3  # of a name; the longest ones have as many
_DEEP = [name.split("/") for name in _WATCHED if "/" in name]
_INNERMOST = frozenset([parts[-1] for parts in _DEEP])
_PLAIN = frozenset(
    [
        *[part for parts in _DEEP for part in parts if part[:1] not in ("", ".", "*")],
        *[name for name in _WATCHED if name[0] not in ".*" and "/" not in name],
    ]
)


def rows() -> tuple[tuple[str, str, Decision, str], ...]:
    """The table, one name a row."""
    return tuple([(name, *row[1:]) for row in TABLE for name in row[0].split()])


def agent_order_names() -> tuple[str, ...]:
    """What an agent may do in a directory, and what it starts there: the closed names that it takes its orders from."""
    return tuple([name for name, _, decision, why in rows() if decision == "closed" and why in (HOOKS, STARTED)])


_SHIM = (
    "import os; var = 'SETUPTOOLS_USE_DISTUTILS'; enabled = os.environ.get(var, '{}') == 'local'; "
    "enabled and __import__('_distutils_hack').add_shim(); \n"
)
# Names with what stands in them wherever a tool has made them: with that content, and no other, they are no news.
USUAL = {"distutils-precedence.pth": tuple([_SHIM.format(default).encode() for default in ("local", "stdlib")])}


class Watched(Record):
    """A name of the table, as it was found."""

    obeyed_by: str
    when_changed: bool  # or only when it is made


def watched(directory: str, name: str) -> Watched | None:
    """What the table says of `name` in `directory`, in any spelling; None when the user need not be told of it."""
    folded = name.lower()
    row = _WATCHED.get(folded)
    if row is None and folded in _INNERMOST:
        row = _of_several_parts(directory.lower(), folded)
    if row is None and folded.endswith(_WATCHED_ENDINGS):
        row = next(row for ending, row in _WATCHED.items() if ending[0] == "*" and folded.endswith(ending[1:]))
    return None if row is None else Watched(row[1], row[2] == "told")


def _of_several_parts(directory: str, name: str) -> tuple[str, str, Decision, str] | None:
    for part in directory.rsplit("/", _PARTS_MAX - 1)[:0:-1]:
        name = f"{part}/{name}"
        if name in _WATCHED:
            return _WATCHED[name]
    return None


def is_plain_name(name: str) -> bool:
    """Whether a name that begins with no dot may be one of the table, or a part of one, in any spelling."""
    folded = name.lower()
    return folded in _PLAIN or folded.endswith(_WATCHED_ENDINGS)


def ending_form(path: str) -> str:
    """`/w/x.code-workspace` → `/w/*.code-workspace`, as endings stand among names that must not come to exist."""
    directory, _, name = path.rpartition("/")
    _, dot, ending = name.rpartition(".")
    return f"{directory}/*.{ending}" if dot else path
