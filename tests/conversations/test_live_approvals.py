"""A live command is refused something and waits, also after its first answer; somebody decides, and it goes on."""

from __future__ import annotations

import asyncio
import os
import threading
from typing import TYPE_CHECKING

import pytest

from sandgate.execution.asking import asked_now
from sandgate.protocol.decisions import Decision
from sandgate.protocol.trace import CommandEnded
from sandgate.runtime.aio import open_gate
from support.terminal.live_sessions import NOT_ALL_OF_TMP, Workplace, run_to_end, shell

if TYPE_CHECKING:
    from typing import Any

    from sandgate.protocol.decisions import ApprovalRequest
    from sandgate.runtime import Runtime
    from sandgate.tools.answers import ExecAnswer

BACKENDS = [
    pytest.param("namespace", marks=pytest.mark.host("namespace", "notify")),
    pytest.param("landlock", marks=pytest.mark.host("landlock", "notify")),
]


@pytest.fixture(params=BACKENDS, autouse=True)
def backend(request: pytest.FixtureRequest, place: Workplace) -> None:
    """A live command waits in both."""
    place.backend = request.param


AT_CALL = 'sandbox.ask="at-call"'
LIMIT_S = 30.0
MARK = "did"
WAITS = "the command waits for approval, and goes on once somebody has answered: create "


class SlowReviewer:
    """Answers when the test says so, or hears that nobody waits any more."""

    def __init__(self) -> None:
        self.asked: list[ApprovalRequest] = []
        self.begun, self.answered, self.taken_back = threading.Event(), threading.Event(), threading.Event()
        self.answer: Any = "denied"

    def says(self, answer: str) -> None:
        self.answer = answer
        self.answered.set()

    def review(self, request: ApprovalRequest) -> Decision:
        self.asked.append(request)
        asking = asked_now()
        assert asking is not None, "this is no question in the middle of a run"
        asking.when_withdrawn(self._withdrawn)
        self.begun.set()
        assert self.answered.wait(LIMIT_S), "the test has said nothing"
        approved = self.answer == "approved"
        return Decision(request.stage, self.answer, "user", request.grants if approved else ())

    def _withdrawn(self) -> None:
        self.taken_back.set()
        self.answered.set()


def session(place: Workplace, reviewer: Any, asks: str = AT_CALL) -> Runtime:
    return place.session(asks, NOT_ALL_OF_TMP, reviewer=reviewer, approval_policy="on-failure")


def waits(place: Workplace, runtime: Runtime, reviewer: SlowReviewer, *, tty: bool = False) -> ExecAnswer:
    """The first answer of a command that has counted its runs and waits for what it tries outside."""
    script = f"echo run >> runs; mkdir {place.outside}/d; echo {MARK} $?; test -d {place.outside}/d"
    answer = runtime.exec_command(script, yield_time_ms=250, login=False, tty=tty)
    assert reviewer.begun.wait(LIMIT_S)
    if answer.state != "waiting_for_approval":  # on a busy machine it may get there later
        assert answer.session_id is not None, answer
        answer = runtime.write_stdin(answer.session_id, yield_time_ms=5_000)
    return answer


def last(runtime: Runtime, number: int) -> ExecAnswer:
    answer = runtime.write_stdin(number, yield_time_ms=30_000)
    assert answer.session_id is None, answer
    return answer


@pytest.mark.parametrize("tty", [False, True], ids=["pipe", "tty"])
def test_a_yes_after_the_first_answer_lets_it_go_on(place: Workplace, tty: bool) -> None:
    """Required: the answer says that it waits; the yes carries out that call, and nothing runs twice."""
    reviewer = SlowReviewer()
    runtime = session(place, reviewer)
    first = waits(place, runtime, reviewer, tty=tty)
    assert (first.state, first.exit_code) == ("waiting_for_approval", None)
    assert f"Notice: {WAITS}{place.outside}/d" in first.text()
    assert first.structured()["state"] == "waiting_for_approval"
    assert [each.state for each in runtime.list_live()] == ["waiting_for_approval"]
    assert not (place.outside / "d").exists()
    assert first.session_id is not None
    reviewer.says("approved")
    end = last(runtime, first.session_id)
    assert (end.exit_code, end.output.split()) == (0, [MARK, "0"])
    assert WAITS not in end.text()
    assert (place.repo / "runs").read_text() == "run\n"
    assert [each.stage for each in reviewer.asked] == ["held"]
    (told,) = place.told(CommandEnded)
    assert [(each.denial.path, each.decision.decision) for each in told.attempt.held] == [
        (f"{place.outside}/d", "approved")
    ]
    assert [(each.path, each.error) for each in told.attempt.performed] == [(f"{place.outside}/d", 0)]


