"""What cannot go directly goes by the library. That all else is the same is for `test_responses.py`."""

from __future__ import annotations

import asyncio

import pytest

from sandgate.model.direct_client import DirectClient
from sandgate.model.exchange import Exchange
from sandgate.model.library_client import LibraryClient
from sandgate.model.responses import ResponsesModel
from sandgate.model.streaming import ItemDone
from support.model.answering import ENVIRON, SETTINGS, heard, provider
from support.model.responses_server import ResponsesServer, keeps, message, turn
from support.process.loops import run


def client_of(**settings: object) -> object:
    async def made() -> object:
        exchange = Exchange(provider("http://127.0.0.1:9/v1").but(**settings), {})
        client = await asyncio.to_thread(exchange.prepare)
        await exchange.close()
        return client

    return run(made())


def test_parameters_and_proxies_are_for_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(client_of(), DirectClient)
    assert isinstance(client_of(query_params=(("api-version", "1"),)), LibraryClient)
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")
    assert isinstance(client_of(), LibraryClient)


def test_parameters_are_sent() -> None:
    async def asked(url: str) -> None:
        who = provider(url).but(query_params=(("api-version", "2026"),))
        model = ResponsesModel(who, SETTINGS, environ=ENVIRON)
        assert any(isinstance(event, ItemDone) for event in await heard(model))
        await model.close()

    with ResponsesServer(keeps(*turn(message("hi")))) as server:
        run(asked(server.url))
        assert server.asked[0].target == "/v1/responses?api-version=2026"
