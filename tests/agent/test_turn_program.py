"""The person's program hears of each turn that came to its end, and can neither hold up a turn nor make it fail."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from sandgate.agent import turn_program
from sandgate.agent.turn_program import NOTICE_BYTES_MAX, notice
from sandgate.errors import ConfigError
from sandgate.protocol.events import TaskComplete, TurnAborted, Warned
from sandgate.protocol.operations import Interrupt, TextInput, UserInput
from support.agent.agent_places import AgentPlace, calls, command, only, said
from support.model.responses_server import ResponsesServer, refuses, says, stays_silent
from support.process.loops import run
from support.process.waiting import wait_until
from support.terminal.live_sessions import left_of

if TYPE_CHECKING:
    from pathlib import Path

    from support.model.responses_server import Manner

TELLS = """#!/bin/sh
printf '%s\\n' "$PWD" "$@" >> {place}
"""


def program(folder: Path, text: str = TELLS) -> tuple[Path, str]:
    """Where it writes what it was told, and the setting that names it."""
    script, told = folder / "notify", folder / "told"
    script.write_text(text.format(place=told))
    script.chmod(0o755)
    return told, f"notify={json.dumps([str(script), 'first'])}"


async def turns(folder: Path, setting: str, *manners: Manner, many: int = 1) -> list[Any]:
    """What a session of so many turns tells; it ends with them."""
    with ResponsesServer(*manners) as server:
        async with AgentPlace(folder / "place", server.url).opened(setting) as agent:
            for _ in range(many):
                told = await said(agent, "go on")
            return told


def test_it_is_told_who_said_what_and_where(tmp_path: Path) -> None:
    """Required: the lineage's names, one argument, in a directory where nobody plants anything."""
    told, setting = program(tmp_path)
    found = run(turns(tmp_path, setting, says("done")))
    where, first, last = told.read_text().splitlines()
    heard = json.loads(last)
    ended = only(found, TaskComplete)[0]
    assert (where, first, set(heard)) == ("/", "first", {
        "type", "thread-id", "turn-id", "cwd", "input-messages", "last-assistant-message"
    })  # fmt: skip
    assert (heard["type"], heard["turn-id"]) == ("agent-turn-complete", ended.turn_id)
    assert (heard["input-messages"], heard["last-assistant-message"]) == (["go on"], "done")
    assert heard["cwd"] == str(tmp_path / "place" / "repo")


def test_it_runs_outside_the_sandbox_and_a_command_does_not(tmp_path: Path) -> None:
    """Required: what only the person can name may write where a command may not."""
    told, setting = program(tmp_path)
    run(turns(tmp_path, setting, calls(command(f"echo x > {tmp_path}/stray")), says("done")))
    assert (told.exists(), (tmp_path / "stray").exists()) == (True, False)


def test_each_turn_is_told_once(tmp_path: Path) -> None:
    told, setting = program(tmp_path)
    run(turns(tmp_path, setting, says("one"), says("two"), many=2))
    heard = [json.loads(line)["last-assistant-message"] for line in told.read_text().splitlines() if line[0] == "{"]
    assert sorted(heard) == ["one", "two"]


def test_a_turn_that_failed_or_was_ended_is_not_told(tmp_path: Path) -> None:
    told, setting = program(tmp_path)

    async def work() -> None:
        with ResponsesServer(refuses(400), stays_silent) as server:
            async with AgentPlace(tmp_path / "place", server.url).opened(setting) as agent:
                await said(agent, "go")
                agent.submit(UserInput((TextInput("go"),)))
                await asyncio.to_thread(server.connection, 1)
                agent.submit(Interrupt())
                async for event in agent.events():
                    if isinstance(event.msg, TurnAborted):
                        return

    run(work())
    assert not told.exists()


@pytest.mark.parametrize(
    ("text", "how"),
    [
        ("#!/bin/sh\necho no screen >&2\nexit 3\n", "failed with exit code 3: no screen"),
        ("#!/nonexistent/interpreter\n", "could not be started (ENOENT)"),
    ],
)
def test_a_failing_one_is_told_once_and_fails_no_turn(tmp_path: Path, text: str, how: str) -> None:
    _told, setting = program(tmp_path, text)

    async def work() -> list[Any]:
        with ResponsesServer(says("one"), says("two"), says("three")) as server:
            async with AgentPlace(tmp_path / "place", server.url).opened(setting) as agent:
                await said(agent, "go")
                async for event in agent.events():
                    if isinstance(event.msg, Warned):
                        break
                await said(agent, "go")
                return await said(agent, "go")

    found = run(work())
    assert [warned.message for warned in only(found, Warned)] == [turn_program.FAILED.format(how=how)]
    assert len(only(found, TaskComplete)) == 3


def test_one_that_hangs_is_killed_with_its_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Required: nothing of it is left, and no session waits for it for long."""
    monkeypatch.setattr(turn_program, "LAST_S", 0.01)
    told, setting = program(tmp_path, "#!/bin/sh\necho begun > {place}\nsleep 871234567\n")

    async def work() -> None:
        with ResponsesServer(says("done")) as server:
            async with AgentPlace(tmp_path / "place", server.url).opened(setting) as agent:
                await said(agent, "go")
                assert await asyncio.to_thread(wait_until, told.exists)

    run(work())
    assert wait_until(lambda: not left_of("871234567"))


def test_so_many_may_run_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turn_program, "AT_ONCE_MAX", 1)
    monkeypatch.setattr(turn_program, "LAST_S", 0.01)
    _told, setting = program(tmp_path, "#!/bin/sh\nexec sleep 871234568\n")
    found = run(turns(tmp_path, setting, says("done"), many=3))
    assert [warned.message for warned in only(found, Warned)] == [turn_program.FAILED.format(how=turn_program.TOO_MANY)]


def test_long_words_are_cut_to_what_an_argument_may_be() -> None:
    text = notice("s", "t", "/", ["a" * 500_000, "short"], '"' * 400_000)
    assert len(text.encode()) <= NOTICE_BYTES_MAX
    heard = json.loads(text)
    assert heard["input-messages"][1] == "short"
    assert len(heard["input-messages"][0]) == len(heard["last-assistant-message"]) > 10_000


def test_a_project_cannot_name_one(tmp_path: Path) -> None:
    """Required: a repository may be written by strangers; the same line in the person's own file counts."""
    told, setting = program(tmp_path)
    place = tmp_path / "place"

    async def work() -> None:
        with ResponsesServer(says("done")) as server:
            made = AgentPlace(place, server.url)
            project = made.repo / ".sandgate"
            project.mkdir()
            (project / "config.toml").write_text(f"{setting}\n")
            own = made.home / ".sandgate"
            own.mkdir(mode=0o700)
            (own / "config.toml").write_text(f'[projects."{made.repo}"]\ntrust_level = "trusted"\n')
            async with made.opened() as agent:
                await said(agent, "go")
            assert not told.exists()
            (own / "config.toml").write_text(f"{setting}\n")
            async with made.opened() as agent:
                await said(agent, "go")

    run(work())
    assert told.exists()


def test_a_relative_path_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="somewhere else in each directory"):
        run(turns(tmp_path, 'notify=["./notify"]', says("done")))
