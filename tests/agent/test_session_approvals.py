"""What was approved for the session, when the session goes on: not asked twice, and not given to anybody else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from sandgate.agent.agent import AgentOptions
from sandgate.protocol.decisions import Decision
from sandgate.protocol.events import ExecApprovalRequest, Warned
from sandgate.protocol.operations import AnswerApproval
from support.agent.agent_places import AgentPlace, calls, command, only, said
from support.model.responses_server import ResponsesServer, by_last, message, sends, turn
from support.process.loops import run

if TYPE_CHECKING:
    from sandgate.agent.agent import Agent

pytestmark = pytest.mark.host("namespace", "notify")

ASKS = ("sandbox_mode=workspace-write", "approval_policy=untrusted")
LAST = AgentOptions(resume="last")
OVER = "2020-01-01T00:00:00Z"


def answers(agent: Agent, decision: str, **more: Any) -> Any:
    def seen(event: Any) -> None:
        if isinstance(event.msg, ExecApprovalRequest):
            request = event.msg.request
            given = Decision(request.stage, decision, "user", request.grants, **more)  # type: ignore[arg-type]
            agent.submit(AnswerApproval(event.msg.approval_id, given))

    return seen


class Desk:
    """A session in which the model runs the same command in every turn."""

    def __init__(self, folder: Path, url: str) -> None:
        self.place = AgentPlace(folder, url)

    async def turn(
        self, *more: str, options: AgentOptions | None = None, says: str = "denied", **given: Any
    ) -> tuple[int, list[str]]:
        """How many questions a turn had, and what was warned of."""
        async with self.place.opened(*ASKS, *more, options=options, interactive=True) as agent:
            told = await said(agent, "work", answers(agent, says, **given))
            warned = [each.message for each in only(told, Warned) if "for the session" in each.message]
            return len(only(told, ExecApprovalRequest)), warned


def server() -> ResponsesServer:
    return ResponsesServer(by_last(calls(command("echo x >> log")), sends(*turn(message("done")))))


def test_what_was_approved_for_the_session_is_not_asked_again_when_it_goes_on(tmp_path: Path) -> None:
    """Required: however often it goes on."""

    async def work() -> None:
        with server() as provider:
            desk = Desk(tmp_path, provider.url)
            assert await desk.turn(says="approved_for_session") == (1, [])
            for _ in range(2):
                asked, warned = await desk.turn(options=LAST)
                assert (asked, [each[:14] for each in warned]) == (0, ["1 approvals fo"])
            assert desk.place.lines() == ["x", "x", "x"]

    run(work())


@pytest.mark.parametrize(
    ("says", "more"),
    [
        ("approved", {}),
        ("denied", {}),
        ("approved_for_session", {"uses": 5}),
        ("approved_for_session", {"until": OVER}),
    ],
)
def test_what_was_not_approved_for_all_of_the_session_is_asked_again(
    tmp_path: Path, says: str, more: dict[str, Any]
) -> None:
    async def work() -> None:
        with server() as provider:
            desk = Desk(tmp_path, provider.url)
            assert (await desk.turn(says=says, **more))[0] == 1
            assert (await desk.turn(options=LAST))[0] == 1

    run(work())


@pytest.mark.parametrize(
    "other",
    [
        ("sandbox_mode=read-only",),
        ("sandbox.network=on",),
        ("sandbox_workspace_write.writable_roots=[\"/var/tmp\"]",),
        ("sandbox.protect_git=hooks-and-config",),
        ("rules.entries=[]", "secrets.hidden=[\"/srv\"]"),
    ],
)  # fmt: skip
def test_under_another_policy_everything_is_asked_again_and_that_is_said(
    tmp_path: Path, other: tuple[str, ...]
) -> None:
    async def work() -> None:
        with server() as provider:
            desk = Desk(tmp_path, provider.url)
            assert (await desk.turn(says="approved_for_session"))[0] == 1
            asked, warned = await desk.turn(*other, options=LAST)
            assert asked >= 1
            assert ["policy is not the one" in each for each in warned] == [True]
            assert (await desk.turn(options=LAST))[0] == 0, "under the old policy it holds"

    run(work())


def test_a_rule_that_asks_ends_what_was_approved_before_there_was_one(tmp_path: Path) -> None:
    async def work() -> None:
        with server() as provider:
            desk = Desk(tmp_path, provider.url)
            await desk.turn(says="approved_for_session")
            rules = desk.place.home / ".sandgate" / "rules"
            rules.mkdir(parents=True)
            (rules / "more.rules").write_text('prefix_rule(pattern = ["touch"], decision = "prompt")\n')
            asked, warned = await desk.turn(options=LAST)
            assert asked == 1
            assert "policy is not the one" in warned[0]

    run(work())


def changed(line: dict[str, Any]) -> dict[str, Any]:
    return {**line, "grants": [{"kind": "escalate", "value": ""}]}


def test_a_line_that_somebody_changed_made_up_or_took_along_is_worth_nothing(tmp_path: Path) -> None:
    """Required: a transcript is a file like any other to whoever may write there."""

    async def work() -> None:
        with server() as provider:
            desk = Desk(tmp_path, provider.url)
            assert (await desk.turn(says="approved_for_session"))[0] == 1
            theirs = desk.place.transcript
            lines = theirs.read_text().splitlines()
            (at,) = [number for number, line in enumerate(lines) if '"kind":"session_approval"' in line]
            line = json.loads(lines[at])
            lines[at] = json.dumps({**line, "payload": changed(line["payload"])}, separators=(",", ":"))
            theirs.write_text("\n".join(lines) + "\n")
            asked, warned = await desk.turn(options=LAST)
            assert (asked, "not sealed by you" in warned[0]) == (1, True)

            assert (await desk.turn())[0] == 1  # another session, and the line of the first one in it
            (other,) = set(desk.place.transcripts()) - {theirs}
            with other.open("a") as file:
                file.write(json.dumps(line, separators=(",", ":")) + "\n")
            asked, warned = await desk.turn(options=LAST)
            assert (asked, "not sealed by you" in warned[0]) == (1, True)

    run(work())


@pytest.mark.parametrize(("before", "asked"), [(None, 0), (2, 0), (1, 1), (0, 1)])
def test_a_copy_has_what_was_approved_before_the_point_it_begins_at(
    tmp_path: Path, before: int | None, asked: int
) -> None:
    async def work() -> None:
        with server() as provider:
            desk = Desk(tmp_path, provider.url)
            await desk.turn()
            assert (await desk.turn(options=LAST, says="approved_for_session"))[0] == 1
            await desk.turn(options=LAST)
            copy = AgentOptions(resume="last", fork=True, fork_before=before)
            assert (await desk.turn(options=copy))[0] == asked

    run(work())


def test_without_the_key_everything_is_asked_again(tmp_path: Path) -> None:
    async def work() -> None:
        with server() as provider:
            desk = Desk(tmp_path, provider.url)
            await desk.turn(says="approved_for_session")
            (key,) = desk.place.home.rglob("sealing.key")
            key.unlink()
            asked, warned = await desk.turn(options=LAST)
            assert (asked, "not sealed by you" in warned[0]) == (1, True)
            key.chmod(0o666)
            asked, warned = await desk.turn(options=LAST)
            assert (asked, "do not hold any more" in warned[0]) == (1, True)

    run(work())
