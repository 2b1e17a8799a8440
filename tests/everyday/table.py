"""The page of everyday tasks: its table and its reasons, written and read again."""

from __future__ import annotations

import re
from collections.abc import Mapping

from everyday.measuring import ASKS, IN_VAIN, NOT_HERE, REFUSED, WORKS, Outcome
from everyday.tasks import Task
from support.suite.source_tree import REPOSITORY

PAGE = REPOSITORY / "docs/explanation/everyday.md"
BEGIN, END = "<!-- begin: measured -->\n", "<!-- end: measured -->\n"
COLUMNS = ("root, namespace", "root, Landlock", "user, namespace", "user, Landlock", "codex sandbox", "srt")
NOT_MEASURED = "?"
STATUSES = (WORKS, ASKS, IN_VAIN, REFUSED, NOT_HERE)

Key = tuple[str, str]
Column = Mapping[Key, Outcome]

_ROW = re.compile(r"^\| (?P<group>[^|\n]+) \| (?P<name>[^|\n]+) \| (?P<cells>.+) \|$", re.MULTILINE)
_REASON = re.compile(r"^- (?P<group>[^:\n]+): (?P<name>.+?) \[(?P<columns>[^\]\n]+)\]: (?P<reason>.+)$", re.MULTILINE)


def page_columns() -> dict[str, dict[Key, Outcome]]:
    """What the page says of each column; tasks without a measurement are left out."""
    text = PAGE.read_text()
    found: dict[str, dict[Key, Outcome]] = {name: {} for name in COLUMNS}
    for row in _ROW.finditer(text):
        cells = row["cells"].split(" | ")
        for name, cell in zip(COLUMNS, cells if len(cells) == len(COLUMNS) else (), strict=False):
            if cell in STATUSES:
                found[name][row["group"], row["name"]] = Outcome(cell)
    for said in _REASON.finditer(text):
        for name in said["columns"].split("; "):
            old = found[name].get((said["group"], said["name"]))
            if old is not None:
                found[name][said["group"], said["name"]] = Outcome(old.status, said["reason"])
    return found


def written(tasks: tuple[Task, ...], columns: Mapping[str, Column]) -> str:
    """The measured part of the page: how many, the table, the reasons."""
    return "\n".join([*_summary(tasks, columns), "", *_table(tasks, columns), "", *_reasons(tasks, columns), ""])


def write_page(tasks: tuple[Task, ...], columns: Mapping[str, Column]) -> None:
    """Puts it between its marks; the words around it are ours."""
    before, rest = PAGE.read_text().split(BEGIN)
    _, after = rest.split(END)
    PAGE.write_text(f"{before}{BEGIN}{written(tasks, columns)}{END}{after}")


def _summary(tasks: tuple[Task, ...], columns: Mapping[str, Column]) -> list[str]:
    lines = [f"| of {len(tasks)} tasks | {' | '.join(STATUSES)} |", "| --- |" + " --- |" * len(STATUSES)]
    for name in COLUMNS:
        cells = [columns[name][task.key].status for task in tasks if task.key in columns[name]]
        lines.append(f"| {name} | {' | '.join(str(cells.count(status)) for status in STATUSES)} |")
    return lines


def _table(tasks: tuple[Task, ...], columns: Mapping[str, Column]) -> list[str]:
    lines = [f"| | task | {' | '.join(COLUMNS)} |", "| --- | --- |" + " --- |" * len(COLUMNS)]
    for task in tasks:
        cells = [columns[name].get(task.key, Outcome(NOT_MEASURED)).status for name in COLUMNS]
        lines.append(f"| {task.group} | {task.name} | {' | '.join(cells)} |")
    return lines


def _reasons(tasks: tuple[Task, ...], columns: Mapping[str, Column]) -> list[str]:
    lines = []
    for task in tasks:
        same: dict[str, list[str]] = {}
        for name in COLUMNS:
            outcome = columns[name].get(task.key)
            if outcome is not None and outcome.reason:
                same.setdefault(outcome.reason, []).append(name)
        lines += [f"- {task.group}: {task.name} [{'; '.join(names)}]: {why}" for why, names in same.items()]
    return lines
