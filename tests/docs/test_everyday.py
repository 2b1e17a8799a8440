"""The page of everyday tasks says what is true here: each quick task is run again, as the user who runs the tests."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from everyday.__main__ import contestant, registry
from everyday.measuring import ASKS, IN_VAIN, NOT_HERE, REFUSED, WORKS, measured
from everyday.table import BEGIN, COLUMNS, END, PAGE, page_columns, written
from everyday.tasks import Task, tasks

TASKS_MIN = 70
ANEW = "the page is out of date; tests/everyday/__main__.py says how it is written anew"
COLUMN = COLUMNS[0] if os.geteuid() == 0 else COLUMNS[2]
QUICK = [task for task in tasks() if not task.by_hand]


@pytest.fixture(scope="module")
def packages() -> Iterator[str]:
    with registry() as address:
        yield address


@pytest.mark.slow
@pytest.mark.host("namespace", "notify")
@pytest.mark.parametrize("task", QUICK, ids=lambda task: f"{task.group}: {task.name}")
def test_a_task_ends_as_the_page_says(task: Task, packages: str) -> None:
    """What is not here is compared with nothing: neither a tool that the page's machine had nor one that it lacked."""
    who, said = contestant(COLUMN), page_columns()[COLUMN][task.key]
    assert who is not None
    found = measured(task, who, None, packages)
    assert NOT_HERE in (said.status, found.status) or found.status == said.status, f"{found}; {ANEW}"


def test_the_page_has_every_task_and_a_reason_wherever_one_does_not_work() -> None:
    columns = page_columns()
    assert len(tasks()) >= TASKS_MIN
    for name in COLUMNS:
        assert set(columns[name]) == {task.key for task in tasks()}, ANEW
        unexplained = [key for key, each in columns[name].items() if each.status in (ASKS, IN_VAIN, REFUSED)
                       and not each.reason]  # fmt: skip
        assert unexplained == []


def test_the_page_is_as_its_program_writes_it() -> None:
    measured_part = PAGE.read_text().split(BEGIN)[1].split(END)[0]
    assert measured_part == written(tasks(), page_columns()), ANEW


def test_what_works_outside_is_most_of_it() -> None:
    """The point of the page: should this ever fail, ordinary work has become worse."""
    columns = page_columns()
    for name in COLUMNS[:4]:
        assert [each.status for each in columns[name].values()].count(WORKS) >= len(tasks()) // 3
