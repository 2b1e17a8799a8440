"""Side by side, or alone, in the order of coming."""

from __future__ import annotations

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from sandgate.session.fair_lock import FairLock
from support.process.loops import run


class Users:
    """Each holds the lock until it is told to let go."""

    def __init__(self) -> None:
        self.lock = FairLock()
        self.inside: list[str] = []
        self.entered: list[str] = []
        self.leave: dict[str, asyncio.Event] = {}
        self.tasks: dict[str, asyncio.Task[None]] = {}

    async def come(self, name: str, *, alone: bool) -> None:
        self.leave[name] = asyncio.Event()
        self.tasks[name] = asyncio.ensure_future(self._hold(name, alone=alone))
        await settled()

    async def go(self, name: str) -> None:
        self.leave[name].set()
        await settled()

    async def _hold(self, name: str, *, alone: bool) -> None:
        async with self.lock.held(alone=alone):
            self.inside.append(name)
            self.entered.append(name)
            await self.leave[name].wait()
            self.inside.remove(name)


async def settled() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


def test_sharers_are_inside_together() -> None:
    async def work() -> None:
        users = Users()
        await users.come("a", alone=False)
        await users.come("b", alone=False)
        assert users.inside == ["a", "b"]
        await users.go("a")
        await users.go("b")

    run(work())


def test_one_that_wants_it_alone_waits_for_sharers_and_is_not_overtaken_by_later_ones() -> None:
    async def work() -> None:
        users = Users()
        await users.come("a", alone=False)
        await users.come("alone", alone=True)
        await users.come("late", alone=False)
        assert users.inside == ["a"]
        await users.go("a")
        assert users.inside == ["alone"]
        await users.go("alone")
        assert users.inside == ["late"]
        await users.go("late")

    run(work())


def test_whoever_gives_up_waiting_lets_those_behind_pass() -> None:
    async def work() -> None:
        users = Users()
        await users.come("a", alone=False)
        await users.come("alone", alone=True)
        await users.come("late", alone=False)
        users.tasks["alone"].cancel()
        await settled()
        assert users.inside == ["a", "late"]
        await users.go("a")
        await users.go("late")

    run(work())


def test_whoever_is_cancelled_in_the_moment_of_its_turn_gives_the_turn_on() -> None:
    async def work() -> None:
        users = Users()
        await users.come("a", alone=True)
        await users.come("b", alone=True)
        await users.come("c", alone=True)
        users.leave["a"].set()
        await asyncio.sleep(0)  # `a` has let go and `b` has its turn, which it does not know yet
        users.tasks["b"].cancel()
        await settled()
        assert users.inside == ["c"]
        await users.go("c")

    run(work())


@given(st.lists(st.tuples(st.sampled_from(["come", "go", "cancel"]), st.integers(0, 9), st.booleans()), max_size=60))
def test_whatever_happens_nobody_is_beside_one_that_has_it_alone_and_everybody_gets_in(
    story: list[tuple[str, int, bool]],
) -> None:
    async def work() -> None:
        users, alone = Users(), dict[str, bool]()
        came: list[str] = []
        for number, (deed, which, exclusive) in enumerate(story):
            if deed == "come":
                name = str(number)
                alone[name] = exclusive
                came.append(name)
                await users.come(name, alone=exclusive)
            elif came and deed == "go":
                await users.go(came[which % len(came)])
            elif came:
                users.tasks[came[which % len(came)]].cancel()
                await settled()
                users.inside = [each for each in users.inside if not users.tasks[each].done()]
            assert len(users.inside) <= 1 or not any(alone[name] for name in users.inside)
        for name in came:
            users.leave[name].set()
        await asyncio.wait(users.tasks.values()) if users.tasks else None
        order = [name for name in users.entered if alone[name]]
        assert order == sorted(order, key=int)

    run(work())
