"""Writes which family of tables, and which judge, a program belongs to.

Run `python tests/support/command/knowledge_indexes.py` after adding a program to a table; a test
fails until then. Both files are made from the tables alone.
"""

from __future__ import annotations

import sys
import textwrap
from importlib import import_module
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[3] / "src"
ASSESSMENT = "sandgate.assessment"
WIDTH = 118
FAMILIES_SAY = """Which families know something about a program, so that only these are imported.

Written by `python tests/support/command/knowledge_indexes.py` from the tables: not to be edited; a test compares.
Each row: a family, and the programs it has entries for; where two know the same name, the later row is believed.
"""
JUDGES_SAY = """Which module judges a program, so that only this one is imported.

Written by `python tests/support/command/knowledge_indexes.py` from the judges: not to be edited; a test compares.
Each row: a module, and the programs whose judge it has.
"""


FAMILIES = (
    "agents", "crypto", "disks", "text", "daemons", "services", "reading", "files", "git", "forges", "distributions",
    "building", "packages", "network", "system", "archives", "containers", "databases", "interpreters", "remote",
    "media", "machine", "pipelines",
)  # fmt: skip
"""In the order in which they are believed: the later one where two know the same name."""

JUDGING = (
    "agents", "machine", "media", "tasks", "databases", "services", "remote", "fetching", "keys", "processes", "files",
    "searching",
    "revealing", "network", "sockets", "tools", "git", "running", "interpreters", "builtins", "powershell", "vaults",
)  # fmt: skip
"""The later one where two judge the same program."""


def families_written() -> str:
    """What `knowledge/index.py` should hold."""
    rows = {}
    for family in FAMILIES:
        entries = import_module(f"{ASSESSMENT}.knowledge.{family}").ENTRIES
        rows[family] = {entry.name.partition(" ")[0] for entry in entries}
    return _module(FAMILIES_SAY, "PROGRAMS", rows)


def judges_written() -> str:
    """What `judges/index.py` should hold."""
    rows: dict[str, set[str]] = {}
    for module in JUDGING:
        judged = set(import_module(f"{ASSESSMENT}.judges.{module}").JUDGES)
        rows = {earlier: programs - judged for earlier, programs in rows.items()}
        rows[module] = judged
    return _module(JUDGES_SAY, "JUDGED", rows)


def _module(says: str, name: str, rows: dict[str, set[str]]) -> str:
    lines = [f'"""{says}"""', "", "from __future__ import annotations", "", f"{name}: tuple[tuple[str, str], ...] = ("]
    for row, programs in rows.items():
        text = " ".join(sorted(programs))
        assert not {"\\", '"'} & set(text), text
        wrapped = textwrap.wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False)
        lines += [f'    ("{row}", """', *wrapped, '"""),']
    return "\n".join([*lines, ")  # fmt: skip", ""])


INDEXES = {"knowledge/index.py": "PROGRAMS", "judges/index.py": "JUDGED"}


def main() -> None:
    """Write both anew, from nothing: what a merge has left of them need not even be Python."""
    for file, name in INDEXES.items():
        _put(file, f"{name} = ()\n")
    texts = {"knowledge/index.py": families_written(), "judges/index.py": judges_written()}
    for file, text in texts.items():
        _put(file, text)


def _put(file: str, text: str) -> None:
    (SOURCE / "sandgate" / "assessment" / file).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.path.insert(0, str(SOURCE))
    main()