def test_a_no_lets_the_call_fail_and_the_command_go_on(place: Workplace) -> None:
    reviewer = SlowReviewer()
    runtime = session(place, reviewer)
    first = waits(place, runtime, reviewer)
    reviewer.says("denied")
    end = last(runtime, first.session_id or 0)
    assert (end.exit_code, end.output.split()[-2:]) == (1, [MARK, "1"])
    assert [each.path for each in end.denials] == [f"{place.outside}/d"]
    assert (len(reviewer.asked), (place.repo / "runs").read_text()) == (1, "run\n")
    assert not (place.outside / "d").exists()


@pytest.mark.parametrize("how", ["terminate", "close"])
def test_ending_it_takes_the_question_back(place: Workplace, how: str) -> None:
    """Required: nobody is left with a question about what is over, and nothing is done."""
    reviewer = SlowReviewer()
    runtime = session(place, reviewer)
    first = waits(place, runtime, reviewer)
    reviewer.answer = "approved"  # too late
    if how == "close":
        runtime.close()
    else:
        assert runtime.terminate(first.session_id or 0)
    assert reviewer.taken_back.wait(LIMIT_S)
    if how == "terminate":
        end = last(runtime, first.session_id or 0)
        assert end.exit_code != 0
    assert not (place.outside / "d").exists()
    (told,) = place.told(CommandEnded)
    assert [(each.decision.decision, each.decision.source) for each in told.attempt.held] == [("denied", "none")]


def test_what_is_typed_may_make_a_shell_ask(place: Workplace) -> None:
    """Required: the answer to what was typed says so; what else is typed is no further question about it."""
    reviewer = SlowReviewer()
    runtime = session(place, reviewer)
    number = shell(runtime)
    answer = runtime.write_stdin(number, f"mkdir {place.outside}/d && echo ma''de\n")
    assert reviewer.begun.wait(LIMIT_S)
    if answer.state != "waiting_for_approval":
        answer = runtime.write_stdin(number, yield_time_ms=5_000)
    assert f"{WAITS}{place.outside}/d" in answer.text()
    reviewer.says("approved")
    while "made" not in answer.output:
        answer = runtime.write_stdin(number)
    assert (place.outside / "d").is_dir()
    reviewer.answered.clear()
    reviewer.begun.clear()
    other = runtime.write_stdin(number, f"touch {place.outside}/e\n")
    assert reviewer.begun.wait(LIMIT_S)
    reviewer.says("denied")
    assert other.session_id == number
    assert [each.grants[0].value for each in reviewer.asked] == [f"{place.outside}/d", f"{place.outside}/e"]


class AwayReviewer:
    """Nobody is there at first."""

    def __init__(self) -> None:
        self.is_there = False
        self.asked: list[bool] = []

    def review(self, request: ApprovalRequest) -> Decision:
        self.asked.append(self.is_there)
        if self.is_there:
            return Decision(request.stage, "approved", "user", request.grants)
        return Decision(request.stage, "denied", "none", reason="nobody was there")


def until(runtime: Runtime, number: int, typed: str, said: str) -> ExecAnswer:
    answer = runtime.write_stdin(number, typed)
    texts = [answer.text()]
    while said not in answer.output:
        answer = runtime.write_stdin(number)
        texts.append(answer.text())
    assert not [text for text in texts if "said no" in text]
    return answer


def test_what_nobody_could_be_asked_about_is_asked_at_the_next_call(place: Workplace) -> None:
    """Required: it was nobody's no, so it is told as none, and the next call of a tool asks."""
    reviewer = AwayReviewer()
    runtime = session(place, reviewer)
    number = shell(runtime)
    made = place.outside / "d"
    until(runtime, number, f"mkdir {made} || mkdir {made} || echo refu''sed\n", "refused")
    assert (reviewer.asked[0], made.exists()) == (False, False)
    reviewer.is_there = True
    until(runtime, number, f"mkdir {made} && echo ma''de\n", "made")
    assert (reviewer.asked[-1], made.is_dir()) == (True, True)


