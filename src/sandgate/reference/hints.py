"""What the annotations of our classes mean, though they are written for readers and type checkers alone.

Our modules import what only annotations need below `if TYPE_CHECKING`, so that a run does not pay for it. Here these
imports are carried out, in a copy of the module's names.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import sys
from functools import cache
from typing import Any

from sandgate.record import RecordType


def fields_of(record: RecordType) -> dict[str, Any]:
    """The type of each field, in order, resolved."""
    found: dict[str, Any] = {}
    for base in reversed(record.__mro__):
        written = inspect.get_annotations(base)
        if written:
            names = _names(base.__module__)
            found |= {name: eval(text, names) for name, text in written.items()}
    return {name: found[name] for name in record.__match_args__}


def written_fields(record: RecordType) -> dict[str, str]:
    """The same as they are written."""
    found: dict[str, str] = {}
    for base in reversed(record.__mro__):
        found |= inspect.get_annotations(base)
    return {name: found[name] for name in record.__match_args__}


def alias(module: str, name: str) -> Any:
    """What that module calls so for type checkers alone; None when it calls nothing so."""
    importlib.import_module(module)
    return _names(module).get(name)


@cache
def _names(module: str) -> dict[str, Any]:
    code = ast.parse(inspect.getsource(sys.modules[module]))
    names = dict(vars(sys.modules[module]))
    for node in code.body:
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            for statement in node.body:
                _carry_out(statement, names)
    return names


def _carry_out(statement: ast.stmt, names: dict[str, Any]) -> None:
    if not isinstance(statement, ast.ImportFrom) or statement.module is None:
        exec(compile(ast.Module([statement], []), "<annotations>", "exec"), names)
        return
    module = importlib.import_module(statement.module)
    for each in statement.names:
        known = hasattr(module, each.name)
        names[each.asname or each.name] = getattr(module, each.name) if known else alias(statement.module, each.name)
