"""Stands between a WebSocket client and its server, passes everything on, and keeps it."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import websockets.asyncio.client as client
import websockets.asyncio.server as server
from websockets.exceptions import ConnectionClosed

MESSAGE_BYTES_MAX = 64 << 20
Kept = list[list[tuple[bool, dict[str, Any]]]]
"""Of each connection: whether the client said it, and the message."""


@contextmanager
def relay(address: str) -> Iterator[tuple[str, Kept]]:
    """Where to connect instead, and what was said there."""
    kept: Kept = []
    loop = asyncio.new_event_loop()
    listening: asyncio.Future[str] = loop.create_future()
    over = asyncio.Event()
    told = threading.Event()

    async def serve() -> None:
        async with server.serve(_passing(address, kept), "127.0.0.1", 0, max_size=MESSAGE_BYTES_MAX) as here:
            listening.set_result(f"ws://127.0.0.1:{here.sockets[0].getsockname()[1]}")
            told.set()
            await over.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    try:
        assert told.wait(20)
        yield listening.result(), kept
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join()
        loop.close()


def _passing(address: str, kept: Kept) -> Any:
    async def pass_on(source: Any, target: Any, log: list[tuple[bool, dict[str, Any]]], *, by_client: bool) -> None:
        try:
            async for text in source:
                log.append((by_client, json.loads(text)))
                await target.send(text)
        except ConnectionClosed:
            pass
        await target.close()

    async def connected(near: Any) -> None:
        token = {"Authorization": near.request.headers["Authorization"]}
        log: list[tuple[bool, dict[str, Any]]] = []
        kept.append(log)
        async with client.connect(address, additional_headers=token, max_size=MESSAGE_BYTES_MAX) as far:
            await asyncio.gather(pass_on(near, far, log, by_client=True), pass_on(far, near, log, by_client=False))

    return connected
