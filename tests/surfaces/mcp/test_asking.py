"""Questions reach the client in both eras, and every answer, also a broken one, has one meaning: never more than said.

What an approval allowed is counted by a file to which the command itself adds a line.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest
from mcp import Client
from mcp_types import ElicitRequestFormParams, ElicitResult

from sandgate.surfaces.mcp import clients
from sandgate.surfaces.mcp.asking import FIELDS, NO_ANSWER, REFUSED
from sandgate.surfaces.mcp.form import EXPLICIT, MALFORMED, NOT_A_CHOICE
from sandgate.surfaces.mcp.sessions import USED_UP
from support.mcp.mcp_wire import (
    ASKABLE,
    ERAS,
    INITIAL,
    KEY,
    LEGACY,
    MODERN,
    Desk,
    ToolCall,
    connected,
    lines_in,
    run,
    soon,
    text_of,
)
from support.model.responses_server import ResponsesServer, assesses

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from support.mcp.mcp_wire import Json, Wire

pytestmark = pytest.mark.host("namespace", "notify")

MODES = ["legacy", "auto", MODERN]  # of the official client
STALE = {"code": -32602, "message": "Invalid or expired requestState", "data": {"reason": "invalid_request_state"}}


def accept(**content: str) -> Json:
    return {"action": "accept", "content": content}


@asynccontextmanager
async def asked(desk: Desk, version: str, arguments: Json = INITIAL) -> AsyncIterator[tuple[Wire, ToolCall]]:
    """A call that waits for an answer."""
    async with connected(desk.untrusting(), version) as wire:
        call = await wire.call("exec_command", arguments)
        await call.asked()
        yield wire, call


# With the official client


@pytest.mark.parametrize("mode", MODES)
def test_official_client_is_asked_before_and_after_one_call(desk: Desk, mode: str) -> None:
    forms: list[ElicitRequestFormParams] = []

    async def person(_context: object, params: Any) -> ElicitResult:
        forms.append(params)
        return ElicitResult(action="accept", content={"decision": "approve"})

    async def work() -> None:
        async with Client(desk.untrusting(), mode=mode, elicitation_callback=person) as client:  # type: ignore[arg-type]
            answer = await client.call_tool("exec_command", desk.stray())
            assert answer.structured_content is not None
            assert (answer.is_error, answer.structured_content["exit_code"]) == (False, 0)

    run(work())
    assert ["Wants:" in form.message for form in forms] == [False, True]
    assert lines_in(desk.outside) == 1


@pytest.mark.parametrize("mode", MODES)
def test_official_client_that_fails_while_it_asks_has_not_approved(desk: Desk, mode: str) -> None:
    async def person(_context: object, _params: Any) -> ElicitResult:
        raise RuntimeError("no window")

    async def work() -> None:
        async with Client(desk.untrusting(), mode=mode, elicitation_callback=person) as client:  # type: ignore[arg-type]
            await client.call_tool("exec_command", INITIAL)

    if mode == "legacy":
        run(work())
    else:
        with pytest.raises(BaseExceptionGroup) as raised:
            run(work())
        assert raised.group_contains(RuntimeError, match="no window")
    assert desk.runs == 0


# What is on the wire


def test_fields_of_the_lineage_are_on_the_wire_in_both_eras(desk: Desk) -> None:
    """Required: `codex_risk` and the rest reach programs that read the raw message, wherever their SDK keeps extras."""
    seen: dict[str, Json] = {}

    async def work() -> None:
        for version in (LEGACY, MODERN):
            async with connected(desk.untrusting(), version) as wire:
                call = await wire.call("exec_command", INITIAL)
                seen[version] = await call.asked()
                if version == MODERN:
                    meta = call.question["result"]["_meta"][FIELDS]
                    assert {name: seen[version][name] for name in meta} == meta
                    assert "codex_risk" in meta
                assert seen[version]["codex_mcp_tool_call_id"] == str(call.id)
                await call.choose("deny")
                await call.result()

    run(work())
    own = {"codex_mcp_tool_call_id", "codex_event_id", "codex_call_id", "sandgate_approval_id", "sandgate_expires_at"}
    old, new = ({name: value for name, value in form.items() if name not in own} for form in seen.values())
    assert old == new
    assert own < seen[LEGACY].keys() == seen[MODERN].keys()


@pytest.mark.parametrize("version", ERAS)
def test_each_form_of_a_call_carries_the_models_words_about_the_risk(desk: Desk, version: str) -> None:
    """Required: the first one, and the one in the middle of the run, each an answer of its own in the later era."""
    words = "Writes where nobody looks."
    advised = (
        "assessment.provider=test",
        "assessment.model=small",
        "assessment.when=all",
        "assessment.timeout_ms=15000",
        "assessment.form_wait_ms=15000",
        "features.experimental_sandbox_command_assessment=true",
    )

    async def work(url: str) -> None:
        async with connected(desk.untrusting(f"model_providers.test.base_url={url}", *advised), version) as wire:
            call = await wire.call("exec_command", desk.stray())
            stages = []
            for _ in range(2):
                form = await call.asked()
                stages.append(form["sandgate_stage"])
                assert (words in form["message"], form["codex_risk"]["risk_level"]) == (True, "high")
                assert form["codex_risk"]["risk_categories"] == ["system_modification"]
                await call.choose("approve")
            assert stages == ["initial", "held"]
            assert (await call.result())["structuredContent"]["exit_code"] == 0

    with ResponsesServer(assesses("high", words, ["system_modification"])) as server:
        run(work(server.url))
    assert lines_in(desk.outside) == 1


def test_state_says_nothing_to_the_client(desk: Desk) -> None:
    async def work() -> None:
        async with asked(desk, MODERN) as (_wire, call):
            approval_id = desk.ledger.pending()[0].approval_id
            assert approval_id not in call.state
            await call.choose("deny")
            await call.result()

    run(work())


# Answers


@pytest.mark.parametrize("version", ERAS)
@pytest.mark.parametrize(
    "answer",
    [
        accept(decision="approve"),
        accept(decision="approved"),
        {"action": "accept"},
        accept(),
        {"decision": "approved"},
        {"decision": "approve"},
    ],
    ids=json.dumps,
)
def test_yes_runs_it_once(desk: Desk, version: str, answer: Json) -> None:
    async def work() -> None:
        async with asked(desk, version) as (wire, call):
            assert desk.runs == 0
            await call.answer(answer)
            result = await call.result()
            assert (result["isError"], result["structuredContent"]["exit_code"]) == (False, 0)
            again = await wire.call("exec_command", INITIAL)
            await again.asked()  # once was once
            await again.choose("deny")
            await again.result()

    run(work())
    assert desk.runs == 1


@pytest.mark.parametrize("version", ERAS)
@pytest.mark.parametrize("answer", [accept(decision="approve-session"), {"decision": "approved_for_session"}], ids=str)
def test_yes_for_the_session_is_not_asked_again(desk: Desk, version: str, answer: Json) -> None:
    async def work() -> None:
        async with asked(desk, version) as (wire, call):
            await call.answer(answer)
            await call.result()
            await wire.result("exec_command", INITIAL)
            other = await wire.call("exec_command", {**INITIAL, "cmd": f"{INITIAL['cmd']} # other"})
            await other.asked()
            await other.choose("deny")
            await other.result()

    run(work())
    assert desk.runs == 2


@pytest.mark.parametrize("version", ERAS)
@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (accept(decision="deny"), "rejected"),
        (accept(decision="deny", reason="not on a Sunday"), "not on a Sunday"),
        ({"decision": "denied"}, "rejected"),
        (accept(decision="abort"), "rejected"),
        ({"action": "decline"}, "rejected"),
        ({"action": "cancel"}, "rejected"),
        (accept(decision="yes please"), NOT_A_CHOICE),
        (accept(decision="approve-unsandboxed"), NOT_A_CHOICE),  # not offered before anything was denied
        ({"decision": "timed_out"}, NOT_A_CHOICE),
    ],
    ids=str,
)
def test_anything_but_a_yes_runs_nothing_and_says_why(
    desk: Desk, version: str, answer: Json, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clients, "REACTION_S", 0.0)  # a person answers here

    async def work() -> None:
        async with asked(desk, version) as (_wire, call):
            await call.answer(answer)
            result = await call.result()
            assert result["isError"] is True
            assert words in text_of(result)
            assert words in result["structuredContent"]["refused"]

    run(work())
    assert desk.runs == 0


MALFORMED_ANSWERS: list[object] = [
    {},
    {"action": "yes"},
    {"action": "accept", "content": "approve"},
    {"action": "accept", "content": ["approve"]},
    {"action": "accept", "content": {"decision": {"approve": True}}},
    {"action": True},
    {"decision": {"approved": 1}},
    {"action": "accept", "content": {"decision": "approve" * 100_000}},
]


@pytest.mark.parametrize("answer", MALFORMED_ANSWERS, ids=lambda answer: json.dumps(answer)[:40])
def test_malformed_answer_is_a_no(desk: Desk, answer: object) -> None:
    async def work() -> None:
        async with asked(desk, LEGACY) as (_wire, call):
            await call.answer(answer)
            assert await call.text() in (MALFORMED, NOT_A_CHOICE)

    run(work())
    assert desk.runs == 0


@pytest.mark.parametrize(
    "answer", [*MALFORMED_ANSWERS, None, "approve", 7, ["approve"]], ids=lambda a: json.dumps(a)[:40]
)
def test_malformed_answer_of_a_client_that_calls_again_is_no_yes(desk: Desk, answer: object) -> None:
    """What does not fit the protocol's types is an error, and the question stays open; the rest is a no."""

    async def work() -> None:
        async with asked(desk, MODERN) as (_wire, call):
            await call.answer(answer)
            outcome = await call.outcome()
            if "error" in outcome:
                assert outcome["error"]["code"] == -32602
                assert "approve" not in json.dumps(outcome["error"])
                await call.choose("deny")
                outcome = await call.outcome()
            assert outcome["result"]["isError"] is True

    run(work())
    assert desk.runs == 0


