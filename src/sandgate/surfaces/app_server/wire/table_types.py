"""The types that the table uses, and what they are called outside."""

from __future__ import annotations

from typing import Any, Literal, get_args, get_origin, is_typeddict

from sandgate.surfaces.app_server.wire.methods import (
    CLIENT_NOTIFICATIONS,
    METHODS,
    SERVER_NOTIFICATIONS,
    SERVER_REQUESTS,
    Method,
    NotificationRow,
)
from sandgate.surfaces.app_server.wire.shapes import bare, fields, is_required

OURS = "Wire"  # before the names of the types, so that they are no others of ours
MESSAGES = (METHODS, SERVER_REQUESTS, CLIENT_NOTIFICATIONS, SERVER_NOTIFICATIONS)


def all_types() -> list[Any]:
    """Every object that some message carries, in the order in which the table comes to it."""
    found: dict[Any, None] = {}
    for messages in MESSAGES:
        for each in messages:
            _add(each.params, found)
            if isinstance(each, Method):
                _add(each.result, found)
    return list(found)


def is_needed(message: Method | NotificationRow) -> bool:
    """Whether it has to have parameters."""
    return any(is_required(message.params, name) for name in fields(message.params))


def name_of(form: Any) -> str:
    """Of a type, outside."""
    name: str = form.__name__
    return name.removeprefix(OURS)


def meaning_of(form: Any) -> str:
    """What a type is, on one line."""
    return " ".join((form.__doc__ or "").split())


def _add(form: Any, found: dict[Any, None]) -> None:
    form = bare(form)
    if is_typeddict(form):
        if form not in found:
            found[form] = None
            for inner in fields(form).values():
                _add(inner, found)
        return
    for inner in get_args(form) if get_origin(form) is not Literal else ():
        _add(inner, found)
