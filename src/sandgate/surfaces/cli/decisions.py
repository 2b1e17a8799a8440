"""`sandgate approvals log` and `override`: what was decided, by whom and why, and what was carried out because of it;
and a person's word against a machine's.

What is printed was written by commands and by a model: all of it is made visible, on one line each.
"""

from __future__ import annotations

import os

from sandgate.config.state_directory import ensured_state
from sandgate.display import visible
from sandgate.runtime.decisions import SHORT_DIGEST, entries, overrule
from sandgate.surfaces.cli import say
from sandgate.surfaces.cli.timestamps import here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

WORDS_CHARS_MAX = 400


def log(*, as_json: bool) -> int:
    """Every decision on a line, oldest first."""
    for entry in entries(ensured_state(os.environ)):
        if say.write(say.STDOUT, _json(entry) if as_json else _lines(entry)) is not None:
            return 0  # the reader has gone
    return 0


def override_action(action: str) -> int:
    """Let one action through that the automatic reviewer refused."""
    entry, first = overrule(ensured_state(os.environ), action)
    said = "may run once within the hour" if first else "may run once already"
    say.out(f"{said}:\n{_lines(entry)}")
    return 0


def _lines(entry: dict[str, Any]) -> str:
    lines = _performed_lines(entry) if entry.get("stage") == "performed" else _decision_lines(entry)
    return "".join(f"{visible(line, limit=WORDS_CHARS_MAX)}\n" for line in lines)


def _performed_lines(entry: dict[str, Any]) -> list[str]:
    """What was carried out for one run, each with the answer that allowed it."""
    at = here(str(entry.get("at")), seconds=True)
    argv = [str(word) for word in entry.get("argv") or ()]
    calls = [_performed(call) for call in entry.get("performed") or ()]
    lines = [f"{at}  carried out for a command", f"    {_joined(argv)}", f"    in {entry.get('cwd')}", *calls]
    more = entry.get("performed_omitted")
    return [*lines, f"    and {more} more within what was given"] if more else lines


def _performed(call: dict[str, Any]) -> str:
    paths = " to ".join([str(path) for path in (call.get("path"), call.get("other_path")) if path])
    failed = f", which failed ({os.strerror(int(call['error']))})" if call.get("error") else ""
    by = str(call.get("allowed_by") or "within what settings, options or several answers allow")
    within = "" if call.get("asked") or not call.get("allowed_by") else "within what was "
    return f"    {call.get('operation')} {paths}{failed}: {within}{by}"


def _decision_lines(entry: dict[str, Any]) -> list[str]:
    argv = [str(word) for word in entry.get("argv") or ()]
    files = [str(path) for path in entry.get("files") or ()]
    what = "patch of " + ", ".join(files) if files else _joined(argv)
    risk = f", risk {entry.get('risk_level')}" if entry.get("risk_level") else ""
    at = here(str(entry.get("at")), seconds=True)
    head = f"{at}  {_outcome(entry)} ({entry.get('stage')}{risk})"
    lines = [head, f"    {what}", f"    in {entry.get('cwd')}"]
    grants = [f"{each.get('kind')} {each.get('value')}".strip() for each in entry.get("grants") or ()]
    if grants:
        lines.append(f"    with {', '.join(grants)}")
    if entry.get("rule"):
        lines.append(f"    saved a rule for `{_joined(entry['rule'].get('prefix') or [])}`")
    if entry.get("reason"):
        lines.append(f"    because: {entry['reason']}")
    lines.append(f"    action {str(entry.get('action'))[:SHORT_DIGEST]}")
    return lines


def _outcome(entry: dict[str, Any]) -> str:
    decision = str(entry.get("decision")).replace("_", " ")
    return (
        f"{decision}, as nobody answered" if entry.get("source") == "none" else f"{decision} by {entry.get('source')}"
    )


def _joined(argv: list[str]) -> str:
    from shlex import join

    return join(argv)


def _json(entry: dict[str, Any]) -> str:
    import json

    return json.dumps(entry).replace("\x7f", "\\u007f") + "\n"
