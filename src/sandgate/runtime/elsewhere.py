"""A reviewer at another terminal, for a program that has nobody at its own: it asks by the ledger, and waits.

One question at a time, blocking. What nobody answers in time, and what is interrupted, is a no.
"""

from __future__ import annotations

import asyncio
import os

from sandgate.errors import SandgateError
from sandgate.protocol.decisions import Decision
from sandgate.runtime.calls import call_digest
from sandgate.runtime.inbox import CANCELLED, Inbox
from sandgate.runtime.pending import open_ledger

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from sandgate.approvals.ledger import Ledger
    from sandgate.protocol.decisions import ApprovalRequest

WAITS = "waiting for an answer, {seconds:g} seconds at most: sandgate approvals resolve {id} {choices}"
TOOL = "run"
UNASKED = "nobody could be asked: {problem}"


class Elsewhere:
    """Questions of one program. `tell` is given the line that says where each is answered.

    `confinement` says what holds commands back, as JSON values: what is approved under one policy is so under no other.
    """

    def __init__(self, environ: Mapping[str, str], *, timeout_s: float, tell: Callable[[str], None]) -> None:
        self._environ = environ
        self._timeout_s = timeout_s
        self._tell = tell
        self.confinement: Callable[[], Mapping[str, Any]] = dict

    def review(self, request: ApprovalRequest) -> Decision:
        """The answer that somebody gave; a no where none came."""
        try:
            ledger = open_ledger(self._environ)
            try:
                return asyncio.run(self._answer(request, ledger))
            finally:
                ledger.close()
        except SandgateError as problem:
            return Decision(request.stage, "denied", "none", reason=UNASKED.format(problem=problem))

    async def _answer(self, request: ApprovalRequest, ledger: Ledger) -> Decision:
        principal = f"sandgate run (user {os.getuid()}, process {os.getpid()}) in {request.command.cwd}"
        inbox = Inbox(ledger, principal, timeout_s=self._timeout_s, confinement=self.confinement)
        digest = call_digest(TOOL, {"argv": request.command.argv, "cwd": request.command.cwd}, ledger.key)
        question = await inbox.put(request, tool=TOOL, call_digest=digest)
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
