"""A reviewer who answers as a test says, and remembers what was asked."""

from __future__ import annotations

import asyncio
from threading import Event

from sandgate.errors import RequestError
from sandgate.protocol.decisions import Decision
from sandgate.reviewers.async_reviewer import KNOWN, as_decision
from sandgate.testing.script import NotInScript

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.decisions import ApprovalRequest
    from sandgate.reviewers.async_reviewer import Answer

HELD_BACK_S = 30  # an answer that a test does not let go


class ReviewerDouble:
    """Stands for a person: for `open_runtime(reviewers=…)` by `review`, for `open_gate(reviewer=…)` as it is.

    Answers are those of `open_gate`, one a question; `always` is for all further ones, and may be changed. `asked` are
    the questions. `holds_back`: no answer comes before `open` is set; `is_asked` is set by the first question.
    """

    def __init__(self, *answers: Answer, always: Answer = None, holds_back: bool = False) -> None:
        """Raises RequestError for an answer that there is not."""
        for answer in (*answers, always):
            if not isinstance(answer, Decision | dict) and answer not in KNOWN:
                raise RequestError(f"{answer!r} is no answer", hint=f"use one of: {', '.join(map(repr, KNOWN))}")
        self.asked: list[ApprovalRequest] = []
        self.is_asked, self.open = Event(), Event()
        self._left = list(answers)
        self.always = always
        if not holds_back:
            self.open.set()

    def review(self, request: ApprovalRequest) -> Decision:
        """The next answer. Raises NotInScript where there is none."""
        self.asked.append(request)
        self.is_asked.set()
        if not self.open.wait(HELD_BACK_S):
            raise NotInScript(f"the answer to `{request.command.argv}` was held back for {HELD_BACK_S} s")
        if self._left:
            return as_decision(request, self._left.pop(0))
        if self.always is None:
            raise NotInScript(f"the reviewer has no answer left to question {len(self.asked)}: {request.command.argv}")
        return as_decision(request, self.always)

    async def __call__(self, request: ApprovalRequest) -> Decision:
        """The same on an event loop, which reports an answer that is missing, and counts it as a no."""
        return await asyncio.to_thread(self.review, request)
