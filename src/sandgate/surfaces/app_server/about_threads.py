"""Answers about threads: begun, gone on with, copied, listed, read, named, put away."""

from __future__ import annotations

from sandgate.agent import past_sessions
from sandgate.runtime.aio import on_thread
from sandgate.surfaces.app_server.connection import Then
from sandgate.surfaces.app_server.refusal import bad_params
from sandgate.surfaces.app_server.thread_forms import listed_form, past_form
from sandgate.surfaces.app_server.turn_log import past_turns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from sandgate.surfaces.app_server.connection import Connection
    from sandgate.surfaces.app_server.live_thread import LiveThread

    Json = dict[str, Any]

PAGE, PAGE_MAX = 25, 100  # threads of a list
TURNS_PAGE, TURNS_PAGE_MAX = 25, 200
NAME_CHARS_MAX = 200


async def start_thread(client: Connection, params: Json) -> Then:
    """A new one, which the client watches."""
    return _watched(client, await client.threads.start(params), params)


async def resume_thread(client: Connection, params: Json) -> Then:
    """The same with an earlier one; one that is open here is joined, as it is."""
    return _watched(client, await client.threads.resume(params), params)


async def fork_thread(client: Connection, params: Json) -> Then:
    """The same with a copy."""
    return _watched(client, await client.threads.start(params, fork=params["threadId"]), params)


async def list_threads(client: Connection, params: Json) -> Json:
    """A page of those on disk; an open one is shown as it stands. A page may have fewer than were asked for."""
    if params.get("sectionId") is not None:
        return _page([], None)
    limit = _limit(params, PAGE, PAGE_MAX)
    environ = _environ(client)
    listed = await on_thread(
        lambda: past_sessions.list_sessions(
            environ,
            limit=limit,
            cursor=params.get("cursor"),
            archived=bool(params.get("archived")),
            subagents=params.get("parentThreadId") is not None,
        )
    )
    shown = []
    for each in listed.items:
        live = client.threads.find(each.id)
        form = listed_form(each) if live is None else live.form(turns=False)
        if _is_wanted(form, params):
            shown.append(form)
    return _page(shown, listed.next_cursor)


async def list_loaded(client: Connection, params: Json) -> Json:
    """The ids of the open ones."""
    return _paged(client.threads.ids, params, "data", PAGE_MAX, PAGE_MAX)


async def read_thread(client: Connection, params: Json) -> Json:
    """One of them, without opening it."""
    name, turns = params["threadId"], bool(params.get("includeTurns"))
    live = client.threads.find(name)
    form = live.form(turns=turns) if live is not None else await _past(client, name, turns=turns)
    return {"thread": form, "readState": None}


async def list_turns(client: Connection, params: Json) -> Json:
    """A page of its turns, newest first unless they are wanted the other way round."""
    name = params["threadId"]
    live = client.threads.find(name)
    turns = live.story.log.turns() if live is not None else (await _past(client, name, turns=True))["turns"]
    if params.get("sortDirection") != "asc":
        turns = turns[::-1]
    return {**_paged(turns, params, "data", TURNS_PAGE, TURNS_PAGE_MAX), "backwardsCursor": None}


async def set_name(client: Connection, params: Json) -> Json:
    """Every client hears of it."""
    thread, name = client.threads.named(params["threadId"]), params["name"].strip()
    if not name or len(name) > NAME_CHARS_MAX:
        raise bad_params(f"a name has 1 to {NAME_CHARS_MAX} characters")
    thread.name = name
    client.threads.tell_all("thread/name/updated", {"threadId": thread.id, "threadName": name})
    return {}


async def archive_thread(client: Connection, params: Json) -> Json:
    """Ends it if it is open, and puts it away."""
    name, environ = params["threadId"], _environ(client)
    await client.threads.put_away(name)
    await on_thread(lambda: past_sessions.archive_session(environ, name))
    client.threads.tell_all("thread/archived", {"threadId": name})
    return {}


async def unarchive_thread(client: Connection, params: Json) -> Json:
    """Lists it again."""
    name, environ = params["threadId"], _environ(client)
    await on_thread(lambda: past_sessions.unarchive_session(environ, name))
    client.threads.tell_all("thread/unarchived", {"threadId": name})
    return {"thread": await _past(client, name, turns=False), "readState": None}


async def unsubscribe(client: Connection, params: Json) -> Json:
    """The client watches it no longer; it ends when nobody does and nothing is going on."""
    live = client.threads.find(params["threadId"])
    if live is None:
        return {"status": "notLoaded"}
    return {"status": "unsubscribed" if client.threads.leave(live, client) else "notSubscribed"}


def _watched(client: Connection, thread: LiveThread, params: Json) -> Then:
    """The answer stands for everything until now; what is told follows from now on, and after the answer."""
    thread.watch(client)
    new, thread.announced = not thread.announced, True

    def after() -> None:
        if new:
            client.threads.tell_all("thread/started", {"thread": thread.form(turns=False)})
        thread.show_questions(client)

    return Then(thread.opened_form(turns=not params.get("excludeTurns")), after)


async def _past(client: Connection, name: str, *, turns: bool) -> Json:
    environ = _environ(client)
    past = await on_thread(lambda: past_sessions.read_session(environ, name))
    return past_form(past, past_turns(past.events) if turns else [])


def _is_wanted(form: Json, params: Json) -> bool:
    cwd, sought = params.get("cwd"), (params.get("searchTerm") or "").casefold()
    providers, sources = params.get("modelProviders") or (), params.get("sourceKinds") or ()
    parent = params.get("parentThreadId")
    return (
        cwd in (None, form["cwd"])
        and (not providers or form["modelProvider"] in providers)
        and (not sources or form["source"] in sources)
        and (parent is None or form["parentThreadId"] == parent)
        and form["id"] not in (params.get("excludedThreadIds") or ())
        and sought in f"{form['name'] or ''} {form['preview']}".casefold()
    )


def _page(data: list[Json], cursor: str | None) -> Json:
    return {"data": data, "readStates": {}, "nextCursor": cursor, "backwardsCursor": None}


def _paged(rows: list[Any], params: Json, name: str, usual: int, most: int) -> Json:
    """A part of a list that is here as a whole; a place in it is a number."""
    cursor = params.get("cursor") or "0"
    if not (cursor.isascii() and cursor.isdecimal() and len(cursor) < 10):
        raise bad_params("`params.cursor` is no place in this list")
    begin, limit = int(cursor), _limit(params, usual, most)
    end = begin + limit
    return {name: rows[begin:end], "nextCursor": str(end) if end < len(rows) else None}


def _limit(params: Json, usual: int, most: int) -> int:
    limit = params.get("limit")
    return usual if limit is None else max(1, min(limit, most))


def _environ(client: Connection) -> Mapping[str, str]:
    return client.threads.serving.environment.environ
