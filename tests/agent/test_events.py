"""What the gate tells, as events of a session."""

from __future__ import annotations

import asyncio
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

from sandgate.agent.events import AgentEvents
from sandgate.errors import StorageError
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.decisions import ApprovalRequest, Decision
from sandgate.protocol.events import (
    BackgroundEvent,
    ExecCommandBegin,
    ExecCommandEnd,
    ExecCommandOutputDelta,
    PatchApplyBegin,
    PatchApplyEnd,
    SandboxAssessment,
    Warned,
)
from sandgate.protocol.patches import FileChange
from sandgate.protocol.risk import RiskAssessment
from sandgate.protocol.trace import (
    ApprovalAnswered,
    ApprovalRequested,
    ApprovalUpdated,
    Notice,
    OutputArrived,
    PatchBegan,
    PatchEnded,
    RiskAssessed,
    TerminalBegan,
    TerminalEnded,
)
from sandgate.protocol.usage import TokenUsage
from support.agent.session_doubles import settled
from support.process.loops import run

if TYPE_CHECKING:
    from sandgate.protocol.events import EventMessage

COMMAND = CommandRequest(("echo", "hi"), "/repo", {})
PARSED = ({"type": "unknown", "cmd": "echo hi"},)
RISK = RiskAssessment("Removes things.", "high")
CHANGE = FileChange("add", "/repo/f", content="x\n")


class Watched:
    def __init__(self) -> None:
        self.events = AgentEvents(asyncio.get_running_loop())
        self.told: list[tuple[str, EventMessage]] = []
        self.audit: list[dict[str, Any]] = []
        self.aborted = 0

    def begin(self) -> None:
        self.events.begin(
            lambda turn, message: self.told.append((turn, message)),
            audit=self.audit.append,
            lasting=self._lasting,
            on_abort=self._abort,
        )

    async def hears(self, *records: Any) -> list[tuple[str, EventMessage]]:
        self.told.clear()
        for record in records:
            self.events(record)
        await settled()
        return list(self.told)

    def _abort(self) -> None:
        self.aborted += 1

    def _lasting(self, request: ApprovalRequest, decision: Decision) -> list[dict[str, Any]]:
        if decision.reason == "no key":
            raise StorageError("there is no key")
        return [{"kind": "lasting", "of": request.request_id}] if decision.approved else []


def ended(output: bytes = b"hi\n", **more: Any) -> TerminalEnded:
    fields = {"exit_code": 0, "omitted_bytes": 0, "duration_ms": 5, "status": "completed", **more}
    return TerminalEnded("c", 7, output=output, deltas=1, deltas_omitted_bytes=0, **fields)


def watched(work: Any) -> None:
    async def through() -> None:
        desk = Watched()
        desk.begin()
        desk.events.belongs("c", "turn")
        await work(desk)

    run(through())


def test_a_command_is_told_from_its_beginning_to_its_end_under_its_turn() -> None:
    async def work(desk: Watched) -> None:
        told = await desk.hears(TerminalBegan("c", 7, COMMAND, False), OutputArrived("c", "stdout", b"hi\n"), ended())
        assert [turn for turn, _message in told] == ["turn"] * 3
        assert told[0][1] == ExecCommandBegin("c", "turn", ("echo", "hi"), "/repo", PARSED, process_id="7")
        assert told[1][1] == ExecCommandOutputDelta("c", b"hi\n", "stdout")
        last = told[2][1]
        assert isinstance(last, ExecCommandEnd)
        assert (last.aggregated_output, last.exit_code, last.status) == ("hi\n", 0, "completed")

    watched(work)


def test_a_command_that_never_ran_has_no_exit_code_and_says_why() -> None:
    async def work(desk: Watched) -> None:
        declined = ended(b"", exit_code=-1, status="declined", message="the user said no")
        _begin, (_turn, last) = await desk.hears(TerminalBegan("c", 7, COMMAND, False), declined)
        assert isinstance(last, ExecCommandEnd)
        assert (last.exit_code, last.status, last.formatted_output) == (None, "declined", "the user said no")

    watched(work)


def test_a_patch_is_told_as_one() -> None:
    async def work(desk: Watched) -> None:
        told = await desk.hears(
            PatchBegan("c", (CHANGE,), True), PatchEnded("c", (CHANGE,), "Success.", "", "completed")
        )
        assert [type(message) for _turn, message in told] == [PatchApplyBegin, PatchApplyEnd]

    watched(work)