def test_a_coroutine_is_asked_after_the_call_has_returned(place: Workplace) -> None:
    """Required: through the program's own loop, which goes on meanwhile."""
    decides: list[asyncio.Event] = []
    asked: list[str] = []

    async def review(request: ApprovalRequest) -> str:
        asked.append(request.stage)
        await decides[0].wait()
        return "approve"

    async def conversation() -> ExecAnswer:
        decides.append(asyncio.Event())
        environ = {"PATH": "/usr/bin:/bin", "HOME": str(place.home)}
        policy = ('approval_policy="on-failure"', 'sandbox_mode="workspace-write"')
        overrides = (AT_CALL, NOT_ALL_OF_TMP, *policy, f'sandbox.backend="{place.backend}"')
        async with open_gate(str(place.repo), reviewer=review, overrides=overrides, environ=environ) as gate:
            answer = await gate.exec_command(f"mkdir {place.outside}/d && echo made", yield_time_ms=250, login=False)
            while answer.state != "waiting_for_approval":
                answer = await gate.write_stdin(answer.session_id or 0, yield_time_ms=5_000)
            decides[0].set()
            while answer.session_id is not None:
                answer = await gate.write_stdin(answer.session_id, yield_time_ms=30_000)
            return answer

    end = asyncio.run(conversation())
    assert (end.exit_code, end.output.strip(), asked) == (0, "made", ["held"])


def test_what_is_answered_within_the_first_call_is_one_answer(place: Workplace) -> None:
    reviewer = SlowReviewer()
    reviewer.says("approved")
    answer = run_to_end(session(place, reviewer), f"mkdir {place.outside}/d && echo made")
    assert (answer.exit_code, answer.output.strip(), len(reviewer.asked)) == (0, "made", 1)


def test_a_command_in_a_terminal_of_its_own_is_asked_about_while_it_runs(place: Workplace) -> None:
    """Required: the terminal is the question's meanwhile, where it stands there at all."""
    reviewer = SlowReviewer()
    reviewer.says("approved")
    runtime = session(place, reviewer)
    passage = runtime.run(runtime.request(("mkdir", f"{place.outside}/d"), tty=True))
    assert [request.stage for request in reviewer.asked] == ["held"]
    assert (len(passage.attempts), passage.attempts[0].final.exit_code) == (1, 0)


class PlacesGiver:
    """Says yes for the session, and no to what lies beside."""

    def __init__(self) -> None:
        self.asked: list[ApprovalRequest] = []

    def review(self, request: ApprovalRequest) -> Decision:
        self.asked.append(request)
        if any("beside" in grant.value for grant in request.grants):
            return Decision(request.stage, "denied", "user")
        return Decision(request.stage, "approved_for_session", "user", request.grants)


def test_what_was_given_for_the_session_after_a_failure_is_there_for_a_live_command(place: Workplace) -> None:
    """Required: a place that another command was given is open from the start, and beside it nothing is."""
    reviewer = PlacesGiver()
    runtime = session(place, reviewer, 'sandbox.ask="after"')
    passage = runtime.run(runtime.request(("mkdir", f"{place.outside}/d")))
    assert (passage.result and passage.result.exit_code, len(passage.attempts)) == (0, 2)
    live = runtime.exec_command(f"touch {place.outside}/d/f && echo made; touch {place.outside}/beside", login=False)
    assert ((place.outside / "d/f").exists(), (place.outside / "beside").exists()) == (True, False), live
    assert [(request.stage, request.grants[0].value) for request in reviewer.asked][:1] == [
        ("retry", f"{place.outside}/d")
    ]
    assert f"{place.outside}/d/f" not in [each.value for request in reviewer.asked for each in request.grants]


def test_without_the_setting_nobody_is_asked_while_it_runs(place: Workplace) -> None:
    """Required: `sandbox.ask = "after"` is as before, and loads nothing for questions."""
    reviewer = SlowReviewer()
    runtime = session(place, reviewer, 'sandbox.ask="after"')
    os.mkfifo(place.repo / "go")
    first = runtime.exec_command(f"read _ < go; mkdir {place.outside}/d", yield_time_ms=250, login=False)
    (place.repo / "go").write_text("go\n")
    answer = runtime.write_stdin(first.session_id or 0, yield_time_ms=10_000)
    assert (answer.exit_code, answer.state, reviewer.asked) == (1, "exited", [])
