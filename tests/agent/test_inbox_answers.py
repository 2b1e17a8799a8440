"""Who answers, one after the other, and that nobody is no."""

from __future__ import annotations

import asyncio
import os
import threading
from typing import TYPE_CHECKING, Any, cast

import pytest

from sandgate.agent.inbox_answers import InboxAnswers
from sandgate.approvals.prompts.advice import Advice, Said
from sandgate.errors import RequestError
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.decisions import ApprovalRequest, Decision
from support.process.loops import run

if TYPE_CHECKING:
    from sandgate.agent.terminal_person import Person


def question(name: str = "q") -> ApprovalRequest:
    return ApprovalRequest(name, f"call-{name}", "initial", CommandRequest(("ls",), "/repo", {}), "")


class PersonDouble:
    """Says this, once it is let."""

    def __init__(self, decision: Any = "approved") -> None:
        self.decision = decision
        self.asked: list[tuple[str, Any]] = []
        self.let = threading.Event()
        self.let.set()

    def review(self, request: ApprovalRequest, advice: Advice | None, withdrawn: int) -> Decision | None:
        del withdrawn
        self.asked.append((request.request_id, advice))
        assert self.let.wait(10)
        return None if self.decision is None else Decision(request.stage, self.decision, "user")


def desk(*answers: str, person: PersonDouble | None = None) -> InboxAnswers:
    return InboxAnswers(answers, cast("Person | None", person))


def test_prepared_answers_come_before_the_person() -> None:
    async def work() -> None:
        person = PersonDouble()
        both = desk("deny", person=person)
        assert (await both.answer(question("a"))).decision == "denied"
        assert person.asked == []
        assert (await both.answer(question("b"))).decision == "approved"
        assert person.asked == [("b", None)]

    run(work())


@pytest.mark.parametrize("person", [None, PersonDouble(None)])
def test_where_nobody_is_left_it_is_no(person: PersonDouble | None) -> None:
    async def work() -> None:
        answer = await desk(person=person).answer(question())
        assert (answer.decision, answer.source) == ("denied", "none")

    run(work())


def test_an_unknown_answer_is_refused_at_once() -> None:
    with pytest.raises(RequestError, match="maybe"):
        desk("maybe")


def test_the_person_hears_what_a_model_thinks_of_this_question_and_of_no_other() -> None:
    async def work() -> None:
        person = PersonDouble()
        here = desk(person=person)
        said = Said(None, "careful")
        here.expect(question("a"))
        here.hear(question("a"), said)
        here.hear(question("unexpected"), said)
        await here.answer(question("b"))
        await here.answer(question("a"))
        (_, none), (_, advice) = person.asked
        assert none is None
        assert isinstance(advice, Advice)
        with pytest.raises(OSError, match="Bad file descriptor"):  # it is let go with its question
            os.eventfd_read(advice.fileno())
        here.hear(question("a"), said)  # too late, and no harm

    run(work())


def test_a_question_that_is_cancelled_is_over_when_the_person_was_told() -> None:
    """Required: the terminal is free before anything else happens there."""

    class Waiting(PersonDouble):
        def review(self, request: ApprovalRequest, advice: Advice | None, withdrawn: int) -> Decision | None:
            self.asked.append((request.request_id, advice))
            self.let.set()
            assert os.eventfd_read(withdrawn) == 1
            return Decision(request.stage, "denied", "none")

    async def work() -> None:
        person = Waiting()
        person.let.clear()
        answer = asyncio.ensure_future(desk(person=person).answer(question()))
        assert await asyncio.to_thread(person.let.wait, 10)
        answer.cancel()
        with pytest.raises(asyncio.CancelledError):
            await answer

    run(work())
