"""A call from its request to its one answer: questions on the way, other people's answers, cancellation, and errors."""

from __future__ import annotations

import _socket
import asyncio
import json
import re
import sys
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp import Client
from mcp_types import ElicitResult

from sandgate.approvals import private_files
from sandgate.surfaces.mcp import calling
from sandgate.tools.toolbox import Toolbox
from support.mcp.mcp_wire import (
    ERAS,
    INITIAL,
    LEGACY,
    MODERN,
    Desk,
    connected,
    lines_in,
    run,
    soon,
    streams_to,
    text_of,
)
from support.process.program import PROGRAM
from support.suite.sampling import full
from support.suite.searches import examples
from support.terminal.live_sessions import Workplace, left_of

if TYPE_CHECKING:
    from pathlib import Path

    from sandgate.serving.ledger_access import PendingApproval
    from support.mcp.mcp_wire import Json, Wire

pytestmark = pytest.mark.host("namespace", "notify")

MODES = ["legacy", "auto", MODERN]  # of the official client


def mark_of(desk: object, number: int = 0) -> str:
    """A time to sleep that nobody else sleeps."""
    return f"1000.{id(desk)}{number}"


async def one_question(desk: Desk) -> PendingApproval:
    """The one that is open, as soon as there is one."""
    loop, watch, seen = asyncio.get_running_loop(), desk.ledger.watch(), asyncio.Event()

    def told() -> None:
        watch.drain()
        seen.set()

    loop.add_reader(watch.fileno(), told)
    try:
        while not (pending := desk.ledger.pending()):
            await soon(seen.wait())
            seen.clear()
    finally:
        loop.remove_reader(watch.fileno())
        watch.close()
    (found,) = pending
    return found


async def until_written(path: Path) -> None:
    """A command has made this file."""
    async with asyncio.timeout(30):
        while not path.exists():
            await asyncio.to_thread(_look_away)


def _look_away() -> None:
    import os

    os.sched_yield()


# Several questions


@pytest.mark.parametrize("version", ERAS)
@pytest.mark.parametrize(("asks", "stage"), [("at-call", "held"), ("after", "retry")], ids=["at-call", "after"])
def test_one_call_asks_before_it_runs_and_again_about_a_denial(desk: Desk, version: str, asks: str, stage: str) -> None:
    async def work() -> None:
        async with connected(desk.untrusting(f"sandbox.ask={asks}"), version) as wire:
            call = await wire.call("exec_command", desk.stray())
            assert (await call.asked())["sandgate_stage"] == "initial"
            await call.choose("approve")
            assert (await call.asked())["sandgate_stage"] == stage
            assert lines_in(desk.outside) == 0
            await call.choose("approve")
            assert (await call.result())["structuredContent"]["exit_code"] == 0

    run(work())
    assert lines_in(desk.outside) == 1


