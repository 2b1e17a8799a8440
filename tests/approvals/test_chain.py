"""Reviewers are asked in order, one question at a time, and nothing is asked twice."""

from __future__ import annotations

import queue
import threading
from collections import Counter

from sandgate.approvals.chain import ReviewerChain
from sandgate.approvals.store import ApprovalStore
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.decisions import ApprovalRequest, Decision
from sandgate.protocol.permissions import ESCALATE, Grant
from sandgate.reviewers.prepared import ScriptedReviewer
from support.process.waiting import wait_until

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

MOTD = Grant("write_path", "/etc/motd")
OTHER = Grant("write_path", "/etc/issue")
WAIT_SECONDS = 10


def asked(*argv: str, grants: tuple[Grant, ...] = (), cwd: str = "/repo") -> ApprovalRequest:
    return ApprovalRequest("id", "call", "retry", CommandRequest(argv, cwd, {}), "", grants)


class Recording:
    """A reviewer that remembers what it was asked and answers the same each time."""

    def __init__(self, answer: Callable[[ApprovalRequest], Decision | None]) -> None:
        self.questions: list[ApprovalRequest] = []
        self._answer = answer

    def review(self, request: ApprovalRequest) -> Decision | None:
        self.questions.append(request)
        return self._answer(request)


def for_session(request: ApprovalRequest) -> Decision:
    return Decision(request.stage, "approved_for_session", "user", request.grants)


def silence() -> None:
    pass


def test_nobody_to_ask_is_a_refusal_that_says_so() -> None:
    decision = ReviewerChain(ApprovalStore(), ()).review(asked("touch", "x").but(stage="initial"), silence)
    assert (decision.decision, decision.source) == ("denied", "none")
    assert "no reviewer is attached" in decision.reason
    assert "rules add" in decision.reason


def test_after_the_command_ran_nothing_is_advised_that_would_not_have_allowed_it() -> None:
    """Required: it ran under `-a on-failure` or a rule; neither gives what the sandbox refused."""
    again = asked("touch", "x", grants=(Grant("write_path", "/x"),)).but(stage="retry")
    reason = ReviewerChain(ApprovalStore(), ()).review(again, silence).reason
    assert "`--answer approve`" in reason
    assert "rules add" not in reason
    assert "-a on-failure" not in reason


def test_a_reviewer_that_passes_hands_the_question_to_the_next() -> None:
    first, second = Recording(lambda _request: None), Recording(for_session)
    decision = ReviewerChain(ApprovalStore(), (first, second)).review(asked("touch", "x"), silence)
    assert decision.decision == "approved_for_session"
    assert len(first.questions) == len(second.questions) == 1


def test_what_was_approved_for_the_session_is_never_asked_again() -> None:
    reviewer = Recording(for_session)
    chain = ReviewerChain(ApprovalStore(), (reviewer,))
    announced: list[str] = []
    chain.review(asked("touch", "/etc/motd", grants=(MOTD,)), lambda: announced.append("asked"))
    again = chain.review(asked("touch", "/etc/motd", grants=(MOTD,)), lambda: announced.append("asked"))
    assert again == Decision("retry", "approved_for_session", "cache", (MOTD,))
    assert (len(reviewer.questions), announced) == (1, ["asked"])


def test_another_spelling_of_the_same_simple_command_is_covered() -> None:
    reviewer = Recording(for_session)
    chain = ReviewerChain(ApprovalStore(), (reviewer,))
    chain.review(asked("bash", "-c", "touch '/etc/motd'", grants=(MOTD,)), silence)
    chain.review(asked("/bin/bash", "-c", "touch /etc/motd", grants=(MOTD,)), silence)
    assert len(reviewer.questions) == 1


