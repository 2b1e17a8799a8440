"""Answers the questions of an agent's inbox: with prepared answers, then by the person at the terminal."""

from __future__ import annotations

import os
from _thread import allocate_lock

from sandgate.approvals.chain import NO_REVIEWER
from sandgate.approvals.prompts.advice import Advice
from sandgate.gate.event_loop import on_thread
from sandgate.protocol.decisions import Decision
from sandgate.reviewers.prepared import ScriptedReviewer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Protocol

    from sandgate.agent.terminal_person import Person
    from sandgate.approvals.prompts.advice import Said
    from sandgate.protocol.decisions import ApprovalRequest
    from sandgate.reviewers.with_risk_advice import Advising

    class InboxAnswering(Protocol):
        """Who answers the questions of an inbox, and reads what a model says about them."""

        async def answer(self, request: ApprovalRequest, delegate: Mapping[str, str] | None = None, /) -> Decision:
            """On the session's loop; cancelled when the question is over. `delegate`: the sub-agent that asks."""

        def reads_advice(self, request: ApprovalRequest, /) -> Advising:
            """When words of a model about this question are read; from any thread."""

        def expect(self, request: ApprovalRequest, /) -> None:
            """A model thinks about this question; from any thread, before the question is put."""

        def hear(self, request: ApprovalRequest, said: Said, /) -> None:
            """And this is what it says; from any thread."""


class InboxAnswers:
    """Of one tree of sessions. Raises RequestError for an unknown answer."""

    def __init__(self, answers: tuple[str, ...], person: Person | None) -> None:
        self._prepared = ScriptedReviewer(answers)
        self._person = person
        self._guard = allocate_lock()
        self._advice: dict[str, Advice] = {}  # by question, while a model thinks about it

    async def answer(self, request: ApprovalRequest, _delegate: object = None) -> Decision:
        """Waits for the person as long as it takes."""
        decision, person = self._prepared.review(request), self._person
        with self._guard:
            advice = self._advice.get(request.request_id)
        try:
            if decision is None and person is not None:
                decision = await _asked(person, request, advice)
        finally:
            with self._guard:
                if self._advice.pop(request.request_id, None) is not None and advice is not None:
                    advice.close()
        return decision or Decision(request.stage, "denied", "none", reason=NO_REVIEWER)

    def reads_advice(self, _request: ApprovalRequest) -> Advising:
        """A person does; a prepared answer is given without a look."""
        return "never" if self._person is None or self._prepared.has_more else "meanwhile"

    def expect(self, request: ApprovalRequest) -> None:
        """A model thinks about this question; from any thread, before the question is put."""
        with self._guard:
            self._advice[request.request_id] = Advice()

    def hear(self, request: ApprovalRequest, said: Said) -> None:
        """And this is what it says."""
        with self._guard:
            advice = self._advice.get(request.request_id)
            if advice is not None:
                advice.give(said)


async def _asked(person: Person, request: ApprovalRequest, advice: Advice | None) -> Decision | None:
    """Cancelled, it takes the question back, and has let go of the terminal before it ends."""
    withdrawn = os.eventfd(0)
    try:
        return await on_thread(
            lambda: person.review(request, advice, withdrawn), stop=lambda: os.eventfd_write(withdrawn, 1)
        )
    finally:
        os.close(withdrawn)
