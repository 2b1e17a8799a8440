"""Frozen values with slots, made without the price of `dataclasses`.

A governed command pays for everything that is imported before it starts. On the machines we measured,
`import dataclasses` costs more than a bare interpreter and every decorated class another millisecond,
because it writes and compiles source. `Record` gives the same contract (keyword or positional fields,
defaults, equality, hash, repr, `match` support, no assignment) from one generic constructor.

Only values live here: no validation, no conversion. A default must itself be immutable.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self, dataclass_transform
else:

    def dataclass_transform(**_options):
        """Says the same to nobody at run time."""
        return lambda cls: cls


@dataclass_transform(frozen_default=True, eq_default=True)
class RecordType(type):
    """Turns the annotations of a class body into slots, and class-level values into defaults."""

    __match_args__: tuple[str, ...]
    _defaults: dict[str, Any]

    def __new__(mcls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> RecordType:
        own = tuple(body.get("__annotations__", ()))
        inherited: tuple[str, ...] = ()
        defaults: dict[str, Any] = {}
        for base in bases:
            inherited += getattr(base, "__match_args__", ())
            defaults.update(getattr(base, "_defaults", {}))
        defaults.update({field: body.pop(field) for field in own if field in body})
        body["__slots__"] = own
        body["__match_args__"] = inherited + own
        body["_defaults"] = defaults
        return super().__new__(mcls, name, bases, body)


class Record(metaclass=RecordType):
    """Base of all our values. Subclass it and annotate the fields."""

    def __init__(self, *values: Any, **named: Any) -> None:
        cls = type(self)
        fields = cls.__match_args__
        if len(values) > len(fields):
            raise TypeError(f"{cls.__name__} takes {len(fields)} fields, got {len(values)}")
        given = dict(zip(fields, values, strict=False))
        for field, value in named.items():
            if field in given or field not in fields:
                raise TypeError(f"{cls.__name__} has no free field {field!r}")
            given[field] = value
        defaults = cls._defaults
        put = object.__setattr__
        for field in fields:
            if field in given:
                put(self, field, given[field])
            elif field in defaults:
                put(self, field, defaults[field])
            else:
                raise TypeError(f"{cls.__name__} needs {field!r}")

    def __setattr__(self, field: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen; use .but({field}=...)")

    def __delattr__(self, field: str) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen")

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._values() == other._values()

    def __hash__(self) -> int:
        return hash((type(self), self._values()))

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={getattr(self, name)!r}" for name in type(self).__match_args__)
        return f"{type(self).__name__}({inside})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), self._values())

    def _values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in type(self).__match_args__)

    def but(self, **changes: Any) -> Self:
        """A copy with some fields replaced."""
        return type(self)(**{**self.fields(), **changes})

    def fields(self) -> dict[str, Any]:
        """Field names and values, in declaration order; nested values are not converted."""
        return {name: getattr(self, name) for name in type(self).__match_args__}


def never_reached(value: object) -> Any:
    """Marks the end of an exhaustive `match`; reaching it is a bug in Sandgate."""
    raise AssertionError(f"unhandled case: {value!r}")
