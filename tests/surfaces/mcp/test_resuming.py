import asyncio
import gc

from mcp.server.streamable_http import EventMessage
from mcp_types.jsonrpc import JSONRPCNotification, JSONRPCResponse

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


def test_another_session_finds_nothing_under_the_same_name_and_a_session_goes_with_its_tasks() -> None:
    async def two() -> None:
        store = Resuming()

        async def session(name: str, text: str) -> str:
            store.opened(name, store.enter(None))
            return await store.store_event("1", said(text))

        async def replayed(session: str, name: str) -> list[object]:
            store.enter(session)
            told: list[object] = []

            async def tell(event: EventMessage) -> None:
                told.append(event.message)

            await store.replay_events_after(name, tell)
            return told

        a = asyncio.create_task(session("A", "of A"))
        await a
        held = store.enter("A") if "A" in store._sessions else None
        assert held is None or held
        assert await asyncio.create_task(replayed("B", "1-0")) == []
        del a
        gc.collect()
        assert await asyncio.create_task(replayed("A", "1-0")) == []  # nobody held it any more
        keeping = store.enter(None)
        store.opened("C", keeping)
        keeping.keep("1", JSONRPCResponse(jsonrpc="2.0", id=1, result={}))
        assert await asyncio.create_task(replayed("C", "1-0")) == [JSONRPCResponse(jsonrpc="2.0", id=1, result={})]
        assert await asyncio.create_task(replayed("D", "1-0")) == []

    asyncio.run(two())