def test_error_as_the_answer_is_a_no(desk: Desk) -> None:
    async def work() -> None:
        async with asked(desk, LEGACY) as (wire, call):
            await wire.send({"id": call.question["id"], "error": {"code": -32603, "message": "no window"}})
            assert await call.text() == REFUSED

    run(work())
    assert desk.runs == 0


@pytest.mark.parametrize("version", ERAS)
def test_high_risk_takes_more_than_an_accepted_form(desk: Desk, version: str) -> None:
    (desk.place.home / "kept").write_text("here")

    async def work() -> None:
        async with asked(desk, version, {"cmd": "rm -rf ~", "login": False}) as (_wire, call):
            await call.answer({"action": "accept"})
            assert await call.text() == EXPLICIT

    run(work())
    assert (desk.place.home / "kept").exists()


@pytest.mark.parametrize("version", ERAS)
def test_client_that_dies_while_it_is_asked_has_refused(desk: Desk, version: str) -> None:
    async def work() -> None:
        async with asked(desk, version) as (wire, _call):
            await wire.drop()

    run(work())
    assert desk.runs == 0
    (record,) = desk.ledger.survey()[0]
    standing = desk.ledger.resolution(record)
    assert standing is not None
    assert (standing.decision, standing.by in ("withdrawn", "client")) == ("deny", True)


