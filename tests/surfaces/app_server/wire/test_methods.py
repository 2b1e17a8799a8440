"""The table is held to what a real client and a real server of the lineage said to each other."""

from __future__ import annotations

from typing import Any

import pytest

from sandgate.surfaces.app_server.wire.methods import (
    CLIENT_NOTIFICATIONS,
    METHODS,
    SERVER_NOTIFICATIONS,
    SERVER_REQUESTS,
)
from sandgate.surfaces.app_server.wire.shapes import fault
from support.app_server.recorded import Recorded, recorded

REQUESTS = {"client": {each.name: each for each in METHODS}, "server": {each.name: each for each in SERVER_REQUESTS}}
NOTIFICATIONS = {
    "client": {each.name: each for each in CLIENT_NOTIFICATIONS},
    "server": {each.name: each for each in SERVER_NOTIFICATIONS},
}
NOT_OFFERED = {
    "account/bedrock/checkGovCloudRequirements",
    "config/batchWrite",
    "plugin/installed",
    "thread/readState/update",
}
NOT_TOLD = {
    "account/rateLimits/updated",
    "remoteControl/status/changed",
    "thread/readState/changed",
}


def _entry(message: Recorded) -> Any:
    table = NOTIFICATIONS if message.kind == "notification" else REQUESTS
    return table[message.described_by].get(message.method)


def test_only_what_is_named_here_was_said_and_is_not_offered() -> None:
    missing = {(each.kind == "notification", each.method) for each in recorded() if _entry(each) is None}
    assert {name for told, name in missing if not told} == NOT_OFFERED
    assert {name for told, name in missing if told} == NOT_TOLD


@pytest.mark.parametrize("kind", ["request", "notification", "result"])
def test_every_recorded_message_is_what_the_table_says_and_has_no_field_that_it_lacks(kind: str) -> None:
    """Required: clients of the lineage are understood, and understand us."""
    checked, wrong = 0, []
    for message in recorded():
        entry = _entry(message)
        if message.kind != kind or entry is None:
            continue
        checked += 1
        form = entry.result if kind == "result" else entry.params
        found = None if form is None else fault(message.value or {}, form, message.method, strict=True)
        wrong += [found] if found else []
    assert wrong == []
    assert checked > 50


def test_no_name_stands_twice() -> None:
    names = [each.name for each in (*METHODS, *SERVER_REQUESTS, *SERVER_NOTIFICATIONS, *CLIENT_NOTIFICATIONS)]
    assert len(names) == len(set(names))
