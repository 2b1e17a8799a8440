"""A test of a table: one test that judges every row and names each wrong one, where a test a row would be thousands.

What a test a row costs, setting up, reporting and taking down, is many times what judging a row takes.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest

FOLDER = "tmp_path"
ROWS, JUDGED = "rows", "judged"

TOLD_MAX = 20
"""So many wrong rows are shown whole; the others are counted."""


def every(names: str, rows: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Like `pytest.mark.parametrize`, in one test. With one name a row is its value, with several a tuple of theirs;
    where several stand above each other, every combination is a row. As `tmp_path` each row has a folder of its own."""
    words = tuple(names.replace(",", " ").split())
    values = [(row,) if len(words) == 1 else tuple(row) for row in rows]
    assert values, "a table without a row would prove nothing"
    named = [dict(zip(words, row, strict=True)) for row in values]

    def judging(test: Callable[..., None]) -> Callable[..., None]:
        judged = getattr(test, JUDGED, test)
        table = [{**row, **inner} for row in named for inner in getattr(test, ROWS, [{}])]

        @functools.wraps(judged)
        def judge(**fixtures: Any) -> None:
            told = [_wrong(judged, row, fixtures, number) for number, row in enumerate(table)]
            _fail_with([each for each in told if each], len(table))

        signature = inspect.signature(test)
        left = [each for name, each in signature.parameters.items() if name not in words]
        judge.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined] # what pytest looks at
        del judge.__wrapped__  # it would look there first
        setattr(judge, JUDGED, judged)
        setattr(judge, ROWS, table)
        return judge

    return judging


def _fail_with(wrong: list[str], rows: int) -> None:
    if wrong:
        left_out = f"\n\n… and {len(wrong) - TOLD_MAX} more" if len(wrong) > TOLD_MAX else ""
        shown = "\n\n".join(wrong[:TOLD_MAX])
        pytest.fail(f"{len(wrong)} of {rows} rows are wrong\n\n{shown}{left_out}", pytrace=False)


def _wrong(test: Callable[..., None], row: dict[str, object], fixtures: dict[str, Any], number: int) -> str:
    """What is wrong with this row; empty when nothing is."""
    own = dict(fixtures)
    if FOLDER in own:
        own[FOLDER] = own[FOLDER] / str(number)
        own[FOLDER].mkdir()
    try:
        test(**row, **own)
    except Exception as problem:
        place = problem.__traceback__.tb_next if problem.__traceback__ else None
        said = ", ".join(f"{name}={value!r}" for name, value in row.items())
        return f"{said}\n  line {place.tb_lineno if place else 0}: {type(problem).__name__}: {problem}"
    return ""
