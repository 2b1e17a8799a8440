"""The tools that hand a whole task to an agent of ours: what a client is told of them, and what it may say.

Names and parameters are the lineage's, which programs know that have delegated to such a server before: `codex` and
`codex-reply` are taken as well, but not listed, so that no model has to choose between two names of one thing.
"""

from __future__ import annotations

from sandgate.display import visible
from sandgate.errors import RequestError
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Json = dict[str, Any]

START, REPLY = "sandgate", "sandgate-reply"
ALIASES = {"codex": START, "codex-reply": REPLY}
APPROVAL_POLICIES = ("untrusted", "on-failure", "on-request", "never")
SANDBOX_MODES = ("read-only", "workspace-write", "danger-full-access")
PROMPT_CHARS_MAX = 1_000_000  # of one message to the agent, its instructions not counted
NAME_SHOWN_CHARS = 60
KINDS: dict[str, tuple[type, str]] = {
    "string": (str, "text"),
    "boolean": (bool, "true or false"),
    "object": (dict, "an object"),
}

_PROMPT: Json = {"type": "string", "description": "What to do, or to say."}
_START: dict[str, Json] = {
    "prompt": _PROMPT,
    "cwd": {
        "type": "string",
        "description": "Where to work: below the server's directory, or in a project that the user trusts.",
    },
    "model": {"type": "string", "description": "The model that works, instead of the configured one."},
    "approval-policy": {
        "type": "string",
        "enum": list(APPROVAL_POLICIES),
        "description": "When the user is asked. Only one that asks no less than the server's is taken.",
    },
    "sandbox": {
        "type": "string",
        "enum": list(SANDBOX_MODES),
        "description": "What commands may do. Only a mode that is no wider than the server's is taken.",
    },
    "config": {
        "type": "object",
        "description": "Settings by name, as in config.toml. They may only make the policy stricter.",
    },
    "base-instructions": {"type": "string", "description": "In place of the agent's own base instructions."},
    "compact-prompt": {"type": "string", "description": "What a summary of a long conversation is asked for with."},
    "profile": {"type": "string", "description": "Only the one that the server was started with."},
    "include-plan-tool": {"type": "boolean", "description": "Has no effect: the agent always has its plan."},
}
_REPLY: dict[str, Json] = {
    "prompt": _PROMPT,
    "threadId": {"type": "string", "description": "The session, as the answer of the call that began it named it."},
    "conversationId": {"type": "string", "description": "The same, as older clients call it."},
}
_ANSWER: Json = {
    "type": "object",
    "properties": {
        "threadId": {"type": "string", "description": "The session; `sandgate-reply` goes on with it."},
        "conversationId": {"type": "string", "description": "The same, as older clients call it."},
        "content": {"type": "string", "description": "The agent's last message, or why there is none."},
    },
    "required": ["threadId", "content"],
    "additionalProperties": False,
}
PARAMETERS = {START: _START, REPLY: _REPLY}
_HINTS = {"reads_only": False, "destroys": True, "repeats": False, "reaches_out": True}


class ClientPrompt(Record):
    """What a client says to an agent. `thread`: the one that goes on; None begins one, as `asked`."""

    prompt: str
    thread: str | None
    asked: Mapping[str, Any]


def is_session_tool(name: str) -> bool:
    """Whether the tool of that name, or of that other name, hands over a task."""
    return ALIASES.get(name, name) in PARAMETERS


def session_definitions() -> tuple[tuple[Json, Json], ...]:
    """What is told of each, and its hints; in the form of the gate's own tools."""
    return (
        (
            _definition(
                START,
                "Hand a whole task to an agent that works by itself under this server's policy: its commands are "
                "confined, and the user is asked where policy wants that. The answer is its last message.",
                ["prompt"],
            ),
            {"title": "Delegate a task", **_HINTS},
        ),
        (
            _definition(
                REPLY,
                "Go on with an agent's session: say something to it, and get its next last message. One call at a "
                "time; the session is named by `threadId`.",
                ["prompt"],
            ),
            {"title": "Reply to the agent", **_HINTS},
        ),
    )


def said_by_client(tool: str, arguments: Mapping[str, Any]) -> ClientPrompt:
    """What a call says. Raises RequestError for what is no parameter, or none of its values."""
    known = PARAMETERS[ALIASES.get(tool, tool)]
    for name, value in arguments.items():
        _check(name, value, known)
    given = {name: value for name, value in arguments.items() if value is not None}
    prompt = given.pop("prompt", "")
    if not prompt.strip():
        raise RequestError("`prompt` is missing", hint="say what the agent is to do")
    if len(prompt) > PROMPT_CHARS_MAX:
        raise RequestError(f"`prompt` is longer than {PROMPT_CHARS_MAX} characters", hint="put it into a file")
    if known is _START:
        return ClientPrompt(prompt, None, given)
    named = {given[name] for name in ("threadId", "conversationId") if name in given}
    if len(named) != 1:
        what = "two different sessions are named" if named else "no session is named"
        raise RequestError(what, hint="give the `threadId` that the call answered which began it")
    return ClientPrompt(prompt, named.pop(), {})


def _check(name: str, value: object, known: Mapping[str, Json]) -> None:
    schema = known.get(name)
    if schema is None:
        raise RequestError(f"there is no parameter `{visible(name, limit=NAME_SHOWN_CHARS)}`")
    kind, words = KINDS[schema["type"]]
    if value is not None and not isinstance(value, kind):
        raise RequestError(f"`{name}` has to be {words}")
    if value is not None and value not in schema.get("enum", (value,)):
        raise RequestError(
            f"`{name}` cannot be `{visible(str(value), limit=NAME_SHOWN_CHARS)}`",
            hint=f"it is one of {', '.join(schema['enum'])}",
        )


def _definition(name: str, description: str, required: list[str]) -> Json:
    parameters = {
        "type": "object",
        "properties": PARAMETERS[name],
        "required": required,
        "additionalProperties": False,
    }
    return {"name": name, "description": description, "parameters": parameters, "output_schema": _ANSWER}