@pytest.mark.parametrize(("version", "choice"), [(LEGACY, "approve"), (MODERN, "approve"), (MODERN, "deny")])
def test_a_form_names_the_host_that_is_looked_up(
    desk: Desk, version: str, choice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Required: the same call goes on with what was looked up outside, and after a no nothing is."""
    outside: list[str] = []

    def look_up(name: str, *_how: object) -> list[object]:
        outside.append(name)
        return [(0, 0, 0, "", ("93.184.216.34", 0))]

    monkeypatch.setattr(_socket, "getaddrinfo", look_up)
    script = "import socket; print(socket.gethostbyname('a.example'))"

    async def work() -> None:
        async with connected(desk.untrusting("sandbox.ask=at-call"), version) as wire:
            call = await wire.call("exec_command", {"cmd": f'python3 -c "{script}"', "login": False})
            assert (await call.asked())["sandgate_stage"] == "initial"
            await call.choose("approve")
            form = await call.asked()
            assert (form["sandgate_stage"], outside) == ("held", [])
            assert "Wants: connect a.example by python3" in form["message"]
            assert "may look up a.example and connect to its public addresses" in json.dumps(form)
            await call.choose(choice)
            result = await call.result()
            assert ("93.184.216.34" in text_of(result)) is (choice == "approve")

    run(work())
    assert outside == (["a.example"] if choice == "approve" else [])


@pytest.mark.parametrize("version", ERAS)
def test_calls_are_asked_about_side_by_side_and_answered_in_any_order(desk: Desk, version: str) -> None:
    async def work() -> None:
        async with connected(desk.untrusting(), version) as wire:
            calls = [
                await wire.call("exec_command", {"cmd": f"echo {number} > made{number}", "login": False})
                for number in range(6)
            ]
            for call in calls:
                await call.asked()
            for number, call in reversed(tuple(enumerate(calls))):
                await call.choose("approve" if number % 2 else "deny")
                assert (await call.result())["isError"] is (number % 2 == 0)

    run(work())
    assert sorted(path.name for path in desk.place.repo.iterdir()) == ["made1", "made3", "made5"]


# Somebody elsewhere answers


@pytest.mark.parametrize("version", ERAS)
@pytest.mark.parametrize(("there", "late", "runs"), [("approve", "deny", 1), ("deny", "approve", 0)])
def test_first_answer_counts_wherever_it_comes_from(desk: Desk, version: str, there: str, late: str, runs: int) -> None:
    """Required: while the client shows its form, somebody at a terminal answers; the client's answer comes too late."""

    async def work() -> None:
        async with connected(desk.untrusting(), version) as wire:
            call = await wire.call("exec_command", INITIAL)
            await call.asked()
            question = await one_question(desk)
            desk.ledger.resolve(question.approval_id, there, by="terminal", digest=question.digest)
            if version == LEGACY:  # the call goes on by itself
                assert (await call.result())["isError"] is (runs == 0)
                await call.choose(late)
            else:
                await call.choose(late)
                assert (await call.result())["isError"] is (runs == 0)
            await wire.result("exec_list", {})  # whatever the late answer did is done

    run(work())
    assert desk.runs == runs


def test_form_that_is_no_longer_needed_is_withdrawn(desk: Desk) -> None:
    async def work() -> None:
        async with connected(desk.untrusting(), LEGACY) as wire:
            call = await wire.call("exec_command", INITIAL)
            await call.asked()
            question = await one_question(desk)
            desk.ledger.resolve(question.approval_id, "approve", by="terminal", digest=question.digest)
            await call.result()
            told = await soon(wire.told.get())
            assert (told["method"], told["params"]["requestId"]) == ("notifications/cancelled", call.question["id"])

    run(work())


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_official_client_goes_on_when_somebody_elsewhere_answers(desk: Desk, mode: str) -> None:
    async def work() -> None:
        shown = asyncio.Event()
        closed = asyncio.Event()

        async def person(_context: object, _params: Any) -> ElicitResult:
            shown.set()
            if mode == "legacy":
                await closed.wait()  # nobody ever looks at this window
            else:
                await answered_elsewhere()
            return ElicitResult(action="decline")

        async def answered_elsewhere() -> None:
            question = await one_question(desk)
            desk.ledger.resolve(question.approval_id, "approve", by="terminal", digest=question.digest)

        async with Client(desk.untrusting(), mode=mode, elicitation_callback=person) as client:  # type: ignore[arg-type]
            call = asyncio.ensure_future(client.call_tool("exec_command", INITIAL))
            await soon(shown.wait())
            if mode == "legacy":
                await answered_elsewhere()
            assert (await soon(call)).is_error is False
            closed.set()

    run(work())
    assert desk.runs == 1


@pytest.mark.parametrize("version", ERAS)
@pytest.mark.parametrize(("word", "runs"), [("approve", 1), ("deny", 0)])
def test_client_that_cannot_ask_waits_for_another_terminal(desk: Desk, version: str, word: str, runs: int) -> None:
    """Required: `sandgate approvals resolve`, a real process, lets the call go on."""

    async def work() -> None:
        async with connected(desk.untrusting(waits_elsewhere=True), version, capabilities={}) as wire:
            call = await wire.call("exec_command", INITIAL)
            question = await one_question(desk)
            assert not call.response.done()
            await resolved_by_program(desk, question.approval_id, word)
            assert (await call.result())["isError"] is (runs == 0)

    run(work())
    assert desk.runs == runs


async def resolved_by_program(desk: Desk, approval_id: str, word: str) -> None:
    words = [*PROGRAM, "approvals", "resolve", approval_id, word, "--reason", "seen"]
    program = await asyncio.create_subprocess_exec(*words, env=desk.environ, stdout=-1, stderr=-1)
    out, err = await soon(program.communicate())
    assert program.returncode == 0, (out, err)


# Nobody answers


@pytest.mark.parametrize("version", ERAS)
@pytest.mark.parametrize("tool", ["exec_command", "apply_patch"])
def test_client_that_cannot_ask_is_refused_at_once_with_the_reason(desk: Desk, version: str, tool: str) -> None:
    patch = f"*** Begin Patch\n*** Add File: {desk.outside}\n+new\n*** End Patch\n"

    async def work() -> None:
        async with connected(desk.untrusting(), version, capabilities={}) as wire:
            result = await wire.result(tool, INITIAL if tool == "exec_command" else {"input": patch})
            assert result["isError"] is True
            for words in ("cannot be asked", "`mcp`", "--wait-for-approvals"):
                assert words in text_of(result)

    run(work())
    assert (desk.runs, lines_in(desk.outside)) == (0, 0)


@pytest.mark.parametrize("version", ERAS)
def test_client_that_cannot_ask_is_told_why_nothing_more_was_given(desk: Desk, version: str) -> None:
    async def work() -> None:
        async with connected(desk.server(), version, capabilities={}) as wire:
            result = await wire.result("exec_command", desk.stray())
            assert result["structuredContent"]["exit_code"] == 1
            refused, notice = result["structuredContent"]["notices"]
            assert refused.startswith("the sandbox refused: ")
            assert "cannot be asked" in notice
            assert notice in text_of(result)

    run(work())
    assert lines_in(desk.outside) == 0


@pytest.mark.parametrize("version", ERAS)
def test_silence_is_a_no_that_says_so(desk: Desk, version: str) -> None:
    """Required: neither approved nor blamed on the user, and a late yes changes nothing."""

    async def work() -> None:
        async with connected(desk.untrusting(timeout_s=0.3), version) as wire:
            call = await wire.call("exec_command", INITIAL)
            await call.asked()
            question = (await one_question(desk)).approval_id
            if version == MODERN:
                await until_answered(desk, question)
                await call.choose("approve")
            text = await call.text()
            assert "nobody answered within 0.3 seconds" in text
            assert "user" not in text
            if version == LEGACY:
                await call.choose("approve")
            standing = desk.ledger.resolution(question)
            assert standing is not None
            assert (standing.decision, standing.by) == ("deny", "timeout")
            await wire.result("exec_list", {})

    run(work())
    assert desk.runs == 0


async def until_answered(desk: Desk, approval_id: str) -> None:
    async with asyncio.timeout(30):
        while desk.ledger.resolution(approval_id) is None:
            await asyncio.to_thread(_look_away)


# Cancelling


async def states(wire: Wire) -> set[str]:
    """What the commands of the session are doing."""
    listed = (await wire.result("exec_list", {}))["structuredContent"]["commands"]
    return {each["state"] for each in listed}


@pytest.mark.parametrize("version", ERAS)
def test_cancelled_call_ends_its_command_and_is_not_answered(desk: Desk, version: str) -> None:
    mark, begun = mark_of(desk), desk.place.repo / "begun"

    async def work() -> None:
        async with connected(desk.server(), version) as wire:
            call = await wire.call("exec_command", {"cmd": f"echo > begun; sleep {mark}", "login": False})
            await until_written(begun)
            await call.cancel()
            async with asyncio.timeout(30):
                while left_of(mark):
                    await asyncio.to_thread(_look_away)
            async with asyncio.timeout(30):
                while await states(wire) - {"exited"}:
                    pass
            assert wire.answers_to(call.id) == 0

    run(work())


def test_cancelled_while_asked_is_a_no_for_good(desk: Desk) -> None:
    async def work() -> None:
        async with connected(desk.untrusting(), LEGACY) as wire:
            call = await wire.call("exec_command", INITIAL)
            await call.asked()
            question = (await one_question(desk)).approval_id
            await call.cancel()
            await until_answered(desk, question)
            await call.choose("approve")
            await wire.result("exec_list", {})
            assert wire.answers_to(call.id) == 0
            standing = desk.ledger.resolution(question)
            assert standing is not None
            assert (standing.decision, standing.by) == ("deny", "withdrawn")

    run(work())
    assert desk.runs == 0


@pytest.mark.parametrize("version", ERAS)
def test_cancelled_while_it_waits_for_another_terminal_is_a_no_for_good(desk: Desk, version: str) -> None:
    async def work() -> None:
        async with connected(desk.untrusting(waits_elsewhere=True), version, capabilities={}) as wire:
            call = await wire.call("exec_command", INITIAL)
            question = (await one_question(desk)).approval_id
            await call.cancel()
            await until_answered(desk, question)
            await wire.result("exec_list", {})
            assert wire.answers_to(call.id) == 0

    run(work())
    assert desk.runs == 0


# Progress


def test_progress_says_what_is_waited_for(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calling, "PROGRESS_EVERY_S", 0.05)

    async def work() -> None:
        async with connected(desk.untrusting(), LEGACY) as wire:
            call = await wire.call("exec_command", INITIAL, _meta={"progressToken": "mine"})
            await call.asked()
            question = await one_question(desk)
            told = ""
            while told != f"waiting for approval {question.approval_id}":  # before it was asked, it ran
                assert told in ("", "running")
                told = (await soon(wire.told.get()))["params"]["message"]
            await call.choose("deny")
            await call.result()

    run(work())


@pytest.mark.parametrize("version", ERAS)
def test_progress_of_a_running_command_counts_up_and_ends_with_the_call(
    desk: Desk, version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calling, "PROGRESS_EVERY_S", 0.05)
    gate = desk.place.repo / "gate"

    async def work() -> None:
        async with connected(desk.server(), version) as wire:
            cmd = {"cmd": "until [ -e gate ]; do sleep 0.01; done", "login": False}
            call = await wire.call("exec_command", cmd, _meta={"progressToken": 7})
            told = [(await soon(wire.told.get()))["params"] for _ in range(3)]
            gate.touch()
            await call.result()
            assert [each["progressToken"] for each in told] == [7, 7, 7]
            assert [each["message"] for each in told] == 3 * ["running"]
            passed = [each["progress"] for each in told]
            assert passed == sorted(passed)
            assert passed[-1] > 0
            order = [each.get("method", "answer") for each in wire.received]
            assert order[-1] == "answer"
            # Without a token nothing is told, however long it takes.
            await wire.result("write_stdin", {"session_id": await live(wire), "yield_time_ms": 300, "chars": "x"})
            assert [each for each in wire.received[len(order) :] if "method" in each] == []

    run(work())


async def live(wire: Wire) -> int:
    """The number of a command that goes on."""
    arguments = {"cmd": "exec tail -f /dev/null", "tty": True, "login": False, "yield_time_ms": 250}
    return int((await wire.result("exec_command", arguments))["structuredContent"]["session_id"])


def test_official_client_hears_of_a_call_longer_than_a_second(desk: Desk) -> None:
    """The real pace, once, with the official client in both eras side by side."""
    heard: dict[str, list[str | None]] = {"legacy": [], "auto": []}

    async def one(mode: str) -> None:
        gate = f"gate-{mode}"

        async def hear(progress: float, total: float | None, message: str | None) -> None:
            assert (progress > 0, total) == (True, None)
            heard[mode].append(message)
            (desk.place.repo / gate).touch()

        async with Client(streams_to(desk.server()), mode=mode) as client:
            cmd = {"cmd": f"until [ -e {gate} ]; do sleep 0.01; done", "login": False}
            await client.call_tool("exec_command", cmd, progress_callback=hear)

    async def work() -> None:
        await asyncio.gather(one("legacy"), one("auto"))

    run(work())
    assert all(messages and set(messages) == {"running"} for messages in heard.values())


# Errors of ours

SECRET = "hunter2"
NUMBERED = re.compile(r"Sandgate failed on this call \(number ([0-9a-f]{6})\); the server's log says more")


def failing(*_arguments: object, **_more: object) -> Any:
    raise RuntimeError(SECRET)


BROKEN = {
    "the tool": (Toolbox, "call"),
    "the session": (sys.modules["sandgate.surfaces.mcp.sessions"], "open_server_gate"),
    "the way to the tool": (calling, "_call_of"),
    "the name of the call": (sys.modules["sandgate.surfaces.mcp.sessions"], "ServedCall"),
    "the question": (calling, "can_ask"),
}


@pytest.mark.parametrize("version", ERAS)
@pytest.mark.parametrize("part", BROKEN)
def test_error_of_ours_is_a_number_on_the_wire_and_its_text_only_in_the_log(
    desk: Desk, version: str, part: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    server = desk.untrusting()
    monkeypatch.setattr(*BROKEN[part], failing)

    async def work() -> str:
        async with connected(server, version) as wire:
            call = await wire.call("exec_command", INITIAL)
            result = await call.result()
            assert SECRET not in json.dumps(wire.received)
            assert result["isError"] is True
            return text_of(result)

    found = NUMBERED.fullmatch(run(work()))
    assert found is not None
    out, err = capfd.readouterr()
    assert (out, f"internal error {found[1]}" in err, SECRET in err) == ("", True, True)
    assert desk.runs == 0


@pytest.mark.parametrize("mode", MODES)
def test_official_client_sees_no_text_of_an_error_of_ours(
    desk: Desk, mode: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Toolbox, "call", failing)

    async def work() -> None:
        async with Client(desk.server(), mode=mode) as client:
            answer = await client.call_tool("exec_command", INITIAL)
            assert answer.is_error is True
            assert SECRET not in answer.model_dump_json()

    run(work())
    assert SECRET in capfd.readouterr().err


@pytest.mark.parametrize("version", ERAS)
def test_question_that_cannot_be_kept_is_not_asked_and_tells_no_text(
    desk: Desk, version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error of ours while a question is put down is a no."""
    monkeypatch.setattr("sandgate.serving.inbox.form_of", failing)

    async def work() -> None:
        async with connected(desk.untrusting(), version) as wire:
            result = await wire.result("exec_command", INITIAL)
            assert result["isError"] is True
            assert SECRET not in json.dumps(wire.received)

    run(work())
    assert desk.runs == 0


@pytest.mark.parametrize("version", ERAS)
def test_answer_that_cannot_be_kept_is_a_no_and_not_asked_for_again(
    desk: Desk, version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Required: a full disk must not end in asking for ever, nor in an approval that no record shows."""
    from sandgate.errors import ApprovalsUnusable

    def full(*_arguments: object) -> bool:
        raise ApprovalsUnusable("the disk is full")

    async def work() -> None:
        async with connected(desk.untrusting(), version) as wire:
            call = await wire.call("exec_command", INITIAL)
            await call.asked()
            with monkeypatch.context() as broken:
                broken.setattr(private_files, "written_once", full)
                await call.choose("approve")
                assert (await call.result())["isError"] is True
            question = await one_question(desk)  # nothing could be said about it on the disk
            desk.ledger.resolve(question.approval_id, "deny", by="terminal", digest=question.digest)

    run(work())
    assert desk.runs == 0


# Many calls

MANY = 200 if full() else 80  # more than the 64 live commands of a session


@pytest.mark.slow
@pytest.mark.parametrize("version", ERAS)
def test_many_calls_at_once_are_all_answered(desk: Desk, version: str) -> None:
    """Required: whole, though more live at the same time than may stay open."""

    async def work() -> None:
        async with connected(desk.server(), version) as wire:
            calls = [
                await wire.call(
                    "exec_command", {"cmd": f"sleep 1; echo so {number}", "login": False, "yield_time_ms": 30_000}
                )
                for number in range(MANY)
            ]
            for number, call in enumerate(calls):
                told = (await call.result())["structuredContent"]
                assert (told["exit_code"], told["output"]) == (0, f"so {number}\n")
                assert wire.answers_to(call.id) == 1

    run(work(), limit_s=120)


@pytest.mark.parametrize("version", ERAS)
def test_many_questions_at_once_are_all_answered(desk: Desk, version: str) -> None:
    async def work() -> None:
        async with connected(desk.untrusting(), version) as wire:
            calls = [
                await wire.call("exec_command", {"cmd": f"echo {number} >> runs", "login": False})
                for number in range(MANY)
            ]
            for call in calls:
                await call.asked()
            for call in calls:
                await call.choose("deny")
            for call in calls:
                assert (await call.result())["isError"] is True

    run(work(), limit_s=120)
    assert desk.runs == 0


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["ask", "live", "list", "approve", "deny", "cancel", "elsewhere", "malformed", "turn"]),
        st.integers(0, 7),
    ),
    min_size=1,
    max_size=14,
)


