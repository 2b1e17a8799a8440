"""A call that is asked about: what was approved runs once, and what was given up never does."""

from __future__ import annotations

import asyncio
import os
import shutil
from contextlib import asynccontextmanager

import pytest

from sandgate.runtime.aio import open_server_gate
from sandgate.serving.calls import ServedCall, call_digest, tool_work
from sandgate.serving.inbox import CANCELLED, ENDED, USED, Inbox, Question
from sandgate.serving.ledger_access import open_ledger
from support.process.loops import run
from support.process.program import Sandgate
from support.process.waiting import wait_until
from support.suite.sampling import full
from support.terminal.live_sessions import Workplace, left_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from typing import Any

    from sandgate.approvals.ledger.ledger import Ledger
    from sandgate.runtime.aio import AsyncGate
    from sandgate.serving.calls import Output

pytestmark = pytest.mark.host("namespace", "notify")

LIMIT_S = 100
KEY = b"0" * 32
MANY = 200 if full() else 60
APPEND = "echo ran >> runs"


class Server:
    """One principal's gate and inbox, and the calls it makes."""

    def __init__(self, gate: AsyncGate, ledger: Ledger, timeout_s: float) -> None:
        self.gate, self.ledger = gate, ledger
        self.inbox = Inbox(ledger, "me", timeout_s=timeout_s)

    def call(self, cmd: str = APPEND, *, prepared: Any = None, **arguments: Any) -> ServedCall:
        given = {"cmd": cmd, "login": False, **arguments}
        return ServedCall(
            self.inbox, "exec_command", given, tool_work(self.gate, "exec_command", given), prepared=prepared
        )

    async def asked(self, cmd: str = APPEND, **arguments: Any) -> tuple[ServedCall, Question]:
        call = self.call(cmd, **arguments)
        question = await call.happened()
        assert isinstance(question, Question), question
        return call, question

    async def answer(self, question: Question, name: str, **more: Any) -> None:
        await self.inbox.answer(question, name, by="client", **more)


@asynccontextmanager
async def serving(
    place: Workplace, *, approval: str = "untrusted", timeout_s: float = LIMIT_S, asks: str = "at-call"
) -> AsyncIterator[Server]:
    environment = place.environment(f"sandbox.ask={asks}", sandbox_mode="workspace-write", approval_policy=approval)
    ledger = open_ledger(environment.environ)
    gate = await open_server_gate(environment.but(person_present=True))
    server = Server(gate, ledger, timeout_s)
    try:
        yield server
    finally:
        await server.inbox.close()
        await gate.close()
        ledger.close()


async def ended(call: ServedCall) -> Output:
    output = await call.happened()
    assert not isinstance(output, Question), output
    return output


def runs(place: Workplace) -> int:
    file = place.repo / "runs"
    return len(file.read_text().splitlines()) if file.exists() else 0


def test_a_call_is_the_same_by_what_it_says() -> None:
    """Keyed: what is typed at a password prompt must not be guessable from a record."""
    assert call_digest("write_stdin", {"chars": "hunter2"}, KEY) != call_digest(
        "write_stdin", {"chars": "hunter2"}, b"x"
    )
    one = call_digest("exec_command", {"cmd": "ls", "tty": True}, KEY)
    assert one == call_digest("exec_command", {"tty": True, "cmd": "ls"}, KEY)
    others: list[tuple[str, dict[str, Any]]] = [
        ("exec_command", {"cmd": "ls"}),
        ("check_command", {"cmd": "ls", "tty": True}),
    ]
    others.append(("exec_command", {"cmd": "ls\udcff", "tty": True}))
    assert len({one, *(call_digest(tool, arguments, KEY) for tool, arguments in others)}) == 4


# Answers


