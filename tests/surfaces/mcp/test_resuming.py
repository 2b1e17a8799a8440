import asyncio

from mcp.server.streamable_http import EventMessage
from mcp_types.jsonrpc import JSONRPCNotification

from sandgate.surfaces.mcp import resuming
from sandgate.surfaces.mcp.resuming import Resuming, SessionEvents


def said(text: str) -> JSONRPCNotification:
    return JSONRPCNotification(jsonrpc="2.0", method=text)


def texts(events: SessionEvents, name: str) -> list[str]:
    return [event.message.method for event in events.after(name)[1] if isinstance(event.message, JSONRPCNotification)]


def test_only_what_came_later_on_the_same_stream_is_told_again() -> None:
    events = SessionEvents()
    begun = events.keep("1", None)
    first = events.keep("1", said("a"))
    events.keep("2", said("elsewhere"))
    events.keep("1", said("b"))
    assert (texts(events, begun), texts(events, first)) == (["a", "b"], ["b"])
    assert events.after(begun)[0] == "1"


def test_the_oldest_go_first_and_the_answer_is_found_by_a_name_that_is_gone() -> None:
    events = SessionEvents()
    begun = events.keep("1", None)
    for number in range(resuming.EVENTS_MAX):
        events.keep("1", said(str(number)))
    assert texts(events, begun)[0] == "0"
    events.keep("1", said("last"))
    assert texts(events, begun)[0] == "1"
    assert texts(events, begun)[-1] == "last"


def test_bytes_are_bounded_too_and_an_event_over_the_bound_is_not_kept() -> None:
    events = SessionEvents()
    begun = events.keep("1", None)
    for letter in "abc":
        events.keep("1", said(letter * (resuming.EVENT_BYTES_MAX // 2 - 100)))
    assert [text[0] for text in texts(events, begun)] == ["b", "c"]
    events.keep("1", said("d" * resuming.EVENT_BYTES_MAX))
    assert events.after(begun) == (None, [])


def test_names_that_were_never_given_find_nothing() -> None:
    events = SessionEvents()
    events.keep("1", said("a"))
    for name in ("", "-", "1", "1-", "x-1", "9-1", "1-x", "1-²", "1-" + "9" * 5000, "\ud800"):
        assert events.after(name) == (None, [])


def test_another_session_finds_nothing_under_the_same_name() -> None:
    async def told() -> list[list[object]]:
        store = Resuming()
        events = store.enter(None)
        store.opened("A", events)
        name = await store.store_event("1", said("of A"))
        begun = name.replace("-1", "-0")
        return [await asyncio.create_task(replayed(store, session, begun)) for session in ("A", "B", None)]

    assert asyncio.run(told()) == [[said("of A")], [], []]


def test_what_a_session_kept_goes_with_the_task_that_stored_it() -> None:
    async def session(store: Resuming, told: asyncio.Event, more: asyncio.Event) -> None:
        await store.store_event("1", said("of A"))
        told.set()
        await more.wait()

    async def told() -> list[list[object]]:
        store, stored, more = Resuming(), asyncio.Event(), asyncio.Event()
        held = store.enter(None)
        store.opened("A", held)
        running = asyncio.create_task(session(store, stored, more))
        await stored.wait()
        before = await asyncio.create_task(replayed(store, "A", "1-0"))
        more.set()
        await running
        return [before, await asyncio.create_task(replayed(store, "A", "1-0"))]

    assert asyncio.run(told()) == [[said("of A")], []]


async def replayed(store: Resuming, session: str | None, name: str) -> list[object]:
    store.enter(session)
    told: list[object] = []

    async def tell(event: EventMessage) -> None:
        told.append(event.message)

    await store.replay_events_after(name, tell)
    return told
