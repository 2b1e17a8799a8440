"""A session that goes on: with the policy it had, told once what happened to it, and asked about nothing twice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sandgate.agent.agent import AgentOptions
from sandgate.agent.past_sessions import archive_session, list_sessions
from sandgate.agent.resume import token_info
from sandgate.errors import SessionNotFound, UserMessageOutOfRange
from sandgate.protocol.events import SessionConfigured, TaskComplete, Warned
from sandgate.protocol.items import message_text
from sandgate.protocol.operations import Compact
from sandgate.session.transcript_lines import EventLine
from sandgate.session.transcript_reader import read_transcript
from support.agent.agent_places import AgentPlace, calls, command, only, said, until
from support.agent.transcripts import kept, turn
from support.model.responses_server import ResponsesServer, says
from support.process.loops import run

pytestmark = pytest.mark.host("namespace", "notify")

LAST = AgentOptions(resume="last")


def words(body: Any) -> list[str]:
    return [part["text"] for item in body["input"] if item.get("role") == "user" for part in item["content"]]


async def policy(place: AgentPlace, *overrides: str, **more: Any) -> tuple[str, str, bool, list[str]]:
    """What holds in the last session, opened like this: approval, sandbox, network, and what is warned of."""
    async with place.opened(*overrides, options=LAST, **more) as agent:
        told = await said(agent, "again")
        (configured,) = only(told, SessionConfigured)
        sandbox = configured.sandbox_policy
        warned = [each.message for each in only(told, Warned)]
        return configured.approval_policy, sandbox["mode"], bool(sandbox.get("network_access")), warned


def settled(place: AgentPlace, *lines: str) -> None:
    """What the person's configuration says from now on."""
    folder = place.home / ".sandgate"
    folder.mkdir(exist_ok=True)
    (folder / "config.toml").write_text("\n".join(lines))


def test_a_session_stays_as_strict_as_it_was_and_says_so(tmp_path: Path) -> None:
    """Required: a session that could only read does not write because it was continued elsewhere."""

    async def work() -> None:
        with ResponsesServer(says("ok")) as server:
            place = AgentPlace(tmp_path, server.url)
            settled(place, 'approval_policy = "untrusted"', 'sandbox_mode = "read-only"')
            async with place.opened() as agent:
                await said(agent, "first")
            settled(place, 'approval_policy = "never"', 'sandbox_mode = "danger-full-access"')
            approval, mode, network, warned = await policy(place)
            assert (approval, mode, network) == ("untrusted", "read-only", False)
            assert sum("as it was" in each for each in warned) == 2

    run(work())


def test_a_policy_under_the_other_name_of_its_tag_holds_as_well(tmp_path: Path) -> None:
    """Required: transcripts of other programs of this lineage go on here, and none of them with more freedom."""

    async def work() -> None:
        with ResponsesServer(says("ok")) as server:
            place = AgentPlace(tmp_path, server.url)
            settled(place, 'sandbox_mode = "read-only"')
            async with place.opened() as agent:
                await said(agent, "first")
            kept = place.transcript.read_text()
            assert '"sandbox_policy":{"mode":"read-only"' in kept
            place.transcript.write_text(kept.replace('"sandbox_policy":{"mode":', '"sandbox_policy":{"type":'))
            settled(place, 'sandbox_mode = "danger-full-access"')
            assert (await policy(place))[1] == "read-only"

    run(work())


def test_what_is_typed_widens_it_again(tmp_path: Path) -> None:
    async def work() -> None:
        with ResponsesServer(says("ok")) as server:
            place = AgentPlace(tmp_path, server.url)
            settled(place, 'approval_policy = "untrusted"', 'sandbox_mode = "read-only"')
            async with place.opened() as agent:
                await said(agent, "first")
            typed = {"sandbox_mode": "workspace-write", "network": "on"}
            approval, mode, network, _ = await policy(place, "approval_policy=on-request", typed=typed)
            assert (approval, mode, network) == ("on-request", "workspace-write", True)

    run(work())


def test_what_has_become_stricter_since_holds(tmp_path: Path) -> None:
    async def work() -> None:
        with ResponsesServer(says("ok")) as server:
            place = AgentPlace(tmp_path, server.url)
            settled(place, 'approval_policy = "never"', 'sandbox_mode = "danger-full-access"')
            async with place.opened() as agent:
                await said(agent, "first")
            settled(place, 'approval_policy = "untrusted"', 'sandbox_mode = "read-only"')
            approval, mode, _, warned = await policy(place)
            assert (approval, mode) == ("untrusted", "read-only")
            assert not any("as it was" in each for each in warned)

    run(work())


def test_a_network_that_was_off_stays_off(tmp_path: Path) -> None:
    async def work() -> None:
        with ResponsesServer(says("ok")) as server:
            place = AgentPlace(tmp_path, server.url)
            settled(place, 'approval_policy = "never"', 'sandbox_mode = "workspace-write"')
            async with place.opened() as agent:
                await said(agent, "first")
            settled(
                place, 'approval_policy = "never"', 'sandbox_mode = "workspace-write"', "[sandbox]", 'network = "on"'
            )
            assert (await policy(place))[2] is False
            assert (await policy(place, typed={"network": "on"}))[2] is True

    run(work())


def test_a_resumed_session_asks_what_the_live_one_would_have_asked(tmp_path: Path) -> None:
    """Required: byte for byte, so that what a provider has cached still counts."""

    async def work() -> None:
        with ResponsesServer(calls(command("echo one")), says("done"), says("ok")) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened("approval_policy=never") as agent:
                await said(agent, "first")
                name = agent.session_id
            before = server.asked[-1].body["input"]
            async with place.opened("approval_policy=never", options=LAST) as agent:
                assert agent.session_id == name
                await said(agent, "second")
            after = server.asked[-1].body["input"]
            assert after[: len(before)] == before
            assert list(words({"input": after[len(before) :]})) == ["second"]

    run(work())


