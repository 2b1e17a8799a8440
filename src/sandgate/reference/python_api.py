"""The page of the Python interface: what `import sandgate` offers, and the errors."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

import sandgate
import sandgate.testing
from sandgate.errors import SandgateError
from sandgate.record import RecordType
from sandgate.reference.hints import alias, written_fields
from sandgate.reference.markdown import first_paragraph, table
from sandgate.reference.run_events import error_kinds

WIDTH = 110
SETTINGS = "sandgate.config."  # what the configuration comes to is told by its own page

INTRODUCTION = """\
# Python

`import sandgate` offers what is on this page, [how to use it](../how-to/python.md) says how. What other modules
hold is not promised to stay ([versions](versions.md)). Values are frozen: `value.but(field=…)` is a copy with
another field, `value.fields()` its fields by name.
"""
VALUES = """\
## Values

What the above takes and gives, and what that holds.
"""
TESTING = """\
## Testing

`sandgate.testing` has doubles for tests of programs that use the above:
[how to test an agent](../how-to/testing-an-agent.md).
"""
ERRORS = """\
## Errors

All are in `sandgate.errors`, and have `.what`, `.why`, `.hint` and the stable `.code`. A denial, a refusal, a time
limit and an exit code other than 0 are values; an exception means that Sandgate could not do its part.
"""


def page() -> str:
    """docs/reference/python.md."""
    sections = [_section(name, getattr(sandgate, name)) for name in sorted(sandgate.__all__, key=str.lower)]
    rows = [
        (f"`{kind.__name__}`", _base(kind), f"`{kind.code}`", first_paragraph(kind.__doc__)) for kind in error_kinds()
    ]
    values = ["#" + _section(each.__name__, each) for each in _values()]
    doubles = [_double(name, getattr(sandgate.testing, name)) for name in sorted(sandgate.testing.__all__)]
    errors = [ERRORS, table(("error", "is a", "code", ""), rows)]
    return "\n".join([INTRODUCTION, *sections, VALUES, *values, TESTING, *doubles, *errors])


def _values() -> list[RecordType]:
    """The values that what is offered takes and gives, and what they hold in turn."""
    offered = [getattr(sandgate, name) for name in sandgate.__all__]
    found: dict[str, RecordType] = {}
    waiting = [each for each in offered for each in _mentioned(each)]
    while waiting:
        record = waiting.pop()
        if record.__name__ not in found and record not in offered:
            found[record.__name__] = record
            waiting += _mentioned(record)
    return [found[name] for name in sorted(found)]


def _mentioned(found: Any) -> list[RecordType]:
    """The records that its annotations name."""
    if isinstance(found, RecordType):
        texts = list(written_fields(found).values())
    elif isinstance(found, type):
        texts = [text for _name, each in _members(found) for text in _annotations(each)]
    else:
        texts = _annotations(found)
    names = (alias(found.__module__, name) for text in texts for name in re.findall(r"[A-Z]\w+", text))
    return [each for each in names if isinstance(each, RecordType) and not each.__module__.startswith(SETTINGS)]


def _annotations(function: Any) -> list[str]:
    called = function.fget if isinstance(function, property) else function
    return [str(each) for each in inspect.get_annotations(inspect.unwrap(called)).values()] if callable(called) else []


def _section(name: str, found: Any) -> str:
    if isinstance(found, RecordType):
        return f"## `{name}`\n\n{_about(found)}\n\n{_block(name, _fields(found))}"
    if isinstance(found, type):
        return f"## `{name}`\n\n{_about(found)}\n\n" + "\n".join(_methods(found))
    if callable(found):
        return f"## `{name}`\n\n{_block(_title(name, found), _parameters(found), _answer(found))}\n{_about(found)}\n"
    return f"## `{name}`\n\nA type for annotations: `{found}`.\n"


def _double(name: str, found: Any) -> str:
    """One level deeper; such classes are made by whoever uses them."""
    section = _section(name, found)
    if inspect.isclass(found) and "__init__" in vars(found) and not isinstance(found, RecordType):
        about = _about(found)
        section = section.replace(about, f"{about}\n\n{_block(name, _parameters(found.__init__))}", 1)
    return f"#{section}".replace("\n###", "\n####")


def _methods(kind: type) -> list[str]:
    shown = []
    for name, each in _members(kind):
        if isinstance(each, property):
            assert each.fget is not None
            shown.append(f"### `.{name}`\n\n{_answer(each.fget).removeprefix(' -> ')}. {_about(each)}\n")
        elif inspect.isfunction(each):
            signature = _block(_title(name, each), _parameters(each), _answer(each))
            shown.append(f"### `.{name}()`\n\n{signature}\n{_about(each)}\n")
    return shown


def _members(kind: type) -> list[tuple[str, Any]]:
    """What a class and those it builds on offer, each at its first place."""
    names = dict.fromkeys(name for each in reversed(kind.__mro__) for name in vars(each) if name[0] != "_")
    return [(name, inspect.getattr_static(kind, name)) for name in names]


def _title(name: str, function: Callable[..., Any]) -> str:
    return f"async {name}" if inspect.iscoroutinefunction(function) else name


def _parameters(function: Callable[..., Any]) -> list[str]:
    found: list[str] = []
    star = False
    for each in inspect.signature(function).parameters.values():
        if each.name == "self":
            continue
        if each.kind is each.KEYWORD_ONLY and not star:
            found.append("*")
            star = True
        text = str(each.replace(annotation=each.empty, default=each.empty))
        annotation = "" if each.annotation is each.empty else f": {each.annotation}"
        default = "" if each.default is each.empty else f" = {each.default!r}"
        star = star or each.kind is each.VAR_POSITIONAL
        found.append(text + annotation + default)
    return found


def _answer(function: Callable[..., Any]) -> str:
    answer = inspect.signature(function).return_annotation
    return "" if answer is inspect.Signature.empty else f" -> {answer}"


def _fields(record: RecordType) -> list[str]:
    defaults = record._defaults
    return [
        f"{name}: {text}" + (f" = {defaults[name]!r}" if name in defaults else "")
        for name, text in written_fields(record).items()
    ]


def _block(name: str, parameters: list[str], answer: str = "") -> str:
    line = f"{name}({', '.join(parameters)}){answer}"
    if len(line) > WIDTH:
        inside = "".join(f"    {each},\n" for each in parameters)
        line = f"{name}(\n{inside}){answer}"
    return f"```text\n{line}\n```\n"


def _about(found: Any) -> str:
    return inspect.getdoc(found) or ""


def _base(kind: type[SandgateError]) -> str:
    return "" if kind is SandgateError else f"`{kind.__mro__[1].__name__}`"
