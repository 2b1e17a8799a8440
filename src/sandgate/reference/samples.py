"""Values of a type, so many that everything that is written about them is seen at least once.

Two families differ in everything that is free: a text that is the same in what both lead to is one of the writer's own.
"""

from __future__ import annotations

import types
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, Union, get_args, get_origin

from sandgate.record import Record, RecordType
from sandgate.reference.hints import fields_of

ANYTHING = "\u2026anything"
"""Stands for a value of which nothing is known."""

DEPTH_MAX = 8


class Family(Record):
    """What stands for free values."""

    text: str
    number: int
    fraction: float
    content: bytes


FAMILIES = (Family("\u2026one", 1, 1.5, b"1"), Family("\u2026two", 2, 2.5, b"22"))


def samples(hint: Any, family: Family, depth: int = 0) -> list[Any]:
    """The first says most; the others differ from it in one place each."""
    origin, inside = get_origin(hint), get_args(hint)
    if origin is Literal:
        return list(inside)
    if origin in (Union, types.UnionType):
        return [value for each in inside if each is not type(None) for value in samples(each, family, depth)] + (
            [None] if type(None) in inside else []
        )
    if origin is tuple:
        return _tuples(inside, family, depth)
    if origin is not None and isinstance(origin, type):
        return _containers(origin, inside, family, depth)
    if isinstance(hint, RecordType):
        return _records(hint, family, depth)
    return _plain(hint, family)


def _plain(hint: Any, family: Family) -> list[Any]:
    if hint is bool:
        return [True, False]
    free: dict[Any, list[Any]] = {
        int: [family.number, 0],
        float: [family.fraction, 0.0],
        str: [family.text, ""],
        bytes: [family.content, b""],
    }
    return free.get(hint, [ANYTHING])


def _tuples(inside: tuple[Any, ...], family: Family, depth: int) -> list[Any]:
    if inside[-1] is Ellipsis:
        return [*((value,) for value in samples(inside[0], family, depth)), ()]
    places = [samples(each, family, depth) for each in inside]
    return [tuple(place[0] for place in places)]


def _containers(origin: type, inside: tuple[Any, ...], family: Family, depth: int) -> list[Any]:
    if issubclass(origin, Mapping):
        key = family.text
        return [*({key: value} for value in samples(inside[1], family, depth)), {}]
    if issubclass(origin, frozenset | set):
        return [frozenset((value,)) for value in samples(inside[0], family, depth)]
    if issubclass(origin, Sequence | Iterable):
        return [[value] for value in samples(inside[0], family, depth)]
    return [ANYTHING]


def _records(hint: RecordType, family: Family, depth: int) -> list[Any]:
    if depth > DEPTH_MAX:
        raise RecursionError(f"{hint.__name__} holds itself")
    choices = {name: samples(each, family, depth + 1) for name, each in fields_of(hint).items()}
    fullest = {name: values[0] for name, values in choices.items()}
    made = [hint(**fullest)]
    made += [hint(**{**fullest, name: value}) for name, values in choices.items() for value in values[1:]]
    return made
