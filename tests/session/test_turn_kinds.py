"""What a turn can be about."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sandgate.errors import RequestError
from sandgate.protocol.events import UndoCompleted
from sandgate.protocol.items import InputImage, InputText, Message
from sandgate.protocol.operations import ImageInput, LocalImageInput, TextInput
from sandgate.session.context import TurnContext
from sandgate.session.session import ActiveTurn
from sandgate.session.turn import Turn
from sandgate.session.turn_kinds import KnownTurnKinds
from support.agent.session_doubles import ModelDouble, SessionDesk
from support.process.loops import run


def undone(patches: list[str], undo: Any) -> UndoCompleted:
    """What is told of taking these back."""
    found: list[Any] = []

    async def work() -> None:
        desk = SessionDesk(ModelDouble())
        unused: Any = None
        works = KnownTurnKinds(unused, unused, read_image=InputText, undo=undo, review=unused, user_shell=unused)
        active = ActiveTurn(TurnContext(Turn("t", desk.settings), desk.conversation, desk.inbox), hears=False)
        assert await works.undo(active, patches) is None
        found.extend(event for event in desk.transcript.events if isinstance(event, UndoCompleted))

    run(work())
    (completed,) = found
    assert isinstance(completed, UndoCompleted)
    return completed


def test_what_a_person_says_is_one_message_with_its_pictures_in_place() -> None:
    unused: Any = None
    works = KnownTurnKinds(
        unused,
        unused,
        read_image=lambda path: InputText(f"[{path}]"),
        undo=unused,
        review=unused,
        user_shell=unused,
    )
    said = works.message((TextInput("look"), ImageInput("data:x"), LocalImageInput("/p.png")))
    assert said == Message("user", (InputText("look"), InputImage("data:x"), InputText("[/p.png]")))


def test_patches_are_taken_back_newest_first() -> None:
    order: list[str] = []

    async def undo(call_id: str) -> bool:
        order.append(call_id)
        return True

    assert undone(["a", "b"], undo) == UndoCompleted(True, "taken back: 2 patches")
    assert order == ["b", "a"]


@pytest.mark.parametrize(
    ("outcome", "why"),
    [
        (False, "it is not known any more"),
        (RequestError("the file has changed", hint="look at it"), "has changed; look at it"),
    ],
)
def test_the_first_that_cannot_be_taken_back_ends_it_and_says_how_far_it_came(outcome: Any, why: str) -> None:
    """Required: an older patch is never taken out from under a newer one."""
    order: list[str] = []

    async def undo(call_id: str) -> bool:
        order.append(call_id)
        if call_id != "b":
            return True
        if isinstance(outcome, Exception):
            raise outcome
        return False

    told = undone(["a", "b", "c"], undo)
    assert (told.success, order) == (False, ["c", "b"])
    assert told.message is not None
    assert told.message.startswith("taken back: 1 patch; then: ")
    assert why in told.message


def test_without_patches_there_is_nothing_to_take_back() -> None:
    async def never(_call_id: str) -> bool:
        await asyncio.sleep(0)
        raise AssertionError

    assert undone([], never).success is False
