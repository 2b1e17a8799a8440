"""Frozen values with slots, made without the price of `dataclasses`.

A governed command pays for everything that is imported before it starts. On the machines we measured,
`import dataclasses` costs more than a bare interpreter and every decorated class another millisecond,
because it writes and compiles source. `Record` gives the same contract (keyword or positional fields,
defaults, equality, hash, repr, `match` support, no assignment) from one generic constructor. A class of which a
process makes many values gets a constructor of its own after all, when it has been used often enough to pay for it.

Only values live here: no validation, no conversion. A default must itself be immutable.
"""

from __future__ import annotations

from _operator import attrgetter  # `operator` without its Python half

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from inspect import Signature
    from typing import Any, Self, dataclass_transform
else:

    def dataclass_transform(**_options):
        """Does nothing at run time; type checkers see the one of `typing`."""
        return lambda cls: cls


USES_BEFORE_OWN = 200  # constructions by the generic constructor, 2 us dearer each; making another takes about 200 us


@dataclass_transform(frozen_default=True, eq_default=True)
class RecordType(type):
    """Turns the annotations of a class body into slots, and class-level values into defaults."""

    __match_args__: tuple[str, ...]
    _defaults: dict[str, Any]
    _slots: dict[str, Callable[[Any, Any], None]]
    _uses: list[int]  # how often the generic constructor has run
    _read: Callable[[Any], Any]  # the values of all fields, where there are two or more

    def __new__(mcls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> RecordType:
        own = tuple(body.get("__annotations__", ()))
        body["_defaults"] = {field: body.pop(field) for field in own if field in body}
        body["__slots__"] = body["__match_args__"] = own
        body["_slots"], body["_uses"] = {}, [0]
        made = super().__new__(mcls, name, bases, body)
        for base in bases:
            if base.__dict__.get("__match_args__"):
                made._inherit(base)  # type: ignore[arg-type] # only records have such a row
        return made

    def _inherit(cls, base: RecordType) -> None:
        """Puts the fields of another record before ours."""
        cls.__match_args__ = base.__match_args__ + cls.__match_args__  # type: ignore[misc] # before any match
        cls._defaults = base._defaults | cls._defaults
        cls.__init__ = Record.__init__  # type: ignore[misc] # the base may get a constructor of its own, for fewer fields

    def make_ready(cls) -> dict[str, Callable[[Any, Any], None]]:
        """How each slot is filled, past our `__setattr__`: looked up once a class, and not before it has a value."""
        fields = cls.__match_args__
        cls._slots = {field: getattr(cls, field).__set__ for field in fields}
        if len(fields) > 1:
            cls._read = attrgetter(*fields)
        return cls._slots

    @property
    def __signature__(cls) -> Signature:
        """What `inspect` and `pydoc` show of the constructor: the fields. Made when asked; a class costs nothing."""
        from inspect import Parameter, Signature, get_annotations

        notes: dict[str, Any] = {}
        for base in reversed(cls.__mro__):
            notes |= get_annotations(base)
        parameters: list[Parameter] = []
        by_name = False  # a subclass's without a default, behind one with: a signature has no other way to say it
        for field in cls.__match_args__:
            default = cls._defaults.get(field, Parameter.empty)
            by_name |= default is Parameter.empty and any(each.default is not Parameter.empty for each in parameters)
            kind = Parameter.KEYWORD_ONLY if by_name else Parameter.POSITIONAL_OR_KEYWORD
            parameters.append(Parameter(field, kind, default=default, annotation=notes.get(field, Parameter.empty)))
        return Signature(parameters, return_annotation=None)

    def make_own_constructor(cls) -> None:
        """Replaces the generic constructor by one that is compiled for the fields of this class.

        The source holds nothing but field names, which were identifiers of a class body.
        """
        fields = cls.__match_args__
        names: dict[str, Any] = {f"put_{field}": put for field, put in cls._slots.items()}
        names |= {f"default_{field}": value for field, value in cls._defaults.items()}
        # A field without a default may stand behind one with: in a subclass. Such a class stays as it is.
        given = [f"{field}=default_{field}" if field in cls._defaults else field for field in fields]
        lines = [f"    put_{field}(record_, {field})" for field in fields]
        try:
            exec("\n".join([f"def __init__(record_, {', '.join(given)}):", *lines]), names)
        except SyntaxError:
            return
        own = names["__init__"]
        own.__qualname__ = f"{cls.__name__}.__init__"
        cls.__init__ = own  # type: ignore[misc]


class Record(metaclass=RecordType):
    """Base of all our values. Subclass it and annotate the fields."""

    def __init__(self, *values: Any, **named: Any) -> None:
        cls = type(self)
        slots = cls._slots or cls.make_ready()
        cls._uses[0] += 1
        if cls._uses[0] == USES_BEFORE_OWN:
            cls.make_own_constructor()
        if len(values) == len(slots) and not named:
            for put, value in zip(slots.values(), values, strict=True):
                put(self, value)
            return
        given = {**cls._defaults, **named}
        if values:
            taken = cls.__match_args__[: len(values)]
            if len(taken) < len(values) or not named.keys().isdisjoint(taken):
                raise _misfit(cls, values, named)
            given.update(zip(taken, values, strict=True))
        if len(given) != len(slots):
            raise _misfit(cls, values, named)
        try:
            for field, put in slots.items():
                put(self, given[field])
        except KeyError:
            raise _misfit(cls, values, named) from None

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
        cls = type(self)
        if len(cls.__match_args__) > 1:
            return cls._read(self)  # type: ignore[no-any-return]
        return tuple(getattr(self, name) for name in type(self).__match_args__)

    def but(self, **changes: Any) -> Self:
        """A copy with some fields replaced."""
        return type(self)(**{**self.fields(), **changes})

    def fields(self) -> dict[str, Any]:
        """Field names and values, in declaration order; nested values are not converted."""
        return dict(zip(type(self).__match_args__, self._values(), strict=True))


def _misfit(cls: RecordType, values: tuple[Any, ...], named: dict[str, Any]) -> TypeError:
    given = [*(repr(value) for value in values), *named]
    return TypeError(f"{cls.__name__} has the fields {', '.join(cls.__match_args__)}; given: {', '.join(given)}")


def never_reached(value: object) -> Any:
    """Marks the end of an exhaustive `match`; reaching it is a bug in Sandgate."""
    raise AssertionError(f"unhandled case: {value!r}")
