"""What only a person can have said is told as a person's word; the rest is "nobody could be asked"."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from sandgate.surfaces.mcp import clients
from sandgate.surfaces.mcp.clients import CHOOSERS, automatic_actions, is_unseen, shows_choices, turned_down
from support.mcp.mcp_wire import BUTTONS_ONLY, ERAS, INITIAL, LEGACY, PROGRAM, Desk, connected, run, text_of
from support.process.waiting import LIMIT_S

if TYPE_CHECKING:
    from support.mcp.mcp_wire import Json

real = pytest.mark.host("namespace", "notify")

DECLINE, CANCEL, ACCEPT = {"action": "decline"}, {"action": "cancel"}, {"action": "accept", "content": {}}
READING_S = 1.0
EXEC = {"x-codex-turn-metadata": {"turn_trigger": "exec"}}
PRINTS = {"CLAUDE_CODE_ENTRYPOINT": "sdk-cli"}


def context(name: str, meta: Json | None = None) -> Any:
    """A request of that client."""
    told = SimpleNamespace(client_info=SimpleNamespace(name=name))
    return SimpleNamespace(session=SimpleNamespace(client_params=told), meta=meta)


@pytest.mark.parametrize("answer", [DECLINE, CANCEL])
@pytest.mark.parametrize(
    ("waited_s", "by_itself", "unseen"),
    [
        (0.0, (), True),
        (0.099, (), True),
        (0.1, (), False),
        (READING_S, (), False),
        (READING_S, ("decline", "cancel"), True),
    ],
)
def test_a_no_that_is_too_quick_or_from_a_client_without_a_person_is_nobodys(
    answer: Json, waited_s: float, by_itself: tuple[str, ...], unseen: bool
) -> None:
    assert is_unseen(answer, waited_s, by_itself) is unseen


@pytest.mark.parametrize("answer", [ACCEPT, {"decision": "denied"}, {"action": 1}, None, "decline", ["decline"]])
def test_other_answers_are_never_taken_for_nobodys(answer: object) -> None:
    """A quick yes is a hook's or a program's, and counts as ever; what is malformed stays a no."""
    assert not is_unseen(answer, 0.0, ("decline", "cancel"))


@pytest.mark.parametrize(
    ("name", "meta", "environ", "actions"),
    [
        ("codex-mcp-client", EXEC, {}, ("decline", "cancel")),
        ("codex-mcp-client", {"x-codex-turn-metadata": '{"turn_trigger": "exec"}'}, {}, ("decline", "cancel")),
        ("codex-mcp-client", {"x-codex-turn-metadata": {"turn_trigger": "user"}}, {}, ()),
        ("codex-mcp-client", {"x-codex-turn-metadata": "{"}, {}, ()),
        ("codex-mcp-client", {"x-codex-turn-metadata": "[" * 99_999}, {}, ()),
        ("codex-mcp-client", {"x-codex-turn-metadata": 7}, {}, ()),
        ("codex-mcp-client", None, {}, ()),
        ("claude-code", None, PRINTS, ("cancel",)),  # a decline is its hook's
        ("claude-code", None, {"CLAUDE_CODE_ENTRYPOINT": "cli"}, ()),
        ("claude-code", None, {}, ()),
        ("wire", None, PRINTS, ()),  # started by somebody else, inside of Claude Code
    ],
)
def test_clients_tell_that_they_run_without_a_person(
    name: str, meta: Json | None, environ: dict[str, str], actions: tuple[str, ...]
) -> None:
    assert automatic_actions(context(name, meta), environ) == actions


def test_what_is_told_names_the_client_and_what_would_help() -> None:
    assert turned_down("codex-mcp-client").startswith(
        "nobody could be asked: `codex-mcp-client` turned the question down"
    )
    assert turned_down("").startswith("nobody could be asked: this client")
    assert "--wait-for-approvals" in turned_down("wire")
    assert "`Elicitation` hook" in turned_down("claude-code")
    assert "hook" not in turned_down("codex-mcp-client")


def test_table_of_choosers_holds_no_client_that_needs_more_keys() -> None:
    assert all(map(shows_choices, CHOOSERS))
    assert not shows_choices("claude-code")
    assert not shows_choices("")


def refused_at_once(desk: Desk, version: str, answer: Json, **how: Any) -> str:
    """What the model is told when the client answers at once."""

    async def work() -> str:
        async with connected(desk.untrusting(), version, **how) as wire:
            call = await wire.call("exec_command", INITIAL)
            await call.asked()
            await call.answer(answer)
            result = await call.result()
            assert result["structuredContent"]["refused"] == text_of(result)
            return text_of(result)

    return run(work())


@real
@pytest.mark.parametrize("version", ERAS)
@pytest.mark.parametrize("answer", [DECLINE, CANCEL])
def test_a_question_turned_down_at_once_is_told_as_nobodys_answer(
    desk: Desk, version: str, answer: Json, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Required: "the user" and "stop" are words about a person. The journal names none either."""
    monkeypatch.setattr(clients, "REACTION_S", LIMIT_S)
    told = refused_at_once(desk, version, answer)
    assert told == turned_down(PROGRAM)
    assert "user" not in told
    (record,) = desk.ledger.survey()[0]
    standing = desk.ledger.resolution(record)
    assert standing is not None
    assert (standing.by, standing.decision, desk.runs) == ("withdrawn", "deny", 0)


