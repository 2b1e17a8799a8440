"""Tables that are made when they are first needed.

Every command is looked up in tables of some thousand rows, and most commands are found in the first few hundred. What
is not asked for is neither read nor put together.
"""

from __future__ import annotations

from _collections_abc import Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, TypeVar

    Value = TypeVar("Value")
    _AnyTable = Mapping[str, Any]
else:
    _AnyTable = Mapping


def one_table(*tables: dict[str, Value]) -> dict[str, Value]:
    """Several tables as one. A name that stands in two of them is an error: one row would not count."""
    whole: dict[str, Value] = {}
    for table in tables:
        whole.update(table)
    if len(whole) != sum(map(len, tables)):
        names = [name for table in tables for name in table]
        raise ValueError(f"described twice: {' '.join(sorted(name for name in whole if names.count(name) > 1))}")
    return whole


class Later(_AnyTable):
    """One table of `first` and of what `others` makes as soon as a name is not there."""

    __slots__ = ("_first", "_others", "_whole")

    def __init__(self, first: dict[str, Any], others: Callable[[], tuple[dict[str, Any], ...]]) -> None:
        self._first, self._others = first, others
        self._whole: dict[str, Any] | None = None

    def __getitem__(self, name: str) -> Any:
        return self._first[name] if name in self._first else self._all()[name]

    def __contains__(self, name: object) -> bool:
        return name in self._first or name in self._all()

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def _all(self) -> dict[str, Any]:
        if self._whole is None:
            self._whole = one_table(self._first, *self._others())
        return self._whole