def test_a_question_comes_with_its_risk_and_with_what_is_said_of_it_later() -> None:
    async def work(desk: Watched) -> None:
        request = ApprovalRequest("q", "c", "initial", COMMAND, "", risk=RISK)
        later = RISK.but(description="A model says so.")
        usage = TokenUsage(input_tokens=7, output_tokens=2, total_tokens=9)
        ended = RiskAssessed("c", "success", 5, "v", "high", request_id="q", usage=usage)
        told = await desk.hears(ApprovalRequested(request), ended, ApprovalUpdated("q", later))
        spent: dict[str, Any] = {"duration_ms": 5, "prompt_version": "v", "token_usage": usage}
        spent["total_token_usage"] = usage
        assert told == [
            ("turn", SandboxAssessment("q", "c", "static", RISK)),
            ("turn", SandboxAssessment("q", "c", "success", later, **spent)),
        ]
        again = await desk.hears(ended.but(status="timeout", request_id="q2"))
        assert again == [
            ("turn", SandboxAssessment("q2", "c", "timeout", None, **{**spent, "total_token_usage": usage.plus(usage)}))
        ]

    watched(work)


@pytest.mark.parametrize("status", ["parse_error", "no_output", "model_error", "timeout", "cancelled", "skipped"])
def test_whatever_became_of_asking_a_model_is_told_with_its_question_and_how_long_it_took(status: Any) -> None:
    async def work(desk: Watched) -> None:
        ((turn, told),) = await desk.hears(RiskAssessed("c", status, 5, "v", request_id="q"))
        assert isinstance(told, SandboxAssessment)
        assert (turn, told.approval_id, told.status, told.duration_ms) == ("turn", "q", status, 5)

    watched(work)


def test_who_was_asked_and_who_decided_is_kept() -> None:
    async def work(desk: Watched) -> None:
        request = ApprovalRequest("q", "c", "initial", COMMAND, "")
        await desk.hears(ApprovalRequested(request), ApprovalAnswered("q", Decision("initial", "denied", "user")))
        assert [each["kind"] for each in desk.audit] == ["approval_requested", "approval_decided"]
        assert (desk.audit[0]["command"], desk.audit[1]["decision"]) == (["echo", "hi"], "denied")

    watched(work)


def test_what_holds_when_the_session_goes_on_is_kept_behind_the_answer_and_what_cannot_be_is_told() -> None:
    async def work(desk: Watched) -> None:
        request = ApprovalRequest("q", "c", "initial", COMMAND, "")
        yes = Decision("initial", "approved_for_session", "user")
        await desk.hears(ApprovalRequested(request), ApprovalAnswered("q", yes))
        assert desk.audit[-1] == {"kind": "lasting", "of": "q"}
        ((_turn, told),) = await desk.hears(ApprovalRequested(request), ApprovalAnswered("q", yes.but(reason="no key")))
        assert isinstance(told, Warned)
        await desk.hears(ApprovalAnswered("other", yes))
        assert [each["kind"] for each in desk.audit].count("lasting") == 1

    watched(work)


def test_a_question_that_is_answered_is_forgotten_also_when_the_transcript_is_closed() -> None:
    async def through() -> None:
        desk = Watched()

        def closed(_record: Any) -> None:
            raise StorageError("the transcript is closed")

        desk.events.begin(
            lambda turn, message: desk.told.append((turn, message)),
            audit=closed,
            lasting=desk._lasting,
            on_abort=desk._abort,
        )
        request = ApprovalRequest("q", "c", "initial", COMMAND, "", risk=RISK)
        told = await desk.hears(ApprovalRequested(request), ApprovalAnswered("q", Decision("initial", "abort", "user")))
        assert (len(told), desk.aborted, desk.events._asked) == (1, 1, {})

    run(through())


def test_only_a_persons_stop_ends_the_turn() -> None:
    async def work(desk: Watched) -> None:
        stop = Decision("initial", "abort", "none")
        await desk.hears(ApprovalAnswered("q", stop))
        assert desk.aborted == 0
        await desk.hears(ApprovalAnswered("q", stop.but(source="user")))
        assert desk.aborted == 1

    watched(work)


def test_what_was_said_before_anybody_listened_is_told_first() -> None:
    async def through() -> None:
        desk = Watched()
        desk.events(Notice("warning", "early"))
        await settled()
        desk.begin()
        desk.events(Notice("background_event", "late"))
        await settled()
        assert desk.told == [("", Warned("early")), ("", BackgroundEvent("late"))]

    run(through())


def test_records_of_other_threads_are_told_on_the_loop_in_their_order() -> None:
    async def work(desk: Watched) -> None:
        def speak() -> None:
            for number in range(100):
                desk.events(Notice("warning", str(number)))

        thread = Thread(target=speak)
        thread.start()
        await asyncio.to_thread(thread.join)
        await settled()
        said = [message.message for _turn, message in desk.told if isinstance(message, Warned)]
        assert said == list(map(str, range(100)))

    watched(work)


def test_a_record_that_comes_after_the_loop_is_nobodys() -> None:
    loop = asyncio.new_event_loop()
    events = AgentEvents(loop)
    loop.close()
    events(Notice("warning", "late"))
    assert events._early == []