def test_another_grant_directory_command_or_login_shell_is_a_new_question() -> None:
    reviewer = Recording(for_session)
    chain = ReviewerChain(ApprovalStore(), (reviewer,))
    chain.review(asked("bash", "-c", "touch /etc/motd", grants=(MOTD,)), silence)
    for different in (
        asked("bash", "-c", "touch /etc/motd", grants=(OTHER,)),
        asked("bash", "-c", "touch /etc/motd", grants=(MOTD,), cwd="/other"),
        asked("bash", "-c", "touch /etc/issue", grants=(MOTD,)),
        asked("bash", "-lc", "touch /etc/motd", grants=(MOTD,)),
    ):
        chain.review(different, silence)
    assert len(reviewer.questions) == 5


def test_leaving_the_sandbox_for_the_session_covers_smaller_wishes() -> None:
    reviewer = Recording(for_session)
    chain = ReviewerChain(ApprovalStore(), (reviewer,))
    chain.review(asked("make", grants=(ESCALATE,)), silence)
    assert chain.review(asked("make", grants=(MOTD,)), silence).source == "cache"


def test_once_is_not_remembered() -> None:
    reviewer = Recording(lambda request: Decision(request.stage, "approved", "user", request.grants))
    chain = ReviewerChain(ApprovalStore(), (reviewer,))
    chain.review(asked("make", grants=(MOTD,)), silence)
    chain.review(asked("make", grants=(MOTD,)), silence)
    assert len(reviewer.questions) == 2


def test_questions_that_wait_are_put_in_the_order_they_came_and_answered_once_each() -> None:
    """Required: first in, first out; the lineage popped the newest."""
    entered, release = threading.Event(), threading.Event()

    def slow_first(request: ApprovalRequest) -> Decision:
        if request.command.argv == ("first",):
            entered.set()
            assert release.wait(WAIT_SECONDS)
        return Decision(request.stage, "approved", "user")

    reviewer = Recording(slow_first)
    chain = ReviewerChain(ApprovalStore(), (reviewer,))
    threads = [threading.Thread(target=chain.review, args=(asked("first"), silence))]
    threads[0].start()
    assert entered.wait(WAIT_SECONDS)
    for position, name in enumerate(("second", "third", "fourth"), start=2):
        threads.append(threading.Thread(target=chain.review, args=(asked(name), silence)))
        threads[-1].start()
        assert wait_until(lambda position=position: chain.waiting == position)  # type: ignore[misc]
    release.set()
    for thread in threads:
        thread.join(WAIT_SECONDS)
    assert [question.command.argv[0] for question in reviewer.questions] == ["first", "second", "third", "fourth"]


class Gathering:
    """A reviewer who can hold several questions at once, and answers none before `release`."""

    def __init__(self) -> None:
        self.asked: queue.SimpleQueue[ApprovalRequest] = queue.SimpleQueue()
        self.release = threading.Event()
        self.at_once = self.most_of_one = 0
        self._guard = threading.Lock()
        self._inside: Counter[tuple[str, ...]] = Counter()

    def review(self, request: ApprovalRequest) -> Decision:
        argv = request.command.argv
        with self._guard:
            self._inside[argv] += 1
            self.at_once = max(self.at_once, self._inside.total())
            self.most_of_one = max(self.most_of_one, self._inside[argv])
        self.asked.put(request)
        assert self.release.wait(WAIT_SECONDS)
        with self._guard:
            self._inside[argv] -= 1
        return Decision(request.stage, "approved", "user", request.grants)


def asked_together(chain: ReviewerChain, *requests: ApprovalRequest) -> list[threading.Thread]:
    """Threads that ask, each in the chain before the next."""
    threads = []
    for position, request in enumerate(requests, start=1):
        threads.append(threading.Thread(target=chain.review, args=(request, silence)))
        threads[-1].start()
        assert wait_until(lambda position=position: chain.waiting == position)  # type: ignore[misc]
    return threads


def test_side_by_side_questions_about_different_commands_are_asked_at_the_same_time() -> None:
    """Required: one that nobody answers holds nobody else up."""
    reviewer = Gathering()
    chain = ReviewerChain(ApprovalStore(), (reviewer,), side_by_side=True)
    names = ("first", "second", "third")
    threads = asked_together(chain, *map(asked, names))
    heard = {reviewer.asked.get(timeout=WAIT_SECONDS).command.argv[0] for _ in names}
    assert (heard, reviewer.at_once) == (set(names), 3)
    reviewer.release.set()
    for thread in threads:
        thread.join(WAIT_SECONDS)
    assert chain.waiting == 0


