"""What is known of the programs at the other end: how they show a form, and when no person has seen it.

Each row was measured with the program itself (`tests/peers/test_real_clients.py`) or read in its source. A program that
is not here gets the form that any client can show: words and two buttons.
"""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from mcp.server.context import ServerRequestContext

    Context = ServerRequestContext[Any, Any]

NAME_SHOWN_CHARS = 60
REACTION_S = 0.1  # no person reads a question faster: what comes sooner is the program's own answer
CLAUDE_CODE = "claude-code"
# Clients in which a list of choices is answered as quickly as a button, by the name they give themselves.
CHOOSERS = {
    "codex-mcp-client": "Codex shows the list; Enter takes its first choice",
    "Visual Studio Code": "its only button says Respond, and the list comes after it",
    "mcp": "the name the SDK gives a program of one's own, which shows what it was written to show",
    "fastmcp": "the same of another library",
}
TURN = "x-codex-turn-metadata"  # in a call's `_meta`: how the turn began
ENTRYPOINT = "CLAUDE_CODE_ENTRYPOINT"  # in the environment of a server that Claude Code starts
PRINTING = "sdk-"  # how it begins where Claude Code has no screen: `claude -p`, and its SDKs

TURNED_DOWN = (
    "nobody could be asked: {client} turned the question down by itself, and no person saw it. What would help: start "
    "the server with `--wait-for-approvals` and answer with `sandgate approvals` from another terminal, or allow the "
    "command with a rule"
)
BY_HOOK = "; in Claude Code, an `Elicitation` hook can answer, too"


def client_name(context: Context) -> str:
    """What the client calls itself; "" where it says nothing."""
    client = context.session.client_params
    return "" if client is None else client.client_info.name[:NAME_SHOWN_CHARS]


def shows_choices(name: str) -> bool:
    """Whether more than Accept and Decline is usable in the client of that name."""
    return name in CHOOSERS


def automatic_actions(context: Context, environ: Mapping[str, str]) -> tuple[str, ...]:
    """What this client answers by itself, however long that takes, because it says that it runs without a person.

    `environ`: the server's own, if the client started it. In `claude -p` only a hook declines; a cancel is
    the client's own.
    """
    if client_name(context) == CLAUDE_CODE:
        return ("cancel",) if environ.get(ENTRYPOINT, "").startswith(PRINTING) else ()
    return ("decline", "cancel") if _codex_turn(context).get("turn_trigger") == "exec" else ()


def is_unseen(answer: object, waited_s: float, by_itself: tuple[str, ...]) -> bool:
    """Whether this no came from a program, and no person can have read the question. `by_itself`: see above."""
    action = answer.get("action") if isinstance(answer, dict) else None
    return action in ("decline", "cancel") and (waited_s < REACTION_S or action in by_itself)


def turned_down(name: str) -> str:
    """What is told of an answer that no person gave, with what would help."""
    said = TURNED_DOWN.format(client=f"`{name}`" if name else "this client")
    return said + (BY_HOOK if name == CLAUDE_CODE else "")


def _codex_turn(context: Context) -> dict[str, Any]:
    told: Any = (context.meta or {}).get(TURN)
    if isinstance(told, str):
        try:
            told = json.loads(told)
        except (ValueError, RecursionError):
            return {}
    return told if isinstance(told, dict) else {}
