"""Whether a JSON value has the form that a type of the table says, and which form that is.

The types are `TypedDict`s with the names of the wire, so that the type checker holds what we send to the same table as
this module holds what we are sent. Unknown fields are nobody's fault, because later versions have more of them;
`strict` finds them all the same, for tests that ask whether the table is complete.
"""

from __future__ import annotations

from functools import cache
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Required,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

WRAPPERS = (Required, NotRequired, Annotated)
NO_EFFECT = "accepted, and without effect here"
WORDS = {str: "text", bool: "true or false", int: "a whole number", float: "a number", NoneType: "null"}
VALUE_CHARS_MAX = 60  # shown of what is wrong


def fault(value: object, form: Any, where: str, *, strict: bool = False) -> str | None:
    """Why the value at `where` has not that form, in one sentence; None when it has."""
    form = bare(form)
    origin = get_origin(form)
    if form is Any:
        return None
    if is_typeddict(form):
        return _object_fault(value, form, where, strict=strict)
    if origin in (Union, UnionType):
        return _union_fault(value, get_args(form), where, strict=strict)
    if origin is Literal:
        return None if isinstance(value, str) and value in get_args(form) else _expected(form_words(form), value, where)
    if origin is list:
        return _list_fault(value, get_args(form)[0], where, strict=strict)
    if origin is dict:
        return None if isinstance(value, dict) else _expected("an object", value, where)
    return None if _is_plain(value, form) else _expected(form_words(form), value, where)


def bare(form: Any) -> Any:
    """Without what only says something about the field that has it."""
    while get_origin(form) in WRAPPERS:
        form = get_args(form)[0]
    return NoneType if form is None else form


@cache
def fields(form: Any) -> dict[str, Any]:
    """Names and forms, in the order of the wire."""
    return get_type_hints(form, include_extras=True)


def is_required(form: Any, name: str) -> bool:
    """Whether an object of that form always has the field."""
    return name in form.__required_keys__


def has_no_effect(form: Any) -> bool:
    """Whether the field is taken from clients that send it, and changes nothing."""
    while get_origin(form) in WRAPPERS:
        if get_origin(form) is Annotated and NO_EFFECT in get_args(form)[1:]:
            return True
        form = get_args(form)[0]
    return False


def form_words(form: Any) -> str:
    """What a value of that form is, for people."""
    form = bare(form)
    origin = get_origin(form)
    if origin is Literal:
        return " or ".join(f"`{name}`" for name in get_args(form))
    if origin in (Union, UnionType):
        return " or ".join(dict.fromkeys(form_words(each) for each in get_args(form)))
    if origin is list:
        return "a list"
    return WORDS.get(form, "an object")


def _object_fault(value: object, form: Any, where: str, *, strict: bool) -> str | None:
    if not isinstance(value, dict):
        return _expected("an object", value, where)
    known = fields(form)
    for name in known:
        if name not in value and is_required(form, name):
            return f"`{where}` lacks `{name}`"
    for name, item in value.items():
        if name in known:
            found = fault(item, known[name], f"{where}.{name}", strict=strict)
            if found is not None:
                return found
        elif strict:
            return f"`{where}` has `{name}`, which {form.__name__} has not"
    return None


def _union_fault(value: object, forms: tuple[Any, ...], where: str, *, strict: bool) -> str | None:
    faults = [fault(value, each, where, strict=strict) for each in forms]
    if None in faults:
        return None
    meant = [found for each, found in zip(forms, faults, strict=True) if _is_meant(value, each)]
    if len(meant) == 1:
        return meant[0]
    return _expected(" or ".join(dict.fromkeys(form_words(each) for each in forms)), value, where)


def _is_meant(value: object, form: Any) -> bool:
    """Whether the value says by its `type` that it is of that form, or is an object where that is the only one."""
    form = bare(form)
    if not (isinstance(value, dict) and is_typeddict(form)):
        return False
    kind = fields(form).get("type")
    return kind is None or value.get("type") in get_args(bare(kind))


def _list_fault(value: object, form: Any, where: str, *, strict: bool) -> str | None:
    if not isinstance(value, list):
        return _expected("a list", value, where)
    for number, item in enumerate(value):
        found = fault(item, form, f"{where}[{number}]", strict=strict)
        if found is not None:
            return found
    return None


def _is_plain(value: object, form: Any) -> bool:
    if form is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return type(value) is form


def _expected(what: str, value: object, where: str) -> str:
    shown = repr(value) if isinstance(value, str | int | float | bool | None) else type(value).__name__
    cut = shown if len(shown) <= VALUE_CHARS_MAX else f"{shown[:VALUE_CHARS_MAX]}…"
    return f"`{where}` is {cut}, and has to be {what}"