def test_side_by_side_questions_about_the_same_command_wait_for_each_other() -> None:
    """Required: an answer for the session must be able to answer the next one too."""
    reviewer = Gathering()
    chain = ReviewerChain(ApprovalStore(), (reviewer,), side_by_side=True)
    threads = asked_together(chain, asked("make"), asked("make"), asked("other"), asked("make"))
    heard = {reviewer.asked.get(timeout=WAIT_SECONDS).command.argv for _ in range(2)}
    assert (heard, reviewer.at_once) == ({("make",), ("other",)}, 2)
    reviewer.release.set()
    for thread in threads:
        thread.join(WAIT_SECONDS)
    assert (reviewer.asked.qsize(), reviewer.most_of_one, chain.waiting) == (2, 1, 0)


def test_side_by_side_an_answer_for_the_session_answers_who_waited_in_the_same_lane() -> None:
    chain = ReviewerChain(ApprovalStore(), (reviewer := Recording(for_session),), side_by_side=True)
    threads = [threading.Thread(target=chain.review, args=(asked("make"), silence)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT_SECONDS)
    assert (len(reviewer.questions), chain.waiting) == (1, 0)


def test_one_after_the_other_is_what_holds_unless_somebody_can_hold_several() -> None:
    reviewer = Gathering()
    chain = ReviewerChain(ApprovalStore(), (reviewer,))
    threads = asked_together(chain, asked("first"), asked("second"))
    assert reviewer.asked.get(timeout=WAIT_SECONDS).command.argv == ("first",)
    reviewer.release.set()
    for thread in threads:
        thread.join(WAIT_SECONDS)
    assert reviewer.at_once == 1


def test_an_identical_question_that_waited_is_answered_by_the_session_approval() -> None:
    entered, release = threading.Event(), threading.Event()

    def slow(request: ApprovalRequest) -> Decision:
        entered.set()
        assert release.wait(WAIT_SECONDS)
        return for_session(request)

    reviewer = Recording(slow)
    chain = ReviewerChain(ApprovalStore(), (reviewer,))
    answers: list[Decision] = []

    def ask() -> None:
        answers.append(chain.review(asked("make", grants=(MOTD,)), silence))

    threads = [threading.Thread(target=ask) for _ in range(2)]
    threads[0].start()
    assert entered.wait(WAIT_SECONDS)
    threads[1].start()
    assert wait_until(lambda: chain.waiting == 2)
    release.set()
    for thread in threads:
        thread.join(WAIT_SECONDS)
    assert sorted(answer.source for answer in answers) == ["cache", "user"]
    assert len(reviewer.questions) == 1


def test_a_reviewer_that_fails_lets_the_next_question_through() -> None:
    def explode(_request: ApprovalRequest) -> Decision:
        raise KeyboardInterrupt

    chain = ReviewerChain(ApprovalStore(), (Recording(explode),))
    for _ in range(2):
        try:
            chain.review(asked("make"), silence)
        except KeyboardInterrupt:
            continue
        raise AssertionError("the interrupt was swallowed")
    assert chain.waiting == 0


def test_scripted_answers_are_used_in_order_and_then_run_out() -> None:
    reviewer = ScriptedReviewer(("approve", "deny"))
    chain = ReviewerChain(ApprovalStore(), (reviewer,))
    given = [chain.review(asked("make", grants=(MOTD,)), silence) for _ in range(3)]
    assert [(decision.decision, decision.source) for decision in given] == [
        ("approved", "script"),
        ("denied", "script"),
        ("denied", "none"),
    ]
    assert given[0].grants == (MOTD,)
    assert given[1].grants == ()


def test_a_wider_answer_covers_the_smaller_question_and_gives_no_more_than_was_given() -> None:
    """Required: a protected name below the root must not be opened by an answer about the root."""
    root = Grant("write_root", "/etc")
    reviewer = Recording(for_session)
    chain = ReviewerChain(ApprovalStore(), (reviewer,))
    chain.review(asked("make", grants=(root,)), silence)
    assert chain.review(asked("make", grants=(MOTD,)), silence).grants == (root,)
    chain.review(asked("make", grants=(MOTD,)).but(held=(root,)), silence)
    chain.review(asked("make", grants=(Grant("write_path", "/etc/.git"),)), silence)
    assert len(reviewer.questions) == 3


def test_an_approval_outside_the_sandbox_covers_the_run_inside_and_never_the_reverse() -> None:
    reviewer = Recording(for_session)
    chain = ReviewerChain(ApprovalStore(), (reviewer,))
    inside = asked("make").but(stage="initial")
    outside = inside.but(command=inside.command.but(wish="require_escalated"), grants=(ESCALATE,))
    chain.review(inside, silence)
    chain.review(outside, silence)
    assert len(reviewer.questions) == 2
    other = asked("cmake").but(stage="initial")
    chain.review(other.but(command=other.command.but(wish="require_escalated"), grants=(ESCALATE,)), silence)
    assert chain.review(other, silence) == Decision("initial", "approved_for_session", "cache", ())
    assert len(reviewer.questions) == 3


def test_the_first_question_gives_at_once_what_was_given_before() -> None:
    """The lineage ran it confined, was denied and ran it again; side effects came twice."""
    store = ApprovalStore()
    chain = ReviewerChain(store, (Recording(for_session),))
    chain.review(asked("make", grants=(MOTD,)), silence)
    assert chain.review(asked("make").but(stage="initial"), silence).grants == (MOTD,)


def test_what_the_automatic_reviewer_says_is_never_remembered() -> None:
    automatic = Recording(lambda request: for_session(request).but(source="automated_reviewer"))
    chain = ReviewerChain(ApprovalStore(), (automatic,))
    chain.review(asked("make"), silence)
    chain.review(asked("make"), silence)
    assert len(automatic.questions) == 2


def test_a_question_that_needs_no_answer_any_more_when_its_turn_comes_is_not_put() -> None:
    reviewer = Recording(for_session)
    allowed = Decision("retry", "approved", "rule")
    assert ReviewerChain(ApprovalStore(), (reviewer,)).review(asked("make"), silence, lambda: allowed) == allowed
    assert reviewer.questions == []


def _two_at_once(first_answer: Decision, *second: ApprovalRequest) -> tuple[list[Decision], int]:
    """The same question from two threads, the second while the first is being asked; the decisions in order."""
    entered, release = threading.Event(), threading.Event()

    def slow(request: ApprovalRequest) -> Decision:
        if not entered.is_set():
            entered.set()
            assert release.wait(WAIT_SECONDS)
            return first_answer
        return Decision(request.stage, "denied", "user", reason="second")

    reviewer = Recording(slow)
    chain = ReviewerChain(ApprovalStore(), (reviewer,))
    decisions: dict[int, Decision] = {}
    questions = (asked("make"), *(second or (asked("make"),)))

    def put(number: int) -> None:
        decisions[number] = chain.review(questions[number], silence)

    threads = [threading.Thread(target=put, args=(number,)) for number in range(2)]
    threads[0].start()
    assert entered.wait(WAIT_SECONDS)
    threads[1].start()
    wait_until(lambda: chain.waiting == 2)
    release.set()
    for thread in threads:
        thread.join(WAIT_SECONDS)
    return [decisions[0], decisions[1]], len(reviewer.questions)


def test_a_no_answers_the_same_question_that_waited_and_no_other() -> None:
    no = Decision("retry", "denied", "user", reason="not now")
    assert _two_at_once(no) == ([no, no.but(source="cache")], 1)
    assert _two_at_once(no, asked("make", grants=(MOTD,)))[1] == 2
    assert _two_at_once(no.but(source="none"))[1] == 2  # that was nobody's answer
    assert _two_at_once(no.but(decision="approved"))[1] == 2  # once is once
