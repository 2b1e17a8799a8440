"""Open questions of a session: told, answered by id, taken back."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.decisions import ApprovalRequest, Decision
from sandgate.protocol.events import ApplyPatchApprovalRequest, ApprovalResolved, ExecApprovalRequest
from sandgate.protocol.patches import FileChange
from sandgate.session.inbox import TURN_OVER, SessionInbox
from support.agent.session_doubles import settled
from support.process.loops import run

if TYPE_CHECKING:
    from sandgate.protocol.events import EventMessage

YES = Decision("initial", "approved", "user")


class Desk:
    def __init__(self) -> None:
        self.told: list[tuple[str, EventMessage]] = []
        self.inbox = SessionInbox(lambda turn, message: self.told.append((turn, message)))

    def ask(self, name: str, turn: str = "turn", **more: Any) -> asyncio.Task[Decision]:
        delegate = more.pop("delegate", None)
        asked = self.inbox.ask(question(name, **more), turn_id=turn, delegate=delegate)
        return asyncio.ensure_future(asked)


def question(name: str, **more: Any) -> ApprovalRequest:
    command = CommandRequest(argv=("true",), cwd="/", env={})
    call = more.pop("call", f"call-{name}")
    return ApprovalRequest(name, call, more.pop("stage", "initial"), command, "", **more)


def test_a_question_is_told_with_its_turn_and_its_answer_comes_back() -> None:
    async def work() -> None:
        desk = Desk()
        asked = desk.ask("q", delegate={"id": "d", "kind": "review"})
        await settled()
        turn, told = desk.told[0]
        assert isinstance(told, ExecApprovalRequest)
        assert (turn, told.approval_id, told.call_id, told.delegate) == (
            "turn",
            "q",
            "call-q",
            {"id": "d", "kind": "review"},
        )
        assert told.parsed_cmd == ({"type": "unknown", "cmd": "true"},)
        assert desk.inbox.answer("q", YES)
        assert (await asked).approved
        assert desk.told[-1] == ("turn", ApprovalResolved("q", "call-q", "approved", "user"))

    run(work())


def test_a_patch_is_asked_about_as_a_patch() -> None:
    async def work() -> None:
        desk = Desk()
        asked = desk.ask("q", changes=(FileChange("add", "/f", content="x"),))
        await settled()
        assert isinstance(desk.told[0][1], ApplyPatchApprovalRequest)
        desk.inbox.answer("q", YES)
        await asked

    run(work())


def test_two_questions_of_one_turn_are_answered_in_any_order() -> None:
    async def work() -> None:
        desk = Desk()
        first, second = desk.ask("a"), desk.ask("b")
        await settled()
        assert desk.inbox.answer("b", YES.but(decision="denied"))
        assert (await second).decision == "denied"
        assert not first.done()
        assert desk.inbox.answer("call-a", YES)
        assert (await first).approved

    run(work())


def test_the_turn_names_a_question_as_long_as_it_had_only_one() -> None:
    """Required: who approves the first question twice has not approved the second."""

    async def work() -> None:
        desk = Desk()
        first = desk.ask("a")
        await settled()
        assert desk.inbox.answer("turn", YES)
        await first
        second = desk.ask("b")
        await settled()
        assert not desk.inbox.answer("turn", YES)
        assert not second.done()
        assert desk.inbox.answer("b", YES)
        await second
        other = desk.ask("c", "another turn")
        await settled()
        assert desk.inbox.answer("another turn", YES)
        await other

    run(work())


def test_a_late_answer_to_the_first_question_about_a_call_approves_no_later_one() -> None:
    """Required: the retry may be without the sandbox."""

    async def work() -> None:
        desk = Desk()
        first = desk.ask("a", call="c")
        await settled()
        assert desk.inbox.answer("c", YES)
        await first
        retry = desk.ask("b", call="c", stage="retry")
        await settled()
        assert not desk.inbox.answer("c", YES)
        assert not desk.inbox.answer("a", YES)
        assert not retry.done()
        assert desk.inbox.answer("c", YES.but(stage="retry", decision="denied"))
        assert (await retry).decision == "denied"
        again = desk.ask("d", call="c", stage="retry")
        await settled()
        assert not desk.inbox.answer("c", YES.but(stage="retry")), "the call has had two such questions"
        assert desk.inbox.answer("d", YES.but(stage="retry"))
        assert (await again).approved

    run(work())


def test_a_call_of_a_sub_agent_is_not_named_like_one_of_ours() -> None:
    async def work() -> None:
        desk = Desk()
        theirs = desk.ask("t", call="c", delegate={"id": "d", "kind": "collab_spawn"})
        await settled()
        assert not desk.inbox.answer("c", YES)
        ours = desk.ask("o", call="c")
        await settled()
        assert desk.inbox.answer("c", YES)
        assert (await ours).approved
        assert not theirs.done()
        assert desk.inbox.answer("t", YES)
        await theirs

    run(work())


def test_who_answers_elsewhere_is_told_which_sub_agent_asks() -> None:
    async def work() -> None:
        heard: list[Any] = []

        async def answerer(request: ApprovalRequest, delegate: Any) -> Decision:
            heard.append((request.request_id, delegate))
            return YES

        inbox = SessionInbox(lambda _turn, _message: None, answerer)
        child = {"id": "d", "kind": "review"}
        await inbox.ask(question("a"), turn_id="t")
        await inbox.ask(question("b"), turn_id="t", delegate=child)
        assert heard == [("a", None), ("b", child)]

    run(work())


def test_a_question_that_comes_after_its_turn_is_refused_and_nobody_sees_it() -> None:
    """A tool that does not end in time is left to itself; it gets nothing any more."""

    async def work() -> None:
        desk = Desk()
        desk.inbox.drop("turn")
        decision = await desk.ask("q")
        assert (decision.decision, decision.reason, desk.told) == ("denied", TURN_OVER, [])
        other = desk.ask("q", "next")
        await settled()
        assert desk.inbox.answer("q", YES)
        assert (await other).approved

    run(work())


def test_what_a_turn_was_asked_is_forgotten_with_the_turn() -> None:
    async def work() -> None:
        desk = Desk()
        asked = desk.ask("a")
        await settled()
        desk.inbox.answer("a", YES)
        await asked
        desk.inbox.drop("turn")
        assert desk.inbox._names == {}

    run(work())


def test_the_first_answer_counts_and_unknown_names_are_nothing() -> None:
    async def work() -> None:
        desk = Desk()
        asked = desk.ask("q")
        await settled()
        assert not desk.inbox.answer("other", YES)
        assert desk.inbox.answer("q", YES.but(decision="denied"))
        assert not desk.inbox.answer("q", YES)
        assert (await asked).decision == "denied"

    run(work())


def test_an_answer_is_about_the_stage_that_was_asked_about() -> None:
    async def work() -> None:
        desk = Desk()
        asked = desk.ask("q", stage="retry")
        await settled()
        desk.inbox.answer("q", YES)
        assert (await asked).stage == "retry"

    run(work())


def test_a_question_that_is_given_up_is_taken_down() -> None:
    async def work() -> None:
        desk = Desk()
        asked = desk.ask("q")
        await settled()
        asked.cancel()
        await settled()
        assert desk.told[-1][1] == ApprovalResolved("q", "call-q", "abort", "none")
        assert not desk.inbox.answer("q", YES)

    run(work())


def test_the_end_of_a_turn_refuses_its_questions_and_no_others() -> None:
    async def work() -> None:
        desk = Desk()
        mine, other = desk.ask("a", "one"), desk.ask("b", "two")
        await settled()
        desk.inbox.drop("one")
        decision = await mine
        assert (decision.decision, decision.reason) == ("denied", TURN_OVER)
        assert not other.done()
        desk.inbox.answer("b", YES)
        await other

    run(work())


def test_a_second_question_with_the_same_id_is_refused_and_the_first_stays() -> None:
    async def work() -> None:
        desk = Desk()
        first = desk.ask("q")
        await settled()
        assert (await desk.ask("q")).decision == "denied"
        desk.inbox.answer("q", YES)
        assert (await first).approved

    run(work())
