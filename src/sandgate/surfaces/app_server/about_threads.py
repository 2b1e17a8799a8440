"""Answers about threads: begun, gone on with, copied, listed, read, named, put away."""

from __future__ import annotations

from sandgate.agent import past_sessions
from sandgate.runtime.aio import on_thread
from sandgate.surfaces.app_server.connection import Then
from sandgate.surfaces.app_server.refusal import bad_params
from sandgate.surfaces.app_server.thread_forms import listed_form, past_form, source_kinds
from sandgate.surfaces.app_server.turn_log import past_turns, without_items

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from sandgate.agent.past_sessions import ListedSession, SessionList
    from sandgate.surfaces.app_server.connection import Connection
    from sandgate.surfaces.app_server.live_thread import LiveThread

    Json = dict[str, Any]

PAGE, PAGE_MAX = 25, 100  # threads of a list
PAGES_READ_MAX = 20  # for one page of it, past those that were not asked for
TURNS_PAGE, TURNS_PAGE_MAX = 25, 200
ITEMS_PAGE, ITEMS_PAGE_MAX = 100, 500
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
    """A page of those on disk; an open one is shown as it stands. A page may have too few, where few are wanted."""
    if params.get("sectionId") is not None:
        return _page([], None)
    limit, cursor = _limit(params, PAGE, PAGE_MAX), params.get("cursor")
    shown: list[Json] = []
    for _page_read in range(PAGES_READ_MAX):
        listed = await _listed(client, params, limit - len(shown), cursor)
        forms, cursor = (_listed_form(client, each) for each in listed.items), listed.next_cursor
        shown += [form for form in forms if _is_wanted(form, params)]
        if cursor is None or len(shown) == limit:
            break
    return _page(shown, cursor)


async def list_loaded(client: Connection, params: Json) -> Json:
    """The ids of the open ones."""
    page = _paged(client.threads.ids, params, PAGE_MAX, PAGE_MAX)
    return {"data": page["data"], "nextCursor": page["nextCursor"]}


async def read_thread(client: Connection, params: Json) -> Json:
    """One of them, without opening it."""
    name, turns = params["threadId"], bool(params.get("includeTurns"))
    live = client.threads.find(name)
    form = live.form(turns=turns) if live is not None else await _past(client, name, turns=turns)
    return {"thread": form, "readState": None}


async def list_turns(client: Connection, params: Json) -> Json:
    """A page of its turns, newest first unless they are wanted the other way round."""
    turns = await _turns(client, params["threadId"])
    if params.get("itemsView") == "notLoaded":
        turns = [without_items(turn) for turn in turns]
    newest_first = params.get("sortDirection") != "asc"
    return _paged(turns, params, TURNS_PAGE, TURNS_PAGE_MAX, newest_first=newest_first)


async def list_items(client: Connection, params: Json) -> Json:
    """A page of the items of all its turns, or of one; oldest first unless they are wanted the other way round."""
    wanted = params.get("turnId")
    rows = [
        {"turnId": turn["id"], "item": item, "startedAtMs": item["startedAtMs"], "completedAtMs": item["completedAtMs"]}
        for turn in await _turns(client, params["threadId"])
        if wanted in (None, turn["id"])
        for item in turn["items"]
    ]
    newest_first = params.get("sortDirection") == "desc"
    return _paged(rows, params, ITEMS_PAGE, ITEMS_PAGE_MAX, newest_first=newest_first)


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


async def _listed(client: Connection, params: Json, limit: int, cursor: str | None) -> SessionList:
    environ = _environ(client)
    archived, subagents = bool(params.get("archived")), params.get("parentThreadId") is not None
    return await on_thread(
        lambda: past_sessions.list_sessions(environ, limit=limit, cursor=cursor, archived=archived, subagents=subagents)
    )


def _listed_form(client: Connection, session: ListedSession) -> Json:
    live = client.threads.find(session.id)
    return listed_form(session) if live is None else live.form(turns=False)


async def _turns(client: Connection, name: str) -> list[Json]:
    live = client.threads.find(name)
    if live is not None:
        return live.story.log.turns()
    turns: list[Json] = (await _past(client, name, turns=True))["turns"]
    return turns


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
        and (not sources or not set(source_kinds(form["source"])).isdisjoint(sources))
        and (parent is None or form["parentThreadId"] == parent)
        and form["id"] not in (params.get("excludedThreadIds") or ())
        and sought in f"{form['name'] or ''} {form['preview']}".casefold()
    )


def _page(data: list[Json], cursor: str | None) -> Json:
    return {"data": data, "readStates": {}, "nextCursor": cursor, "backwardsCursor": None}


def _paged(rows: list[Any], params: Json, usual: int, most: int, *, newest_first: bool = False) -> Json:
    """A part of a list that is here as a whole, oldest first, and may grow; a place in it is between two rows."""
    place, limit = _place(params.get("cursor"), len(rows) if newest_first else 0), _limit(params, usual, most)
    if newest_first:
        page, left = rows[max(0, place - limit) : place][::-1], max(0, place - limit)
        return _page_of(page, str(left) if left else None, place - 1)
    page, end = rows[place : place + limit], place + limit
    return _page_of(page, str(end) if end < len(rows) else None, place + 1)


def _page_of(page: list[Any], following: str | None, turning: int) -> Json:
    """`turning`: where to begin in the other direction, so that both pages have their first row in common."""
    return {"data": page, "nextCursor": following, "backwardsCursor": str(turning) if page else None}


def _place(cursor: str | None, beginning: int) -> int:
    if cursor is None:
        return beginning
    if not (cursor.isascii() and cursor.isdecimal() and len(cursor) < 10):
        raise bad_params("`params.cursor` is no place in this list")
    return int(cursor)


def _limit(params: Json, usual: int, most: int) -> int:
    limit = params.get("limit")
    return usual if limit is None else max(1, min(limit, most))


def _environ(client: Connection) -> Mapping[str, str]:
    return client.threads.serving.environment.environ