# After a denial


@pytest.mark.parametrize("version", ERAS)
def test_smallest_grant_opens_what_was_denied_and_no_more(desk: Desk, version: str) -> None:
    other = f"{desk.place.outside}/beside"
    cmd = f"echo stray >> {desk.outside}; [ -s {desk.outside} ] && echo more >> {other}"

    async def work() -> None:
        async with connected(desk.server(), version) as wire:
            call = await wire.call("exec_command", {"cmd": cmd, "login": False})
            await call.asked()
            await call.choose("approve")
            further = await call.asked()  # nobody was shown what the second line needs
            assert [grant["value"] for grant in further["sandgate_grants"]] == [other]
            await call.choose("deny")
            assert (await call.result())["structuredContent"]["exit_code"] == 1

    run(work())
    assert lines_in(desk.outside) == 1
    assert lines_in(other) == 0


@pytest.mark.parametrize("version", ERAS)
def test_yes_without_the_sandbox_runs_without_it(desk: Desk, version: str) -> None:
    other = f"{desk.outside}-too"
    cmd = f"echo stray >> {desk.outside} && echo more >> {other}"

    async def work() -> None:
        async with connected(desk.server("sandbox.ask=after"), version) as wire:
            call = await wire.call("exec_command", {"cmd": cmd, "login": False})
            await call.asked()
            await call.choose("approve-unsandboxed")
            assert (await call.result())["structuredContent"]["exit_code"] == 0

    run(work())
    assert (lines_in(desk.outside), lines_in(other)) == (1, 1)


