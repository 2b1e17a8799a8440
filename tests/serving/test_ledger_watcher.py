"""Answers from elsewhere are noticed, with one look for many changes."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sandgate.serving.ledger_access import Ledger, open_ledger
from sandgate.serving.ledger_watcher import LOOK_AGAIN_S, LedgerWatcher
from support.approval.asking import question

BURST = 100
LIMIT_S = 30


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    opened = open_ledger({"HOME": str(tmp_path)})
    yield opened
    opened.close()


async def until(seen: asyncio.Queue[frozenset[str] | None], wanted: str) -> int:
    """How many looks it took."""
    looks = 0
    async with asyncio.timeout(LIMIT_S):
        while True:
            looks += 1
            if wanted in (await seen.get() or ()):
                return looks


def asked(ledger: Ledger, number: int) -> Any:
    approval = question(approval_id=f"{number:016x}", asked_at=0.0, expires_at=4e9)
    ledger.ask(approval)
    return approval


@pytest.mark.parametrize("told", [True, False], ids=["by the kernel", "by looking again"])
def test_an_answer_is_noticed(ledger: Ledger, told: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def none_left() -> None:
        raise OSError(24, "no inotify left")

    if not told:
        monkeypatch.setattr(ledger, "watch", none_left)

    async def work() -> None:
        seen: asyncio.Queue[frozenset[str] | None] = asyncio.Queue()
        lookout = LedgerWatcher(ledger, seen.put_nowait)
        lookout.open()
        approval = asked(ledger, 1)
        ledger.resolve(approval.approval_id, "approve", by="terminal", digest=approval.digest)
        await until(seen, approval.approval_id)
        lookout.close()
        lookout.close()

    asyncio.run(work())


def test_a_burst_of_changes_is_a_few_looks(ledger: Ledger) -> None:
    async def work() -> None:
        seen: asyncio.Queue[frozenset[str] | None] = asyncio.Queue()
        lookout = LedgerWatcher(ledger, seen.put_nowait)
        lookout.open()
        approvals = await asyncio.to_thread(lambda: [asked(ledger, number) for number in range(BURST)])
        last = approvals[-1]
        await asyncio.to_thread(ledger.resolve, last.approval_id, "deny", by="terminal", digest=last.digest)
        assert await until(seen, last.approval_id) < BURST
        lookout.close()

    asyncio.run(work())


def test_a_directory_that_cannot_be_looked_into_is_said(ledger: Ledger) -> None:
    async def work() -> None:
        seen: asyncio.Queue[frozenset[str] | None] = asyncio.Queue()
        lookout = LedgerWatcher(ledger, seen.put_nowait)
        ledger.close()
        lookout.open()
        async with asyncio.timeout(LIMIT_S):
            assert await seen.get() is None
        lookout.close()

    asyncio.run(work())


def test_looking_again_is_no_busy_loop() -> None:
    assert LOOK_AGAIN_S >= 0.1
