"""Measures the everyday tasks and writes their page: `cd tests && PYTHONPATH=../src python -m everyday --write`.

`--plain`: whether the tasks are right, with nobody in between. `--column NAME` (repeatable): only these; the others
keep what the page says. `--task TEXT`: only tasks whose name holds it; `--quick`: only those of the suite, `--slow`:
only the others. Without `--write` it only prints. Codex and srt are found by the variables CODEX and SRT, or on PATH;
tools that lie elsewhere by EVERYDAY_PATH.
"""

from __future__ import annotations

import argparse
import json
import os
import pwd
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from everyday.contestants import Gated, Wrapped
from everyday.measuring import WORKS, Outcome, check_plainly, measured
from everyday.registry import served
from everyday.table import COLUMNS, page_columns, write_page
from everyday.tasks import Task, tasks
from support.machine.ordinary_user import ORDINARY_ID, OrdinaryUser, ordinary_user

NOTHING = Task("", "nothing", (), "", ("true",), "true", 0, False)
"""What every contestant must be able to do, or it says nothing about the tasks."""

SRT_SETTINGS = json.dumps(
    {
        "network": {"allowedDomains": [], "deniedDomains": []},
        "filesystem": {"denyRead": [], "allowWrite": ["PROJECT"], "denyWrite": []},
    }
)


def contestant(column: str) -> Gated | Wrapped | None:
    """Who measures a column; None when that program is not here."""
    if column == "codex sandbox":
        found = os.environ.get("CODEX") or shutil.which("codex")
        words = (found or "", "sandbox", "-c", 'sandbox_mode="workspace-write"', "--")
        return Wrapped(words) if found else None
    if column == "srt":
        found = os.environ.get("SRT") or shutil.which("srt")
        return Wrapped((found, "--"), {".srt-settings.json": SRT_SETTINGS}) if found else None
    return Gated(column.split(", ")[1].lower())


@contextmanager
def registry() -> Iterator[str]:
    """The packages, served for as long as the block lasts."""
    with tempfile.TemporaryDirectory() as folder, served(Path(folder)) as address:
        yield address


def known_account() -> int:
    """An account of the system's own that owns nothing in use; some programs run for no number without a name."""
    return next((each.pw_uid for each in pwd.getpwall() if each.pw_name == "games"), ORDINARY_ID)


def measure(column: str, chosen: tuple[Task, ...], address: str, user: OrdinaryUser) -> dict[tuple[str, str], Outcome]:
    """One column, told as it goes."""
    who, found = contestant(column), {}
    account = None if column.startswith("root") else user
    if who is not None and (trial := measured(NOTHING, who, account, address)).status != WORKS:
        sys.exit(f"{column} does not run here: {trial}")
    for task in chosen if who is not None else ():
        since = time.monotonic()
        found[task.key] = outcome = measured(task, who, account, address)  # type: ignore[arg-type] # asked above
        told = (column, f"{task.group}: {task.name}", outcome.status, outcome.reason)
        print(*told, f"{time.monotonic() - since:.1f} s", sep=" | ", flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="everyday", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--plain", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--column", action="append", choices=COLUMNS)
    parser.add_argument("--task", default="")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--quick", action="store_true")
    which.add_argument("--slow", action="store_true")
    given = parser.parse_args()
    chosen = tuple(
        task for task in tasks() if given.task in task.name and not (given.slow if not task.by_hand else given.quick)
    )
    with ExitStack() as held:
        address, user = held.enter_context(registry()), held.enter_context(ordinary_user(known_account()))
        if given.plain:
            for task in chosen:
                for account in (None, user):
                    check_plainly(task, account, address)
                    print("plainly", task.key, flush=True)
            return
        for column in given.column or COLUMNS:
            found = measure(column, chosen, address, user)
            if given.write:  # read again: another may have measured another column meanwhile
                columns = page_columns()
                columns[column].update(found)
                write_page(tasks(), columns)


if __name__ == "__main__":
    main()