@pytest.mark.slow
@pytest.mark.parametrize("version", ERAS)
@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(steps=STEPS, drops=st.booleans())
def test_no_call_is_left_without_its_answer_whatever_happens_when(
    tmp_path_factory: pytest.TempPathFactory, version: str, steps: list[tuple[str, int]], drops: bool
) -> None:
    """Required: one answer for each request, none for what the client cancelled, and nothing left in the end."""
    place = Workplace(tmp_path_factory.mktemp("steps"))
    desk = Desk(place)
    mark = mark_of(place)

    async def work() -> None:
        async with connected(desk.untrusting(), version) as wire:
            story = Story(desk, wire, mark)
            for deed, which in steps:
                await story.tell(deed, which)
            if drops:
                await wire.drop()
            else:
                await story.finish()
            for call_id, cancelled in story.requests.items():
                answers = wire.answers_to(call_id)
                assert answers <= 1
                assert answers == 1 or cancelled or drops

    run(work())
    place.close()
    assert left_of(mark) == 0
    assert desk.ledger.pending() == ()
    desk.ledger.close()


class Story:
    """What a client does, in any order; and the answers it has yet to get."""

    def __init__(self, desk: Desk, wire: Wire, mark: str) -> None:
        self.desk, self.wire, self.mark = desk, wire, mark
        self.calls: list[Any] = []
        self.requests: dict[int, bool] = {}  # every request, and whether the client cancelled it

    async def tell(self, deed: str, which: int) -> None:
        call = self.calls[which % len(self.calls)] if self.calls else None
        match deed:
            case "ask":
                await self.begin("exec_command", {"cmd": f"echo {len(self.calls)} >> runs", "login": False})
            case "live":
                await self.begin("exec_command", {"cmd": "cat /dev/null", "login": False, "yield_time_ms": 250})
            case "list":
                await self.begin("exec_list", {})
            case "turn":
                await self.wire.result("exec_list", {})
                self.requests[self.wire._next_id] = False
            case "cancel" if call is not None and not call.response.done():
                self.requests[call.id] = True
                await call.cancel()
            case "elsewhere":
                for question in self.desk.ledger.pending()[:1]:
                    self.desk.ledger.resolve(question.approval_id, "approve", by="terminal", digest=question.digest)
            case "approve" | "deny" | "malformed" if call is not None:
                await self.say(call, {"approve": "approve", "deny": "deny"}.get(deed, "what?"))
            case _:
                return

    async def begin(self, tool: str, arguments: Json) -> None:
        call = await self.wire.call(tool, arguments)
        self.calls.append(call)
        self.requests[call.id] = False

    async def say(self, call: Any, word: str) -> None:
        """An answer, if the call asks right now; also to one that is over, or was cancelled meanwhile."""
        if self.wire.modern:
            result = call.response.result().get("result", {}) if call.response.done() else {}
            if result.get("resultType") != "input_required":
                return
            call.state = result["requestState"]
        else:
            waiting = self.wire.questions_of(call.id)
            if waiting.empty():
                return
            call.question = waiting.get_nowait()
        await call.choose(word)
        self.requests[call.id] = self.requests.get(call.id, False)

    async def finish(self) -> None:
        """Every question that is still open gets its answer."""
        for call in self.calls:
            while not self.requests[call.id]:
                if self.wire.modern:
                    message = await call.outcome()
                    if message.get("result", {}).get("resultType") != "input_required":
                        break
                    await self.say(call, "deny")
                    continue
                coming = asyncio.ensure_future(self.wire.questions_of(call.id).get())
                await soon(asyncio.wait((coming, call.response), return_when=asyncio.FIRST_COMPLETED))
                if call.response.done():
                    coming.cancel()
                    break
                call.question = coming.result()
                await call.choose("deny")
