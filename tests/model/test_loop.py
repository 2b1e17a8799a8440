"""A name that takes for ever to look up holds nobody up."""

import asyncio
import socket
import threading

import pytest

from sandgate.model.loop import ExchangeLoop

LIMIT_S = 10


def looked_up(host: str) -> object:
    async def look_up() -> object:
        return await asyncio.get_running_loop().getaddrinfo(host, 80, type=socket.SOCK_STREAM)

    with asyncio.Runner(loop_factory=ExchangeLoop) as runner:
        return runner.run(look_up())


def test_names_are_looked_up() -> None:
    assert looked_up("127.0.0.1") == socket.getaddrinfo("127.0.0.1", 80, type=socket.SOCK_STREAM)


@pytest.mark.parametrize("host", ["a" * 300 + ".test", "\ud800"])
def test_a_name_that_is_none_is_an_error_of_the_caller(host: str) -> None:
    with pytest.raises((OSError, UnicodeError)):
        looked_up(host)


def test_the_loop_ends_while_a_name_is_still_being_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    release = threading.Event()

    def never(*_arguments: object) -> list[object]:
        release.wait(LIMIT_S)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", never)

    async def look_up() -> None:
        async with asyncio.timeout(0.05):
            await asyncio.get_running_loop().getaddrinfo("slow.test", 80)

    with pytest.raises(TimeoutError), asyncio.Runner(loop_factory=ExchangeLoop) as runner:
        runner.run(look_up())
    left = [thread for thread in threading.enumerate() if thread.name == "sandgate-name"]
    assert left
    assert all(thread.daemon for thread in left)
    release.set()
    for thread in left:
        thread.join(LIMIT_S)