@pytest.mark.parametrize("resumed", [False, True])
def test_after_a_summary_the_next_turn_tells_the_surroundings_again(tmp_path: Path, resumed: bool) -> None:
    """Required: a model that knows only a summary still knows where it works and under which instructions."""

    async def work() -> None:
        with ResponsesServer(says("hi"), says("the summary"), says("on")) as server:
            place = AgentPlace(tmp_path, server.url)
            (place.repo / "AGENTS.md").write_text("Be polite.")

            async def goes_on(agent: Any) -> None:
                await said(agent, "second")
                asked = words(server.asked[2].body)
                assert asked[0] == "first"
                assert "the summary" in asked[1]
                assert "Be polite." in asked[2]
                assert asked[3].startswith("<environment_context>")
                assert asked[4:] == ["second"]
                await said(agent, "third")
                assert words(server.asked[3].body) == [*asked, "third"]

            async with place.opened("approval_policy=never") as agent:
                await said(agent, "first")
                await until(agent, TaskComplete, of=agent.submit(Compact()))
                if not resumed:
                    await goes_on(agent)
            if resumed:
                async with place.opened("approval_policy=never", options=LAST) as agent:
                    await goes_on(agent)

    run(work())


def test_a_turn_that_was_cut_off_is_told_once_however_often_it_is_looked_at(tmp_path: Path) -> None:
    async def work() -> None:
        with ResponsesServer(says("ok")) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened() as agent:
                await said(agent, "first")
            lines = place.transcript.read_bytes().splitlines(keepends=True)
            place.transcript.write_bytes(b"".join(line for line in lines if b'"task_complete"' not in line))
            for _ in range(3):  # opened, and closed without a word
                async with place.opened(options=LAST):
                    pass
            async with place.opened(options=LAST) as agent:
                await said(agent, "second")
            assert sum("was cut off" in text for text in words(server.asked[-1].body)) == 1

    run(work())


def test_a_copy_begins_with_what_was_said_before_and_leaves_the_old_one_alone(tmp_path: Path) -> None:
    async def work() -> None:
        with ResponsesServer(says("one"), says("two"), says("three")) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened() as agent:
                await said(agent, "first")
                await said(agent, "second")
                name = agent.session_id
            before = place.transcript.read_bytes()
            (old,) = place.transcripts()
            copy = AgentOptions(resume=name, fork=True, fork_before=1)
            async with place.opened(options=copy) as agent:
                told = await said(agent, "instead")
                assert agent.session_id != name
                assert only(told, SessionConfigured)[0].forked_from_id == name
            asked = [text for text in words(server.asked[-1].body) if not text.startswith("<")]
            assert asked == ["first", "instead"]
            assert old.read_bytes() == before
            with pytest.raises(UserMessageOutOfRange):
                async with place.opened(options=copy.but(fork_before=7)):
                    pass

    run(work())


def test_a_session_that_was_put_away_is_back_in_the_list_when_it_goes_on(tmp_path: Path) -> None:
    async def work() -> None:
        with ResponsesServer(says("one"), says("two"), says("three")) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened() as agent:
                await said(agent, "first")
                name = agent.session_id
            archive_session(place.env, name)
            async with place.opened(options=AgentOptions(resume=name, fork=True)) as agent:
                copy = agent.session_id
            assert listed(place) == [copy], "who copies it leaves it where it is"
            async with place.opened(options=AgentOptions(resume=name)) as agent:
                told = await said(agent, "second")
                assert "put away" in only(told, Warned)[0].message
            assert sorted(listed(place)) == sorted([copy, name])

    run(work())


def listed(place: AgentPlace) -> list[str]:
    return [each.id for each in list_sessions(place.env, limit=9).items]


def test_without_a_session_there_is_nothing_to_go_on_with(tmp_path: Path) -> None:
    async def work() -> None:
        with ResponsesServer(says("ok")) as server:
            place = AgentPlace(tmp_path, server.url)
            with pytest.raises(SessionNotFound):
                async with place.opened(options=LAST):
                    pass
            with pytest.raises(SessionNotFound):
                async with place.opened(options=AgentOptions(resume="0192")):
                    pass

    run(work())


@pytest.mark.parametrize(
    "info",
    [
        None,
        {},
        {"total_token_usage": 3, "last_token_usage": {}},
        {"total_token_usage": {"odd": 1}, "last_token_usage": {}},
        {"total_token_usage": {"input_tokens": "many"}, "last_token_usage": {}},
        {"total_token_usage": {}, "last_token_usage": {}, "model_context_window": "wide"},
    ],
)
def test_a_gauge_that_makes_no_sense_is_not_known(tmp_path: Path, info: Any) -> None:
    path = kept(tmp_path, *turn("hi"), EventLine({"type": "token_count", "info": info}))
    assert token_info(read_transcript(str(path))) is None


def test_the_gauge_goes_on_from_where_it_was(tmp_path: Path) -> None:
    usage = {"input_tokens": 5, "total_tokens": 5}
    info = {"total_token_usage": usage, "last_token_usage": usage, "model_context_window": 9}
    found = token_info(
        read_transcript(str(kept(tmp_path, *turn("hi"), EventLine({"type": "token_count", "info": info}))))
    )
    assert found is not None
    assert (found.total.input_tokens, found.last.total_tokens, found.window) == (5, 5, 9)
    assert message_text(read_transcript(str(next(tmp_path.rglob("rollout*")))).items[0]) == "hi"  # type: ignore[arg-type]
