"""Lets a person overrule an automatic reviewer: one action that it refused may run once."""

from __future__ import annotations

from sandgate.approvals.journal import entries
from sandgate.approvals.overrides import Overrides
from sandgate.errors import RequestError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SHORT_DIGEST = 12  # characters of an action's digest that people are shown; fewer may name several
OVERRULED = ("denied", "timed_out", "abort")


def overrule(state: str, action: str) -> tuple[dict[str, Any], bool]:
    """Let one refused action through, once: its last entry, and False when that was said already.

    `action` is its digest, or the beginning of it. Raises RequestError when no automatic refusal, or more than one
    action, has it.
    """
    named = [line for line in entries(state) if str(line.get("action", "")).startswith(action)]
    refused = {
        line["action"]: line
        for line in named
        if line.get("source") == "automated_reviewer" and line.get("decision") in OVERRULED
    }
    if len(action) < SHORT_DIGEST or len(refused) != 1:
        if len(action) < SHORT_DIGEST:
            why = f"an action is named by at least {SHORT_DIGEST} characters"
        else:
            why = "it names more than one" if refused else "the automatic reviewer refused no action of that name"
        raise RequestError(f"cannot override `{action}`", why=why, hint="`sandgate approvals log` lists them")
    (line,) = refused.values()
    return line, Overrides(state).allow_once(line["action"])
