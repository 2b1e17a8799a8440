"""Every way a question ends: with one decision, whoever gave it, and with an approval used at most once."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandgate.approvals.ledger.ledger import Ledger
from sandgate.approvals.prompts.form import form_of
from sandgate.errors import SandgateError
from sandgate.protocol.bindings import Binding, Seen
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.decisions import Amendment, ApprovalRequest, Decision
from sandgate.protocol.permissions import ESCALATE, Grant
from sandgate.protocol.risk import RiskAssessment
from sandgate.serving.inbox import (
    ALWAYS,
    CANCELLED,
    CONFINEMENT,
    ENDED,
    SHOWN,
    TOO_LONG,
    USED,
    Inbox,
    Question,
    offers,
    saves,
    takes_care,
)
from sandgate.serving.ledger_access import open_ledger
from support.process.loops import run
from support.process.program import Sandgate
from support.process.waiting import none_left_open, open_descriptors
from support.suite.searches import examples

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from sandgate.approvals.ledger.pending import PendingApproval

LIMIT_S = 15
SHORT_S = 0.15  # the time of a question that nobody answers
MOTD = Grant("write_path", "/etc/motd")
REQUEST = ApprovalRequest(
    "00c0ffee00c0ffee",
    "c",
    "retry",
    CommandRequest(("touch", "/etc/motd"), "/repo", {}),
    "",
    (MOTD,),
    may_escalate=True,
)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    before = open_descriptors()
    opened = open_ledger({"HOME": str(tmp_path)})
    yield opened
    opened.close()
    assert none_left_open(before), "an inbox left a descriptor behind"


def inbox_of(ledger: Ledger, *, timeout_s: float = LIMIT_S) -> Inbox:
    return Inbox(ledger, "me", timeout_s=timeout_s)


def numbered(number: int) -> ApprovalRequest:
    command = REQUEST.command.but(argv=("touch", str(number)))
    return REQUEST.but(request_id=f"{number:016x}", command=command)


async def put(inbox: Inbox, request: ApprovalRequest = REQUEST) -> tuple[Question, asyncio.Task[Decision]]:
    """A question, and who waits for its decision."""
    question = await inbox.put(request, tool="exec_command", call_digest="d" * 64)
    return question, asyncio.create_task(inbox.settled(question))


def elsewhere(ledger: Ledger, question: Question, name: str, **more: Any) -> None:
    """Another process answers."""
    approval = question.approval
    ledger.resolve(approval.approval_id, name, **{"by": "terminal", "digest": approval.digest, **more})


# What is kept


def test_a_question_is_on_the_disk_before_anybody_sees_it(ledger: Ledger) -> None:
    async def work() -> None:
        inbox = inbox_of(ledger, timeout_s=30)
        question, waiting = await put(inbox)
        (kept,) = ledger.pending()
        form = form_of(REQUEST)
        form = form.but(details={**form.details, CONFINEMENT: {}})
        assert kept == question.approval == inbox.find(REQUEST.request_id)
        assert (kept.message, kept.choices, kept.details) == (
            form.message,
            form.choices,
            {**form.details, SHOWN: form.digest},
        )
        assert (kept.principal, kept.tool, kept.call_digest, kept.stage) == ("me", "exec_command", "d" * 64, "retry")
        assert kept.expires_at - kept.asked_at == pytest.approx(30)
        await inbox.close()
        await waiting

    run(work())


def test_an_answer_is_held_to_the_question_and_not_to_what_a_model_said_of_it(ledger: Ledger) -> None:
    """Required: words that came the one time and not the other make no other question; what is known offline does."""
    low, high = RiskAssessment("lists", "low"), RiskAssessment("deletes", "high")
    words = RiskAssessment("lists. A model says: it sends it away", "high", source="both")

    async def work() -> None:
        inbox = inbox_of(ledger)
        plain = REQUEST.but(risk=low)
        question, waiting = await put(inbox, plain.but(risk=words, offline_risk=low))
        assert "sends it away" in question.approval.message
        elsewhere(ledger, question, "approve")
        assert (await waiting).approved
        standing = question.approval
        assert await inbox.honoured(plain.but(risk=high), standing) is None
        used = await inbox.honoured(plain, standing)
        assert used is not None
        assert used.reason == USED
        await inbox.close()

    run(work())


def test_a_record_of_somebody_elses_is_not_found(ledger: Ledger) -> None:
    async def work() -> None:
        inbox = inbox_of(ledger)
        _question, waiting = await put(inbox)
        assert Inbox(ledger, "you", timeout_s=1).find(REQUEST.request_id) is None
        await inbox.close()
        await waiting

    run(work())


def test_what_nobody_would_read_is_refused_and_never_asked(ledger: Ledger) -> None:
    async def work() -> None:
        command = REQUEST.command.but(argv=("echo", "x" * 30_000))
        question, waiting = await put(inbox_of(ledger), REQUEST.but(command=command))
        assert (await waiting, question.open) == (Decision("retry", "denied", "none", reason=TOO_LONG), False)
        assert ledger.survey() == (frozenset(), frozenset())

    run(work())


def test_names_and_care_are_those_of_the_question(ledger: Ledger) -> None:
    async def work() -> None:
        inbox = inbox_of(ledger)
        plain, first = await put(inbox)
        careful, second = await put(inbox, numbered(1).but(risk=RiskAssessment("Deletes.", "high")))
        assert [takes_care(each.approval) for each in (plain, careful)] == [False, True]
        known = ("approve", "approved", "approve-unsandboxed", "denied", "abort")
        assert all(offers(plain.approval, name) for name in known)
        assert not any(offers(plain.approval, name) for name in ("", "yes", "approve-everything"))
        await inbox.close()
        await asyncio.gather(first, second)

    run(work())


# The client answers


@pytest.mark.parametrize(
    ("name", "decision", "grants"),
    [
        ("approve", "approved", (MOTD,)),
        ("approved", "approved", (MOTD,)),
        ("approve-session", "approved_for_session", (MOTD,)),
        ("approved_for_session", "approved_for_session", (MOTD,)),
        ("approve-unsandboxed", "approved", (ESCALATE,)),
        ("deny", "denied", ()),
        ("denied", "denied", ()),
        ("abort", "abort", ()),
    ],
)
def test_an_answer_decides_wherever_it_comes_from(
    ledger: Ledger, name: str, decision: Any, grants: tuple[Grant, ...]
) -> None:
    async def work() -> None:
        inbox = inbox_of(ledger)
        question, waiting = await put(inbox)
        if name in dict(question.approval.choices):
            elsewhere(ledger, question, name, reason="why")
            assert await waiting == Decision("retry", decision, "user", grants, reason="why")
            question, waiting = await put(inbox, REQUEST.but(request_id="1" * 16))
        await inbox.answer(question, name, by="client", reason="why")
        assert await waiting == Decision("retry", decision, "user", grants, reason="why")
        assert ledger.consume(REQUEST.request_id) is False  # an approval is used, and a refusal never could be
        assert ledger.pending() == ()

    run(work())


def test_an_answer_that_is_none_leaves_the_question_open(ledger: Ledger) -> None:
    async def work() -> None:
        inbox = inbox_of(ledger)
        question, waiting = await put(inbox)
        for name in ("", "yes", "APPROVE", "timed_out"):
            await inbox.answer(question, name, by="client")
        assert (question.open, waiting.done(), ledger.resolution(REQUEST.request_id)) == (True, False, None)
        await inbox.answer(question, "approve", by="client")
        assert (await waiting).approved

    run(work())


def test_a_reason_cannot_bring_lines_of_its_own(ledger: Ledger) -> None:
    async def work() -> None:
        inbox = inbox_of(ledger)
        question, waiting = await put(inbox)
        await inbox.answer(question, "deny", by="client", reason="no\n\x1b[2Jyes")
        assert (await waiting).reason == "no\\n\\x1b[2Jyes"

    run(work())


# Somebody elsewhere answers


def test_another_program_answers_first_and_the_client_is_too_late(ledger: Ledger, tmp_path: Path) -> None:
    sandgate = Sandgate(tmp_path, tmp_path)

    async def work() -> None:
        inbox = inbox_of(ledger)
        question, waiting = await put(inbox)
        resolve = ("approvals", "resolve", REQUEST.request_id, "approve", "--reason", "seen")
        finished = await asyncio.to_thread(sandgate, *resolve)
        assert finished.code == 0, finished
        assert await waiting == Decision("retry", "approved", "user", (MOTD,), reason="seen")
        await inbox.answer(question, "deny", by="client")
        assert (await question.decision()).approved

    run(work())


class Meanwhile(Ledger):
    """Somebody at a terminal answers before the one who asked hears that the question was kept."""

    loop_turns: Callable[[], None] | None = None

    def ask(self, approval: PendingApproval) -> None:
        super().ask(approval)
        if self.loop_turns is not None:
            self.resolve(approval.approval_id, "approve", by="terminal", digest=approval.digest)
            self.loop_turns()


def test_an_answer_that_comes_before_the_question_is_known_to_be_kept_counts(ledger: Ledger) -> None:
    """Required: also when another question is open, so that the news of the directory is over by then."""

    async def work() -> None:
        loop = asyncio.get_running_loop()

        def loop_turns() -> None:
            for _ in range(5):
                asyncio.run_coroutine_threadsafe(asyncio.sleep(0), loop).result(LIMIT_S)

        quick = Meanwhile(ledger.directory)
        inbox = inbox_of(quick)
        _other, first = await put(inbox, numbered(1))
        quick.loop_turns = loop_turns
        _question, waiting = await put(inbox, numbered(2))
        assert (await waiting).approved
        await inbox.close()
        await first
        quick.close()

    run(work())


def test_an_answer_from_elsewhere_is_seen_where_the_kernel_does_not_tell(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none_left() -> None:
        raise OSError(24, "no more watches")

    monkeypatch.setattr(ledger, "watch", none_left)

    async def work() -> None:
        question, waiting = await put(inbox_of(ledger))
        elsewhere(ledger, question, "approve")
        assert (await waiting).approved

    run(work())


def test_what_was_used_elsewhere_is_refused(ledger: Ledger) -> None:
    """Required: at most once, whoever was first."""

    async def work() -> None:
        question, waiting = await put(inbox_of(ledger))
        elsewhere(ledger, question, "approve")
        assert ledger.consume(REQUEST.request_id) is True
        assert await waiting == Decision("retry", "denied", "none", reason=USED)

    run(work())


# Nobody answers


def test_what_nobody_answers_in_time_is_timed_out_by_nobody(ledger: Ledger) -> None:
    async def work() -> None:
        inbox = inbox_of(ledger, timeout_s=SHORT_S)
        question, waiting = await put(inbox)
        decision = await waiting
        assert (decision.decision, decision.source, decision.grants) == ("timed_out", "none", ())
        assert decision.reason == f"nobody answered within {SHORT_S} seconds; this says nothing about the command"
        standing = ledger.resolution(REQUEST.request_id)
        assert standing is not None
        assert (standing.decision, standing.by) == ("deny", "timeout")
        await inbox.answer(question, "approve", by="client")  # too late
        assert await question.decision() == decision
        assert ledger.consume(REQUEST.request_id) is False

    run(work())


def test_the_end_of_the_session_refuses_what_is_open_and_what_comes_after(ledger: Ledger) -> None:
    async def work() -> None:
        inbox = inbox_of(ledger)
        waiting = [(await put(inbox, numbered(number)))[1] for number in range(3)]
        await inbox.close()
        ended = Decision("retry", "denied", "none", reason=ENDED)
        assert [await each for each in waiting] == [ended] * 3
        _late, after = await put(inbox, numbered(9))
        assert await after == ended
        assert ledger.pending() == ()
        await inbox.close()  # may be repeated

    run(work())


def test_a_question_whose_asker_is_cancelled_while_it_is_written_does_not_stay_open(ledger: Ledger) -> None:
    entered, release = threading.Event(), threading.Event()

    class Slow(Ledger):
        def ask(self, approval: PendingApproval) -> None:
            entered.set()
            assert release.wait(LIMIT_S)
            super().ask(approval)

    async def work() -> None:
        slow = Slow(ledger.directory)
        inbox = inbox_of(slow)
        task = asyncio.create_task(put(inbox))
        assert await asyncio.to_thread(entered.wait, LIMIT_S)
        task.cancel()
        asyncio.get_running_loop().call_soon(release.set)
        with pytest.raises(asyncio.CancelledError):
            await task
        await inbox.close()
        standing = ledger.resolution(REQUEST.request_id)
        assert standing is not None
        assert (standing.by, standing.reason, ledger.pending()) == ("withdrawn", CANCELLED, ())
        slow.close()

    run(work())


# Records that cannot be kept or read


def test_nobody_is_asked_when_the_question_cannot_be_kept(ledger: Ledger) -> None:
    shutil.rmtree(ledger.directory)

    async def work() -> None:
        with pytest.raises(SandgateError, match="cannot keep the record"):
            await put(inbox_of(ledger))

    run(work())


def test_nobody_is_asked_where_nothing_can_be_written() -> None:
    async def work() -> None:
        unwritable = Ledger("/proc/self/task")  # ours, and no place for files, also for root
        with pytest.raises(SandgateError, match="cannot keep the record"):
            await put(inbox_of(unwritable))
        unwritable.close()

    run(work())


@pytest.mark.parametrize("name", ["approve", "deny"])
def test_an_answer_that_cannot_be_kept_is_a_refusal_with_the_reason(ledger: Ledger, name: str) -> None:
    """Required: an approval that nobody could mark as used allows nothing."""

    async def work() -> None:
        inbox = inbox_of(ledger)
        question, waiting = await put(inbox)
        shutil.rmtree(ledger.directory)
        await inbox.answer(question, name, by="client")
        decision = await waiting
        assert (decision.decision, decision.source) == ("denied", "none")
        assert "cannot be kept or read" in decision.reason

    run(work())


def test_a_lost_directory_does_not_keep_a_question_open_for_ever(ledger: Ledger) -> None:
    async def work() -> None:
        _question, waiting = await put(inbox_of(ledger, timeout_s=SHORT_S))
        shutil.rmtree(ledger.directory)
        assert (await waiting).decision == "timed_out"

    run(work())


def test_a_damaged_answer_refuses_its_own_question_and_no_other(ledger: Ledger) -> None:
    async def work() -> None:
        inbox = inbox_of(ledger)
        first, spoilt = await put(inbox, numbered(1))
        second, fine = await put(inbox, numbered(2))
        Path(ledger.directory, f"{first.approval.approval_id}.answer").write_text("{}")
        elsewhere(ledger, second, "approve")
        decision = await spoilt
        assert (decision.decision, decision.source) == ("denied", "none")
        assert "damaged" in decision.reason
        assert (await fine).approved

    run(work())


def test_an_approval_that_cannot_be_marked_as_used_allows_nothing(ledger: Ledger) -> None:
    class Unmarkable(Ledger):
        def consume(self, approval_id: str) -> bool:
            shutil.rmtree(self.directory)  # between the answer and the mark
            return super().consume(approval_id)

    async def work() -> None:
        odd = Unmarkable(ledger.directory)
        inbox = inbox_of(odd)
        question, waiting = await put(inbox)
        await inbox.answer(question, "approve", by="client")
        assert (await waiting).decision == "denied"
        odd.close()

    run(work())


# At the same moment


NAMES = ("approve", "approve-session", "approve-unsandboxed", "deny", "abort")
ANSWERS = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(("client", "terminal", "close"))), max_size=6)


@settings(max_examples=examples(40))
@given(ANSWERS, st.booleans())
def test_of_any_answers_at_once_one_stands_and_everybody_agrees(answers: list[tuple[str, str]], consumed: bool) -> None:
    """Required: one decision, the one on the disk, and an approval that is used exactly once."""
    folder = tempfile.mkdtemp()

    async def work() -> None:
        ledger = open_ledger({"HOME": folder})
        inbox = inbox_of(ledger, timeout_s=SHORT_S if not answers else LIMIT_S)
        question, waiting = await put(inbox)

        def at_a_terminal(name: str) -> None:
            try:
                elsewhere(ledger, question, name)
            except SandgateError:
                return  # too late
            if consumed:
                used.append(ledger.consume(REQUEST.request_id))

        def deed(name: str, who: str) -> Any:
            match who:
                case "client":
                    return inbox.answer(question, name, by="client")
                case "terminal":
                    return asyncio.to_thread(at_a_terminal, name)
                case _:
                    return inbox.close()

        used: list[bool] = []
        await asyncio.gather(*(deed(name, who) for name, who in answers))
        decision = await waiting
        standing = ledger.resolution(REQUEST.request_id)
        assert standing is not None
        if decision.approved:
            assert (standing.allows, any(used)) == (True, False)
        else:
            assert not standing.allows or used.count(True) == 1
        assert (ledger.consume(REQUEST.request_id), ledger.pending()) == (False, ())
        ledger.close()

    try:
        run(work())
    finally:
        shutil.rmtree(folder)


# After a restart


def earlier(ledger: Ledger, answer: str | None, *, by: Any = "client", request: ApprovalRequest = REQUEST) -> Any:
    """A question of a server that died, and its answer."""

    async def work() -> None:
        question, waiting = await put(inbox_of(ledger), request)
        await asyncio.sleep(0)  # until it waits
        waiting.cancel()
        if answer is not None:
            elsewhere(ledger, question, answer, by=by, reason="seen")

    run(work())
    return ledger.get(request.request_id)


def honoured(ledger: Ledger, approval: Any, request: ApprovalRequest) -> Decision | None:
    async def work() -> Decision | None:
        return await inbox_of(ledger).honoured(request, approval)

    return asyncio.run(work())


AGAIN = REQUEST.but(request_id="f" * 16, call_id="another")


def test_an_answer_under_another_policy_is_no_answer(ledger: Ledger) -> None:
    """Required: what holds a command back is part of what was approved."""
    approval = earlier(ledger, "approve")

    async def work() -> None:
        inbox = Inbox(ledger, "me", timeout_s=LIMIT_S, confinement=lambda: {"confined": False})
        assert await inbox.honoured(AGAIN, approval) is None

    run(work())


def test_the_answer_to_an_earlier_server_is_honoured_exactly_once(ledger: Ledger) -> None:
    approval = earlier(ledger, "approve")
    assert honoured(ledger, approval, AGAIN) == Decision("retry", "approved", "user", (MOTD,), reason="seen")
    assert honoured(ledger, approval, AGAIN) == Decision("retry", "denied", "none", reason=USED)


@pytest.mark.parametrize(
    ("answer", "by", "decision"),
    [
        ("deny", "client", Decision("retry", "denied", "user", reason="seen")),
        ("abort", "terminal", Decision("retry", "abort", "user", reason="seen")),
        ("deny", "timeout", Decision("retry", "timed_out", "none", reason="seen")),
        ("deny", "withdrawn", None),  # nobody had answered when its server went: it is asked again
    ],
)
def test_an_earlier_refusal_stands_and_says_whose_it_was(
    ledger: Ledger, answer: str, by: str, decision: Decision | None
) -> None:
    assert honoured(ledger, earlier(ledger, answer, by=by), AGAIN) == decision


@pytest.mark.parametrize(
    "other",
    [
        AGAIN.but(stage="initial"),
        AGAIN.but(grants=(MOTD, Grant("host", "*"))),
        AGAIN.but(command=REQUEST.command.but(cwd="/other")),
        AGAIN.but(command=REQUEST.command.but(argv=("touch", "/etc/motd", "x"))),
        AGAIN.but(risk=RiskAssessment("Deletes.", "high")),
        AGAIN.but(binding=Binding((Seen("directory", "/repo", "1:2:/elsewhere"),))),
        AGAIN.but(binding=Binding((Seen("file", "/repo/x.sh", "sha256:00"),))),
    ],
    ids=["stage", "grants", "directory", "words", "risk", "another object", "other content"],
)
def test_another_question_is_asked_anew_and_the_approval_stays_unused(ledger: Ledger, other: ApprovalRequest) -> None:
    approval = earlier(ledger, "approve")
    assert honoured(ledger, approval, other) is None
    assert ledger.consume(REQUEST.request_id) is True


def test_what_nobody_has_answered_is_asked_anew(ledger: Ledger) -> None:
    assert honoured(ledger, earlier(ledger, None), AGAIN) is None


def test_the_client_answers_an_earlier_question_unless_somebody_has(ledger: Ledger) -> None:
    def answered_now(approval: PendingApproval, name: str) -> None:
        asyncio.run(inbox_of(ledger).answer_earlier(approval, name, reason="now"))

    untouched, refused = earlier(ledger, None), earlier(ledger, "deny", request=numbered(1))
    answered_now(untouched, "approved")
    answered_now(refused, "approve")
    found = [ledger.resolution(each.approval_id) for each in (untouched, refused)]
    assert [(each.decision, each.reason) for each in found if each] == [("approve", "now"), ("deny", "seen")]


def test_the_end_of_an_approval_and_the_rule_reach_who_asked(ledger: Ledger) -> None:
    asked = REQUEST.but(amendment=Amendment(("touch",)))

    decisions: list[Decision] = []

    async def work() -> None:
        inbox = inbox_of(ledger)
        first, waiting = await put(inbox)
        elsewhere(ledger, first, "approve-session", uses=2, until="2999-01-01T00:00:00Z")
        decisions.append(await waiting)
        second, waiting = await put(inbox, asked.but(request_id="f" * 16))
        assert saves(second.approval, {"approved_execpolicy_amendment": {"proposed_execpolicy_amendment": ["touch"]}})
        elsewhere(ledger, second, ALWAYS, uses=3)
        decisions.append(await waiting)
        await inbox.close()

    run(work())
    limited, saved = decisions
    assert (limited.decision, limited.uses, limited.until) == ("approved_for_session", 2, "2999-01-01T00:00:00Z")
    assert (saved.decision, saved.amendment) == ("approved_with_amendment", Amendment(("touch",), uses=3))
