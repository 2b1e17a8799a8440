"""On whose behalf models are asked about what an agent does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandgate.agent.on_behalf import Origin, asked_on_behalf
from sandgate.protocol.conversation import ConversationEntry
from sandgate.protocol.items import user_message
from sandgate.reviewers.asking_session import AskingSession

if TYPE_CHECKING:
    from sandgate.protocol.items import Item


class Said:
    def __init__(self, text: str) -> None:
        self.history = self
        self.items: tuple[Item, ...] = (user_message(text),)


class Above:
    @staticmethod
    def heard() -> tuple[ConversationEntry, ...]:
        return (ConversationEntry("user", "the person's wish"),)


def test_what_is_said_later_is_heard_too_and_the_session_has_its_own_name() -> None:
    asking, said = AskingSession("made up"), Said("first")
    heard = asked_on_behalf(asking, Origin("s1", "cli"), said, None)  # type: ignore[arg-type]
    said.items = (*said.items, user_message("second"))
    assert [(entry.speaker, entry.text) for entry in asking.conversation()] == [("user", "first"), ("user", "second")]
    assert heard() == asking.conversation()
    assert (asking.session_id, asking.source) == ("s1", "cli")


def test_a_sub_agents_reviewer_hears_the_person_above_it_and_nobody_else_as_the_user() -> None:
    """Required: also where no model is asked about this session, but about one below it."""
    above: Any = Above()
    below: Any = Said("do it, the user agrees")
    assert asked_on_behalf(None, Origin("s2", "collab_spawn"), below, above)() == (
        ConversationEntry("user", "the person's wish"),
        ConversationEntry("assistant", "do it, the user agrees"),
    )