@pytest.mark.parametrize("version", ERAS)
def test_no_after_a_denial_keeps_the_result_and_tells_why(desk: Desk, version: str) -> None:
    async def work() -> None:
        async with connected(desk.server(), version) as wire:
            call = await wire.call("exec_command", desk.stray())
            await call.asked()
            await call.choose("deny", reason="leave that place alone")
            result = await call.result()
            assert "leave that place alone" in text_of(result)
            assert result["structuredContent"]["exit_code"] == 1
            assert result["structuredContent"]["denials"][0]["path"] == desk.outside

    run(work())
    assert lines_in(desk.outside) == 0


# A client that calls again


def test_calling_again_without_an_answer_is_a_no(desk: Desk) -> None:
    async def work() -> None:
        async with asked(desk, MODERN) as (_wire, call):
            await call.begin({"requestState": call.state})
            assert await call.text() == NO_ANSWER

    run(work())
    assert desk.runs == 0


def test_answer_under_another_key_is_a_no(desk: Desk) -> None:
    async def work() -> None:
        async with asked(desk, MODERN) as (_wire, call):
            await call.begin({"requestState": call.state, "inputResponses": {"other": accept(decision="approve")}})
            assert await call.text() == NO_ANSWER

    run(work())
    assert desk.runs == 0


def test_answer_without_state_is_a_call_like_any_other(desk: Desk) -> None:
    async def work() -> None:
        async with connected(desk.untrusting(), MODERN) as wire:
            call = await wire.call("exec_command", INITIAL, inputResponses={KEY: accept(decision="approve")})
            await call.asked()
            await call.choose("deny")
            await call.result()

    run(work())
    assert desk.runs == 0


def tampered(state: str) -> str:
    middle = len(state) // 2
    return state[:middle] + ("A" if state[middle] != "A" else "B") + state[middle + 1 :]


@pytest.mark.parametrize(
    "forge",
    [tampered, lambda _state: "v1.AAAA", lambda _state: "", lambda state: state + "A", lambda state: state[3:]],
    ids=["tampered", "made up", "empty", "longer", "no version"],
)
def test_state_that_is_not_ours_is_refused_and_the_question_stays(desk: Desk, forge: Any) -> None:
    async def work() -> None:
        async with asked(desk, MODERN) as (_wire, call):
            state, call.state = call.state, forge(call.state)
            await call.choose("approve")
            assert (await call.outcome())["error"] == STALE
            assert desk.runs == 0
            call.state = state
            await call.choose("approve")
            await call.result()

    run(work())
    assert desk.runs == 1


def test_name_of_an_approval_is_no_state(desk: Desk) -> None:
    async def work() -> None:
        async with asked(desk, MODERN) as (_wire, call):
            call.state = desk.ledger.pending()[0].approval_id
            await call.choose("approve")
            assert (await call.outcome())["error"] == STALE

    run(work())
    assert desk.runs == 0


def test_state_of_other_arguments_is_refused(desk: Desk) -> None:
    """Required: who approved one command has not approved another."""

    async def work() -> None:
        async with asked(desk, MODERN) as (wire, call):
            for tool, arguments in (
                ("exec_command", {**INITIAL, "cmd": f"echo other >> {desk.outside}"}),
                ("exec_command", {**INITIAL, "tty": True}),
                ("check_command", INITIAL),
            ):
                other = ToolCall(wire, tool, arguments, {})
                other.state = call.state
                await other.choose("approve")
                assert (await other.outcome())["error"] == STALE

    run(work())
    assert (desk.runs, lines_in(desk.outside)) == (0, 0)


