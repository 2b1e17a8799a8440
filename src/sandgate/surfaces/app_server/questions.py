"""The open questions of one thread: put to every client that watches it; the first answer counts.

What no client is there to answer is a no, and so is an answer that is none of the choices, an error, and the end of
the last client. An answer that is given never reaches another question: it goes to the approval by its own id.
"""

from __future__ import annotations

from sandgate.commandline.words import joined
from sandgate.protocol.events import ApplyPatchApprovalRequest
from sandgate.protocol.operations import AnswerApproval
from sandgate.protocol.wire import sendable
from sandgate.serving.question_words import (
    NO,
    STOP,
    YES,
    YES_ALWAYS,
    YES_FOR_SESSION,
    decision_named,
    offered_answers,
    question_words,
    refused_by_nobody,
)
from sandgate.surfaces.app_server import item_forms as forms
from sandgate.surfaces.app_server.messages import now_ms
from sandgate.surfaces.app_server.wire.approvals import WireCommandApprovalAnswer, WireFileChangeApprovalAnswer
from sandgate.surfaces.app_server.wire.shapes import fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol

    from sandgate.protocol.decisions import ApprovalRequest
    from sandgate.protocol.events import ExecApprovalRequest
    from sandgate.protocol.operations import Operation

    Json = dict[str, Any]
    Asked = ExecApprovalRequest | ApplyPatchApprovalRequest

    class ThreadWatcher(Protocol):
        """A client, as a thread sees it."""

        def notify(self, method: str, params: Json) -> None:
            """Tells it something."""

        def ask(self, method: str, params: Json, answered: Callable[[object], None]) -> int:
            """Puts a request; `answered` is called with the result, or None for an error. Its id."""

        def withdraw(self, request_id: int) -> None:
            """The request is over."""


COMMAND, FILES = "item/commandExecution/requestApproval", "item/fileChange/requestApproval"
CHOICES = {YES: "accept", YES_FOR_SESSION: "acceptForSession", NO: "decline", STOP: "cancel"}
NAMES = {choice: name for name, choice in CHOICES.items()}
AMENDMENT = "acceptWithExecpolicyAmendment"
UNREADABLE = "the client's answer was malformed, which counts as a no"
NOBODY = "no client was there to ask"


class ThreadQuestions:
    """Of one thread. `submit` gives an answer to its session."""

    def __init__(self, thread_id: str, submit: Callable[[Operation], object]) -> None:
        self._thread_id = thread_id
        self._submit = submit
        self._open: dict[str, _Question] = {}

    def __bool__(self) -> bool:
        return bool(self._open)

    def put(self, message: Asked, item_id: str, watchers: list[ThreadWatcher]) -> None:
        """Asks all of them."""
        question = self._open[message.approval_id] = _Question(message, item_id, self._thread_id)
        if not watchers:
            self._answer(question, NO, NOBODY)
        for watcher in watchers:
            self._ask(question, watcher)

    def show(self, watcher: ThreadWatcher) -> None:
        """A client that has just come is asked what is open."""
        for question in tuple(self._open.values()):
            if watcher not in question.asked:
                self._ask(question, watcher)

    def forget(self, watcher: ThreadWatcher, *, last: bool) -> None:
        """A client is gone, and what it answers is too late. With the last one, everything that is open is a no."""
        for question in tuple(self._open.values()):
            request_id = question.asked.pop(watcher, None)
            if request_id is not None:
                watcher.withdraw(request_id)
            if last:
                self._answer(question, NO, NOBODY)

    def resolved(self, approval_id: str) -> str | None:
        """It is answered or gone, as every client that was asked is told. The id of its item."""
        question = self._open.pop(approval_id, None)
        if question is None:
            return None
        for watcher, request_id in question.asked.items():
            watcher.withdraw(request_id)
            watcher.notify("serverRequest/resolved", {"threadId": self._thread_id, "requestId": request_id})
        return question.item_id

    def _ask(self, question: _Question, watcher: ThreadWatcher) -> None:
        def answered(result: object) -> None:
            name, reason = question.read(result)
            self._answer(question, name, reason)

        question.asked[watcher] = watcher.ask(question.method, question.params, answered)

    def _answer(self, question: _Question, name: str, reason: str = "") -> None:
        """Late ones change nothing: the session has one answer to each."""
        request = question.message.request
        by_nobody = reason in (NOBODY, UNREADABLE)
        decided = refused_by_nobody(request, reason) if by_nobody else decision_named(request, name, reason=reason)
        self._submit(AnswerApproval(question.message.approval_id, decided))


class _Question:
    """One that is open."""

    def __init__(self, message: Asked, item_id: str, thread_id: str) -> None:
        self.message = message
        self.item_id = item_id
        self.asked: dict[ThreadWatcher, int] = {}  # the ids of the requests
        self._about_files = isinstance(message, ApplyPatchApprovalRequest)
        self.method = FILES if self._about_files else COMMAND
        self.params: Json = sendable(self._params(thread_id))

    def read(self, result: object) -> tuple[str, str]:
        """The name of the choice that a client's answer is, and what to say of it."""
        form = WireFileChangeApprovalAnswer if self._about_files else WireCommandApprovalAnswer
        if fault(result, form, "result") is not None or not isinstance(result, dict):
            return NO, UNREADABLE
        decision = result["decision"]
        if isinstance(decision, str):
            return NAMES[decision], ""
        return (YES_ALWAYS, "") if decision in self._choices() else (NO, UNREADABLE)

    def _params(self, thread_id: str) -> Json:
        message, request = self.message, self.message.request
        asked: Json = {
            "threadId": thread_id,
            "turnId": message.turn_id,
            "itemId": self.item_id,
            "startedAtMs": now_ms(),
            "reason": question_words(request),
        }
        if request.risk is not None:
            asked["risk"] = {
                "description": request.risk.description,
                "riskLevel": request.risk.risk_level,
                "riskCategories": list(request.risk.risk_categories),
            }
        return asked if isinstance(message, ApplyPatchApprovalRequest) else {**asked, **self._command(message)}

    def _command(self, message: ExecApprovalRequest) -> Json:
        request = message.request
        about: Json = {
            "kind": "command",
            "environmentId": "local",
            "command": joined(request.command.argv),
            "cwd": request.command.cwd,
            "commandActions": forms.command_actions(message.parsed_cmd),
            "availableDecisions": self._choices(),
        }
        if request.stage != "initial" or message.delegate is not None:
            about["approvalId"] = message.approval_id
        if request.amendment is not None:
            about["proposedExecpolicyAmendment"] = list(request.amendment.prefix)
        return about

    def _choices(self) -> list[Any]:
        """Of the answers of a question those that the wire has words for."""
        return [choice for choice in (_choice(self.message.request, name) for name in self._offered()) if choice]

    def _offered(self) -> tuple[str, ...]:
        return offered_answers(self.message.request)


def _choice(request: ApprovalRequest, name: str) -> Any:
    if name == YES_ALWAYS and request.amendment is not None:
        return {AMENDMENT: {"execpolicy_amendment": list(request.amendment.prefix)}}
    return CHOICES.get(name)
