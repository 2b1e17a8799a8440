"""A coroutine as reviewer: what its answers mean, and whose questions are still open."""

from __future__ import annotations

import asyncio
from concurrent.futures import CancelledError, Future
from threading import Event, Thread

import pytest

from sandgate.execution.asking import AskedMeanwhile
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.decisions import Amendment, ApprovalRequest, Decision
from sandgate.protocol.permissions import Grant
from sandgate.reviewers.async_reviewer import CANCELLED, CallerTurn, ReviewerBridge, Threads, as_decision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.decisions import ReviewDecision
    from sandgate.reviewers.async_reviewer import Answer

COMMAND = CommandRequest(argv=("true",), cwd="/", env={})
REQUEST = ApprovalRequest("request", "call", "retry", COMMAND, "", grants=(Grant("write_root", "/somewhere"),))
YES = Decision("retry", "approved", "user")


@pytest.mark.parametrize(
    ("answer", "decision", "given"),
    [
        (True, "approved", True),
        ("approve", "approved", True),
        ("approve-session", "approved_for_session", True),
        (False, "denied", False),
        ("abort", "abort", False),
        (1, "denied", False),
        ("x", "denied", False),
        (None, "denied", False),
    ],
)
def test_yes_gives_what_was_shown_and_everything_else_gives_nothing(
    answer: Answer, decision: ReviewDecision, given: bool
) -> None:
    assert as_decision(REQUEST, answer) == Decision("retry", decision, "user", REQUEST.grants if given else ())


def answered(answer: Answer) -> Future[Answer]:
    question: Future[Answer] = Future()
    question.set_result(answer)
    return question


def test_answer_in_time_counts() -> None:
    turn = CallerTurn()
    assert turn.ask(lambda: answered("approve")) == "approve"
    assert turn.decided(YES) == YES


def test_nobody_is_asked_for_a_caller_who_has_left() -> None:
    turn = CallerTurn()
    turn.give_up()
    with pytest.raises(asyncio.CancelledError):
        turn.ask(lambda: pytest.fail("asked"))


def test_answer_after_the_caller_left_does_not_count() -> None:
    turn = CallerTurn()
    turn.ask(lambda: answered("approve"))
    turn.give_up()
    with pytest.raises(asyncio.CancelledError):
        turn.decided(YES)


def test_open_question_is_taken_back() -> None:
    question: Future[Answer] = Future()
    turn = CallerTurn()
    leaving = Thread(target=turn.give_up)

    def ask() -> Future[Answer]:
        leaving.start()
        return question

    with pytest.raises(CancelledError):
        turn.ask(ask)
    leaving.join()
    assert question.cancelled()


def test_a_rule_is_saved_by_name_or_in_the_lineages_form_and_only_the_one_that_is_offered() -> None:
    offered = REQUEST.but(amendment=Amendment(("git", "push")))
    saved = Decision("retry", "approved_with_amendment", "user", REQUEST.grants, amendment=Amendment(("git", "push")))

    def saving(*prefix: str) -> Answer:
        return {"approved_execpolicy_amendment": {"proposed_execpolicy_amendment": list(prefix)}}

    assert as_decision(offered, "approve-always") == as_decision(offered, saving("git", "push")) == saved
    for other in (saving("git"), saving(), {"approved": True}, {}):
        assert as_decision(offered, other).decision == "denied"
    assert as_decision(REQUEST, "approve-always").decision == "denied"
    assert as_decision(REQUEST, saving("git", "push")).decision == "denied"


def test_a_question_about_a_command_that_waits_is_taken_back_from_the_coroutine() -> None:
    """Required: nobody goes on answering for a command that is over."""
    begun, cancelled = Event(), Event()

    async def never(_request: ApprovalRequest) -> Answer:
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.set()
            raise
        return True

    loop = asyncio.new_event_loop()
    serving = Thread(target=loop.run_forever)
    serving.start()
    try:
        with AskedMeanwhile() as asking:

            def ends() -> None:
                begun.wait(5)
                asking.withdraw()

            Thread(target=ends).start()
            decision = ReviewerBridge(never, loop).review(REQUEST.but(stage="held"))
        assert (decision.decision, decision.source) == ("denied", "none")
        assert cancelled.wait(5)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        serving.join()
        loop.close()


@pytest.mark.parametrize("left", ["the caller", "the reviewer"])
def test_who_was_not_answered_reads_it_in_words(left: str) -> None:
    """It said `CancelledError()`, in the journal too."""

    async def session() -> Decision:
        turn, asked = CallerTurn(), asyncio.Event()

        async def waits(_request: ApprovalRequest) -> str:
            asked.set()
            if left == "the reviewer":
                raise asyncio.CancelledError
            await asyncio.Event().wait()
            return "approve"

        bridge = ReviewerBridge(waits, asyncio.get_running_loop())

        def review() -> Decision:
            bridge.threads.turn = turn
            return bridge.review(REQUEST)

        answer = asyncio.ensure_future(asyncio.to_thread(review))
        await asyncio.wait_for(asked.wait(), 5)
        if left == "the caller":
            turn.give_up()
        return await asyncio.wait_for(answer, 5)

    said = {"the caller": "nobody waits for the answer any more", "the reviewer": CANCELLED}[left]
    assert asyncio.run(session()) == Decision("retry", "denied", "none", reason=said)


def test_another_thread_works_for_the_same_caller() -> None:
    threads, turn, seen = Threads(), CallerTurn(), []
    threads.turn = turn
    work = threads.on_behalf()

    def elsewhere() -> None:
        work()
        seen.append(threads.turn)

    thread = Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert seen == [turn]
