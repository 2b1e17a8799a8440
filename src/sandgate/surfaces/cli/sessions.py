"""`sandgate sessions`: what there is of past sessions. What people and models said in them is made visible."""

from __future__ import annotations

import os

from sandgate.display import one_line, visible
from sandgate.errors import RequestError, SandgateError
from sandgate.surfaces.cli import say
from sandgate.surfaces.cli.timestamps import here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.config.prices import Price
    from sandgate.surfaces.cli.parse import ParsedLine

LIMIT, LIMIT_MAX = 20, 1000  # sessions of one list
PREVIEW_CHARACTERS_MAX = 100
ID_CHARACTERS_MAX = 100
FIELDS = (
    "id", "created_at", "updated_at", "cwd", "model", "preview", "source", "parent_id", "state", "tokens", "cost",
    "currency",
)  # fmt: skip
IDLE = ("json", "all", "archived", "limit", "cursor")  # options of `list` alone


def main(parsed: ParsedLine) -> int:
    """0; a session that is not there is bad usage."""
    from sandgate.agent import past_sessions

    deed = parsed.words[0]
    if deed == "list":
        return _list(parsed)
    for option in IDLE:
        if option in parsed.values:
            raise RequestError(f"`--{option}` means nothing to `sandgate sessions {deed}`")
    session = parsed.words[1]
    match deed:
        case "show":
            for line in past_sessions.show_session(os.environ, session):
                if say.write(say.STDOUT, f"{_shown(line)}\n") is not None:
                    return 0  # the reader has gone
        case "archive":
            past_sessions.archive_session(os.environ, session)
            say.fact(f"put away: {visible(session, limit=ID_CHARACTERS_MAX)}")
        case "unarchive":
            past_sessions.unarchive_session(os.environ, session)
            say.fact(f"back in the list: {visible(session, limit=ID_CHARACTERS_MAX)}")
        case _:
            past_sessions.delete_session(os.environ, session)
            say.fact(f"deleted: {visible(session, limit=ID_CHARACTERS_MAX)}")
    return 0


def _list(parsed: ParsedLine) -> int:
    from sandgate.agent.past_sessions import list_sessions

    page = list_sessions(
        os.environ,
        limit=_limit(parsed.text("limit")),
        cursor=parsed.text("cursor"),
        archived=parsed.on("archived"),
        subagents=parsed.on("all"),
        prices=_prices(),
    )
    if parsed.on("json"):
        items = [{name: getattr(item, name) for name in FIELDS} for item in page.items]
        say.out(_json({"sessions": items, "next_cursor": page.next_cursor}))
        return 0
    for item in page.items:
        say.out(_listed(item))
    if not page.items:
        say.fact("there are no sessions")
    if page.next_cursor:
        say.fact(f"there are more: --cursor {_quoted(page.next_cursor)}")
    return 0


def _prices() -> dict[str, Price]:
    """What the user has written down; what is wrong with it hides no session."""
    from sandgate.config import load_settings
    from sandgate.config.prices import model_prices

    try:
        return model_prices(load_settings(cwd=os.getcwd(), environ=os.environ).values)
    except SandgateError as problem:
        say.fact(f"no costs are shown: {problem}")
        return {}


def _listed(item: Any) -> str:
    whose = "" if item.parent_id is None else f"  sub-agent of {item.parent_id or 'another session'}"
    used = "" if item.tokens is None else f"{item.tokens} tokens  "
    used += "" if item.cost is None else f"about {item.cost:.2f} {item.currency}  "
    head = visible(f"{item.id}  {here(str(item.updated_at))}  {item.state}  {used}{item.model}  {item.cwd}{whose}")
    return f"{head}\n  | {one_line(str(item.preview or ''), limit=PREVIEW_CHARACTERS_MAX)}\n"


def _shown(line: object) -> str:
    """A line of text, or an event as JSON."""
    if isinstance(line, str):
        return visible(line)
    from sandgate.protocol.events import Event

    if isinstance(line, Event):
        from sandgate.protocol.events_wire import event_json

        return _json(event_json(line)).rstrip("\n")
    raise AssertionError(f"{line!r} is no line of a session")


def _limit(text: str | None) -> int:
    if text is None:
        return LIMIT
    if not (text.isascii() and text.isdecimal() and len(text) < 9 and 1 <= int(text) <= LIMIT_MAX):
        raise RequestError(f"`--limit {visible(text, limit=20)}` is no number from 1 to {LIMIT_MAX}")
    return int(text)


def _quoted(text: str) -> str:
    from sandgate.commandline.words import quoted

    return quoted(text)


def _json(value: object) -> str:
    import json

    from sandgate.protocol.wire import plain, sendable

    return json.dumps(sendable(plain(value))).replace("\x7f", "\\u007f") + "\n"