@pytest.mark.parametrize(
    ("name", "times"),
    [("approve", 1), ("approve-session", 1), ("deny", 0), ("abort", 0)],
)
def test_what_is_approved_runs_and_what_is_refused_does_not(place: Workplace, name: str, times: int) -> None:
    async def work() -> None:
        async with serving(place) as server:
            call, question = await server.asked()
            assert (runs(place), call.done) == (0, False)
            await server.answer(question, name)
            output = await ended(call)
            assert (output.success, runs(place), call.done) == (times > 0, times, True)
            assert (output.structured or {}).get("exit_code") == (0 if times else None)

    run(work())


def test_what_was_approved_for_the_session_is_not_asked_again(place: Workplace) -> None:
    async def work() -> None:
        async with serving(place) as server:
            call, question = await server.asked()
            await server.answer(question, "approve-session")
            await ended(call)
            assert (await ended(server.call())).success
            await server.asked("echo else >> runs")
        assert runs(place) == 2

    run(work())


def test_an_unknown_name_leaves_the_call_waiting(place: Workplace) -> None:
    async def work() -> None:
        async with serving(place) as server:
            call, question = await server.asked()
            await server.answer(question, "yes please")
            assert await call.happened() is question
            await server.answer(question, "approve")
            assert (await ended(call)).success

    run(work())


def test_another_program_lets_the_call_go_on(place: Workplace) -> None:
    async def work() -> None:
        async with serving(place) as server:
            call, question = await server.asked()
            sandgate = Sandgate(place.repo, place.home)
            approval_id = question.approval.approval_id
            finished = await asyncio.to_thread(sandgate, "approvals", "resolve", approval_id, "approve")
            assert finished.code == 0, finished
            assert (await question.decision()).approved
            assert (await ended(call)).success
            assert runs(place) == 1

    run(work())


def test_nobody_answering_is_a_refusal_that_says_so(place: Workplace) -> None:
    async def work() -> None:
        async with serving(place, timeout_s=0.3) as server:
            call, question = await server.asked()
            decision = await question.decision()
            assert (decision.decision, decision.source) == ("timed_out", "none")
            output = await ended(call)
            assert (output.success, runs(place)) == (False, 0)
            assert "nobody answered within 0.3 seconds" in output.text

    run(work())


def test_the_end_of_the_session_refuses_its_calls(place: Workplace) -> None:
    async def work() -> None:
        async with serving(place) as server:
            first, _question = await server.asked()
            second = server.call()  # the same command: it waits for the first one's answer
            await server.inbox.close()
            for call in (first, second):
                output = await ended(call)
                assert (output.success, ENDED in output.text) == (False, True)
            assert (runs(place), server.ledger.pending()) == (0, ())

    run(work())


def test_a_lost_ledger_refuses_with_the_reason_and_runs_nothing(place: Workplace) -> None:
    async def work() -> None:
        async with serving(place) as server:
            shutil.rmtree(server.ledger.directory)
            output = await ended(server.call())
            assert (output.success, runs(place)) == (False, 0)
            assert "nobody could be asked: cannot keep the record" in output.text

    run(work())


def test_what_was_used_elsewhere_does_not_run(place: Workplace) -> None:
    async def work() -> None:
        async with serving(place) as server:
            call, question = await server.asked()
            approval = question.approval
            server.ledger.resolve(approval.approval_id, "approve", by="terminal", digest=approval.digest)
            assert server.ledger.consume(approval.approval_id)
            await question.decision()
            output = await ended(call)
            assert (output.success, USED in output.text, runs(place)) == (False, True, 0)

    run(work())


@pytest.mark.parametrize(
    ("asks", "stage", "said"),
    [("at-call", "held", "(not there)"), ("after", "retry", "Notice: not run again with more freedom: not there")],
    ids=["at-call", "after"],
)
def test_a_denied_write_is_asked_about_and_the_answer_has_the_reason(
    place: Workplace, asks: str, stage: str, said: str
) -> None:
    made = place.outside / "made"

    async def work() -> None:
        async with serving(place, approval="on-failure", asks=asks) as server:
            call, question = await server.asked(f"echo x > {made}")
            assert question.request.stage == stage
            await server.answer(question, "deny", reason="not there")
            output = await ended(call)
            assert (output.success, made.exists()) == (True, False)
            assert said in output.text
            call, question = await server.asked(f"echo x > {made}")
            await server.answer(question, "approve")
            await ended(call)
            assert made.read_text() == "x\n"

    run(work())


