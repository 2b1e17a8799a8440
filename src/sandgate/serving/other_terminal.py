"""A reviewer at another terminal, for a program without a person at its own: it asks by the ledger, and waits.

One question at a time, blocking. What is not answered in time, and what is interrupted, is a no; a signal that ends
the program while it waits takes the question back first.
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from contextlib import contextmanager

from sandgate.errors import SandgateError
from sandgate.protocol.decisions import Decision
from sandgate.serving.calls import call_digest
from sandgate.serving.inbox import CANCELLED, Inbox
from sandgate.serving.ledger_access import open_ledger

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from sandgate.approvals.ledger.ledger import Ledger
    from sandgate.protocol.decisions import ApprovalRequest
    from sandgate.serving.inbox import Question

WAITS = "waiting for an answer, {seconds:g} seconds at most: sandgate approvals resolve {id} {choices}"
TOOL = "run"
ENDING = (signal.SIGTERM, signal.SIGHUP)
UNASKED = "nobody could be asked: {problem}"


class OtherTerminal:
    """Questions of one program. `tell` is given the line that says where each is answered.

    `confinement` says what holds commands back, as JSON values: what is approved under one policy is so under no other.
    """

    def __init__(self, environ: Mapping[str, str], *, timeout_s: float, tell: Callable[[str], None]) -> None:
        self._environ = environ
        self._timeout_s = timeout_s
        self._tell = tell
        self._ended_by: signal.Signals | None = None
        self.confinement: Callable[[], Mapping[str, Any]] = dict

    def review(self, request: ApprovalRequest) -> Decision:
        """The answer that was given; a no where none came."""
        try:
            ledger = open_ledger(self._environ)
            try:
                return asyncio.run(self._answer(request, ledger))
            finally:
                ledger.close()
        except asyncio.CancelledError:
            if self._ended_by is not None:  # as the signal would have done without the wait
                os.kill(os.getpid(), self._ended_by)
            raise
        except SandgateError as problem:
            return Decision(request.stage, "denied", "none", reason=UNASKED.format(problem=problem))

    async def _answer(self, request: ApprovalRequest, ledger: Ledger) -> Decision:
        principal = f"sandgate run (user {os.getuid()}, process {os.getpid()}) in {request.command.cwd}"
        inbox = Inbox(ledger, principal, timeout_s=self._timeout_s, confinement=self.confinement)
        digest = call_digest(TOOL, {"argv": request.command.argv, "cwd": request.command.cwd}, ledger.key)
        question = await inbox.put(request, tool=TOOL, call_digest=digest)
        with self._taken_back_at_the_end():
            return await self._settled(inbox, question)

    async def _settled(self, inbox: Inbox, question: Question) -> Decision:
        try:
            if question.open:
                names = "|".join(name for name, _label in question.approval.choices)
                asked = question.approval.approval_id
                self._tell(WAITS.format(seconds=self._timeout_s, id=asked, choices=names))
            return await inbox.settled(question)
        except asyncio.CancelledError:  # an interrupt
            await inbox.answer(question, "deny", by="withdrawn", reason=CANCELLED)
            raise
        finally:
            await inbox.close()

    @contextmanager
    def _taken_back_at_the_end(self) -> Iterator[None]:
        """Signals that end the program cancel the waiting task first, unless they are ignored or handled otherwise."""
        loop, waiting = asyncio.get_running_loop(), asyncio.current_task()
        ours = [number for number in ENDING if signal.getsignal(number) == signal.SIG_DFL]
        if waiting is None or threading.current_thread() is not threading.main_thread():
            ours = []

        def end(number: signal.Signals) -> None:
            self._ended_by = number
            if waiting is not None:
                waiting.cancel()

        for number in ours:
            loop.add_signal_handler(number, end, number)
        try:
            yield
        finally:
            for number in ours:
                loop.remove_signal_handler(number)