def test_expired_state_is_refused(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    class Later:
        time = staticmethod(lambda: time.time() + 3600)

    async def work() -> None:
        async with asked(desk, MODERN) as (_wire, call):
            monkeypatch.setattr("mcp.server.request_state.time", Later)
            await call.choose("approve")
            assert (await call.outcome())["error"] == STALE

    run(work())
    assert desk.runs == 0


def test_state_lives_as_long_as_its_question(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The SDK's own limit is ten minutes; who gave people an hour must not lose their answers after ten minutes."""
    import time

    class Later:
        time = staticmethod(lambda: time.time() + 3500)

    async def work() -> None:
        async with connected(desk.untrusting(timeout_s=3600.0), MODERN) as wire:
            call = await wire.call("exec_command", INITIAL)
            await call.asked()
            monkeypatch.setattr("mcp.server.request_state.time", Later)
            await call.choose("approve")
            await call.result()

    run(work())
    assert desk.runs == 1


@pytest.mark.parametrize("choice", ["approve", "approve-session"])
def test_same_state_once_more_runs_nothing(desk: Desk, choice: str) -> None:
    """Required: a client that repeats a request, as networks make them do, has not asked for it twice."""

    async def work() -> None:
        async with asked(desk, MODERN) as (_wire, call):
            state = call.state
            await call.choose(choice)
            await call.result()
            call.state = state
            await call.choose(choice)
            result = await call.result()
            assert (result["isError"], text_of(result)) == (True, USED_UP)

    run(work())
    assert desk.runs == 1


@pytest.mark.parametrize("choice", ["approve", "approve-session"])
def test_same_state_many_times_at_the_same_moment_runs_once(desk: Desk, choice: str) -> None:
    async def work() -> None:
        async with asked(desk, MODERN) as (wire, call):
            again = [ToolCall(wire, "exec_command", INITIAL, {}) for _ in range(8)]
            for each in again:
                each.state = call.state
            await soon(asyncio.gather(*(each.choose(choice) for each in again)))
            results = await soon(asyncio.gather(*(each.result() for each in again)))
            assert sorted(result["isError"] for result in results) == [False] + 7 * [True]

    run(work())
    assert desk.runs == 1


def test_state_after_a_denial_runs_once_more_at_most(desk: Desk) -> None:
    async def work() -> None:
        async with connected(desk.server(), MODERN) as wire:
            call = await wire.call("exec_command", desk.stray())
            await call.asked()
            state = call.state
            await call.choose("approve")
            await call.result()
            call.state = state
            await call.choose("approve")
            assert (await call.result())["isError"] is True

    run(work())
    assert lines_in(desk.outside) == 1


# Who can be asked


@pytest.mark.parametrize("version", ERAS)
@pytest.mark.parametrize(
    ("capabilities", "askable"),
    [
        (ASKABLE, True),
        ({"elicitation": {}}, True),
        ({"elicitation": {"form": {}, "url": {}}}, True),
        ({"elicitation": {"url": {}}}, False),
        ({}, False),
    ],
    ids=str,
)
def test_only_a_client_that_shows_forms_is_asked(desk: Desk, version: str, capabilities: Json, askable: bool) -> None:
    async def work() -> None:
        async with connected(desk.untrusting(), version, capabilities=capabilities) as wire:
            call = await wire.call("exec_command", INITIAL)
            if askable:
                await call.asked()
                await call.choose("approve")
                await call.result()
            else:
                result = await call.result()
                assert result["isError"] is True
                assert "cannot be asked" in text_of(result)
                assert "sandgate approvals" in text_of(result)

    run(work())
    assert desk.runs == askable


@pytest.mark.parametrize("version", ERAS)
def test_a_notification_by_the_name_of_a_call_calls_nothing(
    version: str, desk: Desk, caplog: pytest.LogCaptureFixture
) -> None:
    """Nobody waits for an answer to it; it is passed over, also with a state that nobody could unseal."""

    async def notify() -> None:
        async with connected(desk.server(), version) as wire:
            await wire.notify("tools/call", {"name": "exec_command", "arguments": INITIAL, "requestState": "v1.AAAA"})
            await wire.notify("tools/call", {"name": "exec_command", "arguments": INITIAL})
            assert (await wire.result("exec_list", {}))["structuredContent"] == {"commands": []}

    run(notify())
    assert desk.runs == 0
    assert "raised" not in caplog.text


@pytest.mark.parametrize("choice", ["approve", "approve-session"])
def test_a_yes_for_the_session_after_a_failure_is_for_another_command_too(desk: Desk, choice: str) -> None:
    async def work() -> None:
        async with connected(desk.server("sandbox.ask=after"), MODERN) as wire:
            call = await wire.call("exec_command", desk.stray())
            await call.asked()
            await call.choose(choice)
            await call.result()
            another = await wire.call("exec_command", {"cmd": f"printf 'other\\n' >> {desk.outside}", "login": False})
            if choice == "approve":
                await another.asked()
                await another.choose("deny")
            await another.result()

    run(work())
    assert lines_in(desk.outside) == (1 if choice == "approve" else 2)
