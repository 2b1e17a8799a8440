"""How long one waits before a model is asked again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from sandgate.errors import RetriesExhausted, StreamBroken
from sandgate.model.retry import DELAY_MS_MAX
from sandgate.session.context import TurnContext
from sandgate.session.reconnecting import before_retry
from sandgate.session.turn import Turn
from support.agent.session_doubles import ModelDouble, SessionDesk
from support.process.loops import run

if TYPE_CHECKING:
    from sandgate.session.interfaces import Sleep


async def waited(failed: int, problem: StreamBroken, **settings: Any) -> list[float]:
    """Seconds."""
    desk = SessionDesk(ModelDouble(), **settings)
    context = TurnContext(Turn("t", desk.settings), desk.conversation, desk.inbox)
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    await before_retry(context, failed, problem, cast("Sleep", sleep))
    return slept


@pytest.mark.parametrize(("failed", "middle_s"), [(1, 0.2), (2, 0.4), (3, 0.8), (5, 3.2)])
def test_each_wait_is_twice_as_long_give_or_take_a_tenth(failed: int, middle_s: float) -> None:
    async def work() -> None:
        (seconds,) = await waited(failed, StreamBroken("cut"))
        assert 0.899 * middle_s <= seconds <= 1.101 * middle_s

    run(work())


def test_no_wait_is_longer_than_any_may_be_however_often_it_is_tried() -> None:
    """Required: a hundred attempts may be configured, and doubling them would take longer than there is time."""

    async def work() -> None:
        assert await waited(60, StreamBroken("cut"), stream_max_retries=100) == [DELAY_MS_MAX / 1000]

    run(work())


def test_a_provider_that_names_a_delay_is_heard() -> None:
    async def work() -> None:
        assert await waited(3, StreamBroken("slow down", retry_after_ms=35)) == [0.035]

    run(work())


def test_after_the_last_attempt_it_fails_with_what_broke() -> None:
    async def work() -> None:
        with pytest.raises(RetriesExhausted, match="cut"):
            await waited(3, StreamBroken("cut"), stream_max_retries=2)
        assert len(await waited(2, StreamBroken("cut"), stream_max_retries=2)) == 1

    run(work())
