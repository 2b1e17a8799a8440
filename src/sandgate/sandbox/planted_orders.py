"""What commands may have written that a command would run outside the sandbox, though no word of its rule says so.

A rule with `sandbox = "bypass"` vouches for its own words, and for the files that these have executed: `make deploy`
for the makefile. It says nothing about the directory and the words behind it, and a confined command may have prepared
both.
"""

from __future__ import annotations

import os
from os.path import normpath, realpath

from sandgate.commandline.executed import executed_files
from sandgate.sandbox.repositories_named import repository_worked_with

FILES_MAX = 1024  # that further words have executed; with more, it is not known


def planted_orders(argv: tuple[str, ...], vouched: int, cwd: str, roots: tuple[str, ...], home: str) -> str:
    """The first of it, or "". `vouched`: how many words are the rule's. `roots`: where commands may write."""
    found = repository_worked_with(cwd, argv[1:], roots, home)
    if found:
        return found
    meant = set(map(normpath, executed_files(argv[:vouched], cwd, (), home)))
    further = [path for path in map(normpath, executed_files(argv, cwd, (), home)) if path not in meant]
    if len(further) > FILES_MAX:
        return further[FILES_MAX]
    ends = tuple(f"{realpath(root).rstrip('/')}/" for root in roots)
    return next((path for path in further if os.path.lexists(path) and _is_below(path, ends)), "")


def _is_below(path: str, ends: tuple[str, ...]) -> bool:
    """By either of its ends, if it is a link, and be it by way of one."""
    above, name = os.path.split(path)
    return f"{realpath(above)}/{name}".startswith(ends) or realpath(path).startswith(ends)