# Given up


def test_a_call_given_up_while_it_is_asked_about_never_runs(place: Workplace) -> None:
    async def work() -> None:
        async with serving(place) as server:
            call, question = await server.asked()
            await call.give_up()
            standing = server.ledger.resolution(question.approval.approval_id)
            assert standing is not None
            assert (standing.by, standing.reason, call.done) == ("withdrawn", CANCELLED, True)
            await server.answer(question, "approve")
            assert not (await question.decision()).approved
        assert runs(place) == 0

    run(work())


def test_a_call_given_up_between_the_record_and_the_question_takes_the_question_back(place: Workplace) -> None:
    """Required: the record is there for anybody to answer, and the call does not know of its question yet."""

    async def work() -> None:
        async with serving(place) as server:
            put, leaving = server.inbox.put, []

            async def put_and_leave(*args: Any, **named: Any) -> Question:
                question = await put(*args, **named)
                leaving.append((question, asyncio.ensure_future(call.give_up())))
                await asyncio.sleep(0)  # it has begun to leave
                return question

            server.inbox.put = put_and_leave  # type: ignore[method-assign]
            call = server.call()
            await asyncio.wait((call._task,))
            question, left = leaving[0]
            await left
            standing = server.ledger.resolution(question.approval.approval_id)
            assert standing is not None
            assert (standing.by, standing.reason) == ("withdrawn", CANCELLED)
        assert runs(place) == 0

    run(work())


def test_a_call_given_up_at_any_earlier_moment_leaves_no_question_and_never_runs(place: Workplace) -> None:
    """Required: in whichever turn of the loop, before the question, in its making and after it."""

    async def work() -> None:
        async with serving(place) as server:
            for turns in range(0, 40, 3):
                call = server.call(f"{APPEND} # {turns}")
                for _ in range(turns):
                    await asyncio.sleep(0)
                await call.give_up()
                assert call.done
                assert server.ledger.pending() == ()
            assert await server.gate.list_live() == ()
        assert runs(place) == 0

    run(work())


def test_a_call_given_up_while_its_command_runs_ends_the_command(place: Workplace) -> None:
    mark = f"1000.{os.getpid()}{id(place)}"

    async def work() -> None:
        async with serving(place) as server:
            call, question = await server.asked(f"echo begun > runs; sleep {mark}")
            await server.answer(question, "approve")
            assert await asyncio.to_thread(wait_until, lambda: left_of(mark) == 1)
            await call.give_up()
            assert await asyncio.to_thread(wait_until, lambda: left_of(mark) == 0)

    run(work())


def test_a_call_whose_answer_was_delivered_leaves_its_command_alive(place: Workplace) -> None:
    mark = f"1000.{os.getpid()}{id(place)}"

    async def work() -> None:
        async with serving(place) as server:
            call, question = await server.asked(f"echo begun > runs; sleep {mark}", yield_time_ms=250)
            await server.answer(question, "approve")
            assert (await ended(call)).structured is not None
            await call.give_up()
            assert (left_of(mark), len(await server.gate.list_live())) == (1, 1)

    run(work())
    assert left_of(mark) == 0


# After a restart


def earlier(place: Workplace, name: str | None = "approve") -> str:
    """The id of an approval whose server died before it could act on it."""
    found: list[str] = []

    async def work() -> None:
        async with serving(place) as server:
            call, question = await server.asked()
            approval = question.approval
            call._task.cancel()  # as when the process dies: nobody withdraws the question
            await asyncio.wait((call._task,))
            if name is not None:
                server.ledger.resolve(approval.approval_id, name, by="client", digest=approval.digest)
            found.append(approval.approval_id)

    run(work())
    return found[0]