@real
@pytest.mark.parametrize("version", ERAS)
@pytest.mark.parametrize(
    ("answer", "words"), [(DECLINE, "exec command rejected by user"), (CANCEL, "who wants you to stop")]
)
def test_a_persons_no_is_told_as_one(
    desk: Desk, version: str, answer: Json, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clients, "REACTION_S", 0.0)
    assert words in refused_at_once(desk, version, answer, client=BUTTONS_ONLY)


@real
def test_codex_exec_is_no_person_however_long_it_takes(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clients, "REACTION_S", 0.0)

    async def work() -> str:
        async with connected(desk.untrusting(), LEGACY, client="codex-mcp-client") as wire:
            call = await wire.call("exec_command", INITIAL, _meta=EXEC)
            await call.asked()
            await call.answer(DECLINE)
            return await call.text()

    assert run(work()) == turned_down("codex-mcp-client")


@real
@pytest.mark.parametrize("version", ERAS)
def test_print_mode_of_claude_code_is_no_person_but_its_hook_may_decline(
    desk: Desk, version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clients, "REACTION_S", 0.0)
    told = {}

    async def work(answer: Json) -> str:
        server = desk.untrusting(started_in=PRINTS)
        async with connected(server, version, client="claude-code") as wire:
            call = await wire.call("exec_command", INITIAL)
            await call.asked()
            await call.answer(answer)
            return await call.text()

    for answer in (CANCEL, DECLINE):
        told[answer["action"]] = run(work(answer))
    assert told == {"cancel": turned_down("claude-code"), "decline": "exec command rejected by user"}


@real
@pytest.mark.parametrize("version", ERAS)
@pytest.mark.parametrize(("answer", "runs"), [("approve", 1), ("deny", 0)])
def test_what_a_client_turns_down_waits_for_another_terminal_where_both_are_asked(
    desk: Desk, version: str, answer: str, runs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Required: `codex exec` and `claude -p` get their approvals, and are asked by a form only once."""
    monkeypatch.setattr(clients, "REACTION_S", LIMIT_S)

    async def work() -> Json:
        async with connected(desk.untrusting(waits_elsewhere=True), version) as wire:
            call = await wire.call("exec_command", INITIAL)
            await call.asked()
            (question,) = desk.ledger.pending()
            await call.answer(CANCEL)
            desk.ledger.resolve(question.approval_id, answer, by="terminal", digest=question.digest)
            return await call.result()

    result = run(work())
    assert (result["isError"], desk.runs) == (not runs, runs)


@real
@pytest.mark.parametrize("version", ERAS)
def test_approvals_alone_are_asked_without_a_form(desk: Desk, version: str) -> None:
    async def work() -> Json:
        async with connected(desk.untrusting(forms=False, waits_elsewhere=True), version) as wire:
            call = await wire.call("exec_command", INITIAL)
            while not desk.ledger.pending():
                await asyncio.sleep(0)
            (question,) = desk.ledger.pending()
            desk.ledger.resolve(question.approval_id, "approve", by="terminal", digest=question.digest)
            result = await call.result()
            assert not [each for each in wire.received if each.get("method") == "elicitation/create"]
            return result

    assert (run(work())["isError"], desk.runs) == (False, 1)