def test_a_prepared_approval_is_honoured_once_for_the_same_question(place: Workplace) -> None:
    approval_id = earlier(place)
    assert runs(place) == 0

    async def work() -> None:
        async with serving(place) as server:
            prepared = server.inbox.find(approval_id)
            assert (await ended(server.call(prepared=prepared))).success
            assert runs(place) == 1
            again = await ended(server.call(prepared=prepared))
            assert (again.success, USED in again.text, runs(place)) == (False, True, 1)

    run(work())


def test_two_calls_with_one_prepared_approval_at_once_run_once(place: Workplace) -> None:
    approval_id = earlier(place)

    async def work() -> None:
        async with serving(place) as server:
            prepared = server.inbox.find(approval_id)
            outputs = await asyncio.gather(*(ended(server.call(prepared=prepared)) for _ in range(8)))
            assert (sum(output.success for output in outputs), runs(place)) == (1, 1)

    run(work())


@pytest.mark.parametrize("cmd", ["echo other >> runs", f"{APPEND} "])
def test_another_question_is_asked_in_spite_of_a_prepared_approval(place: Workplace, cmd: str) -> None:
    approval_id = earlier(place)

    async def work() -> None:
        async with serving(place) as server:
            call, question = await server.asked(cmd, prepared=server.inbox.find(approval_id))
            await server.answer(question, "deny")
            assert not (await ended(call)).success
            assert server.ledger.consume(approval_id) is True  # it was left alone

    run(work())
    assert runs(place) == 0


def test_a_prepared_approval_answers_the_first_question_alone(place: Workplace) -> None:
    """Required: what comes up later in the call was not in what was approved."""
    made = place.outside / "made"
    approval_id: list[str] = []
    script = f"echo x > {made}"

    async def before() -> None:
        async with serving(place) as server:
            call, question = await server.asked(script)
            call._task.cancel()
            await asyncio.wait((call._task,))
            approval = question.approval
            server.ledger.resolve(approval.approval_id, "approve", by="client", digest=approval.digest)
            approval_id.append(approval.approval_id)

    async def after() -> None:
        async with serving(place) as server:
            call, question = await server.asked(script, prepared=server.inbox.find(approval_id[0]))
            assert question.request.stage == "held"
            await server.answer(question, "deny")
            await ended(call)

    run(before())
    run(after())
    assert not made.exists()


# Many


@pytest.mark.slow
def test_many_calls_are_asked_about_side_by_side_and_each_gets_its_own_answer(place: Workplace) -> None:
    """Required: far more than may stay open (`max_processes`), and none makes room before its call is answered."""

    async def work() -> None:
        async with serving(place) as server:
            calls = [
                server.call(f"echo {number} > made-{number}; sleep 1; echo so {number}", yield_time_ms=30_000)
                for number in range(MANY)
            ]
            questions = await asyncio.gather(*(call.happened() for call in calls))
            assert all(isinstance(each, Question) and each.open for each in questions)
            assert len(server.ledger.pending()) == MANY
            names = ["approve" if number % 4 else "deny" for number in range(MANY)]
            await asyncio.gather(
                *(
                    server.answer(each, name)
                    for each, name in zip(questions, names, strict=True)
                    if isinstance(each, Question)
                )
            )
            outputs = await asyncio.gather(*map(ended, calls))
            assert [output.success for output in outputs] == [name == "approve" for name in names]
            assert server.ledger.pending() == ()
            told = [
                ((each.structured or {}).get("exit_code"), (each.structured or {}).get("output")) for each in outputs
            ]
            assert [each for each, name in zip(told, names, strict=True) if name == "approve"] == [
                (0, f"so {number}\n") for number in range(MANY) if number % 4
            ]
        made = {path.name: path.read_text() for path in place.repo.iterdir()}
        assert made == {f"made-{number}": f"{number}\n" for number in range(MANY) if number % 4}

    run(work())
