"""A conversation as real ones are, recorded from a provider and played again without one: byte for byte."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from sandgate.agent.agent import AgentOptions
from sandgate.errors import ModelFailed
from sandgate.model.run_specific import Steady
from sandgate.protocol.events import (
    DelegateEnd,
    ExecCommandEnd,
    Failed,
    PatchApplyEnd,
    PlanUpdate,
    TaskComplete,
    TurnDiff,
)
from sandgate.protocol.items_wire import item_json
from sandgate.session.transcript_reader import read_transcript
from support.agent.agent_places import AgentPlace, by_prompt, calls, only, said
from support.model.responses_server import (
    ResponsesServer,
    function_call,
    message,
    reasoning,
    says,
    sends,
    text_delta,
    turn,
)
from support.process.loops import run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.model.responses_server import Connection, Json

pytestmark = pytest.mark.host("namespace", "notify")

BUG, TEST = "def total(a, b):\n    return a - b\n", "from cart import total\n\nassert total(2, 3) == 5, total(2, 3)\n"
PATCH = "*** Begin Patch\n*** Update File: cart.py\n@@\n-    return a - b\n+    return a + b\n*** End Patch"
PLAN = {"plan": [{"step": "find it", "status": "completed"}, {"step": "mend it", "status": "in_progress"}]}
WRITES = ("sandbox_mode=workspace-write", "approval_policy=never")
TALK = "read line; echo heard $line; read line; echo bye"


def streamed(*items: Json) -> list[Json]:
    """The events of an answer as providers send them: with pieces, and with events that nobody waits for."""
    created, *done, completed = turn(*items)
    said_first = [text_delta("I "), text_delta("look")] if any(item["type"] == "message" for item in items) else []
    usage = {
        "input_tokens": 900,
        "input_tokens_details": {"cached_tokens": 700},
        "output_tokens": 60,
        "output_tokens_details": {"reasoning_tokens": 40},
        "total_tokens": 960,
    }
    end = {**completed, "response": {**completed["response"], "usage": usage, "output": list(items)}}
    return [created, {"type": "response.in_progress"}, *said_first, *done, end]


def exec_command(cmd: str, call_id: str, **more: Any) -> Json:
    return function_call("exec_command", {"cmd": cmd, "login": False, **more}, call_id)


class Script:
    """What the model says; where it goes on with a command, by the number that it was told."""

    def __init__(self) -> None:
        self._steps: list[Callable[[list[Json]], list[Json]]] = [
            lambda _said: streamed(
                reasoning("I read the code.", encrypted="gAAAAB-sealed-1"),
                message("I look at it."),
                exec_command("cat cart.py", "call_a"),
                exec_command("python3 -B test_cart.py", "call_b"),
                exec_command(TALK, "call_c", tty=True, yield_time_ms=250),
            ),
            lambda said: streamed(function_call("update_plan", PLAN, "call_d"), self.types(said, "one", "call_e")),
            lambda _said: streamed(
                reasoning("A sign is wrong.", encrypted="gAAAAB-sealed-2"),
                function_call("apply_patch", {"input": PATCH}, "call_f"),
                function_call("shell", {"command": ["git", "status", "--short"]}, "call_g"),
            ),
            lambda _said: streamed(exec_command("python3 -B test_cart.py && echo passed", "call_h")),
            lambda _said: streamed(message("The sign was wrong; the test passes now.")),
            lambda said: streamed(self.types(said, "two", "call_i"), function_call("nosuchtool", {}, "call_j")),
            lambda _said: streamed(message("You are welcome.")),
        ]

    def __call__(self, connection: Connection) -> None:
        sends(*self._steps.pop(0)(connection.asked.body["input"]))(connection)

    @staticmethod
    def types(said: list[Json], words: str, call_id: str) -> Json:
        (told,) = [item["output"] for item in said if item.get("call_id") == "call_c" and "output" in item]
        number = int(told.partition("session ID ")[2].split()[0])
        return function_call("write_stdin", {"session_id": number, "chars": f"{words}\r"}, call_id)


def project(place: AgentPlace) -> None:
    """A repository with a bug in it."""
    shutil.rmtree(place.repo)
    place.repo.mkdir()
    (place.repo / "cart.py").write_text(BUG)
    (place.repo / "test_cart.py").write_text(TEST)
    (place.repo / "log").touch()
    name = ["-c", "user.name=You", "-c", "user.email=you@example.com"]
    for words in (["init", "-q"], ["add", "-A"], [*name, "commit", "-qm", "A cart"]):
        subprocess.run(["git", *words], cwd=place.repo, check=True)


async def conversation(place: AgentPlace, options: AgentOptions) -> list[Any]:
    project(place)
    async with place.opened(*WRITES, options=options) as agent:
        told = await said(agent, "make the test pass")
        return [*told, *(await said(agent, "thank you"))[len(told) :]]


def seen(told: list[Any]) -> list[Any]:
    """What a person sees of it."""
    assert len(only(told, TaskComplete)) == 2
    return [
        [each.last_agent_message for each in only(told, TaskComplete)],
        sorted((each.call_id, each.exit_code, each.aggregated_output) for each in only(told, ExecCommandEnd)),
        [each.unified_diff for each in only(told, TurnDiff)],
        [each.stdout for each in only(told, PatchApplyEnd)],
        only(told, PlanUpdate),
    ]


def kept(place: AgentPlace, session_id: str) -> str:
    """The conversation in the transcript of that session, but for what every run has of its own."""
    (path,) = [each for each in place.transcripts() if session_id in each.name]
    return json.dumps(Steady({"input": [item_json(item) for item in read_transcript(str(path)).items]}).asked)


def test_a_conversation_with_commands_patches_and_thoughts_is_played_again_byte_for_byte(tmp_path: Path) -> None:
    """Required: every request of the replay is the recorded one, but for the numbers and times of a run."""

    async def work() -> None:
        recording = tmp_path / "recording.jsonl"
        with ResponsesServer(Script()) as server:
            place = AgentPlace(tmp_path, server.url)
            first = await conversation(place, AgentOptions(model_record=str(recording)))
            assert len(server.asked) == 7
            sealed = [item["encrypted_content"] for item in server.asked[-1].body["input"] if "summary" in item]
            assert sealed == ["gAAAAB-sealed-1", "gAAAAB-sealed-2"]
        again = await conversation(place, AgentOptions(model_replay=str(recording)))
        assert seen(again) == seen(first)
        assert ("call_c", 0) in [(each.call_id, each.exit_code) for each in only(again, ExecCommandEnd)]
        assert (place.repo / "cart.py").read_text() == BUG.replace("-", "+")
        names = [each.session_id for told in (first, again) for each in told if hasattr(each, "rollout_path")]
        assert len(set(names)) == 2
        assert kept(place, names[0]) == kept(place, names[1])

    run(work())


def test_a_replay_in_which_a_command_says_something_else_stops_there(tmp_path: Path) -> None:
    """Required: it shows the first place where a change made a difference."""

    async def work() -> None:
        recording = tmp_path / "recording.jsonl"
        with ResponsesServer(Script()) as server:
            place = AgentPlace(tmp_path, server.url)
            await conversation(place, AgentOptions(model_record=str(recording)))
        (place.repo / "cart.py").write_text(BUG.replace("a, b", "b, a"))
        async with place.opened(*WRITES, options=AgentOptions(model_replay=str(recording))) as agent:
            (failed,) = only(await said(agent, "make the test pass"), Failed)
        assert failed.code == ModelFailed.code
        assert "request 2 is not the recorded one" in failed.message
        assert "(b, a)" in failed.message

    run(work())


def test_sub_agents_that_worked_side_by_side_are_played_again(tmp_path: Path) -> None:
    async def work() -> None:
        recording = tmp_path / "recording.jsonl"
        two = [function_call("delegate", {"prompt": f"{name} part"}, f"call_{name}") for name in ("one", "other")]
        script = by_prompt(
            work=[sends(*streamed(*two)), says("both did it")],
            one=[calls(exec_command("echo one", "call_a")), says("first")],
            other=[calls(exec_command("echo other", "call_b")), says("second")],
        )
        with ResponsesServer(script) as server:
            place = AgentPlace(tmp_path, server.url)
            async with place.opened(*WRITES, options=AgentOptions(model_record=str(recording))) as agent:
                first = await said(agent, "work please")
        for _ in range(3):
            async with place.opened(*WRITES, options=AgentOptions(model_replay=str(recording))) as agent:
                again = await said(agent, "work please")
            assert only(again, TaskComplete)[0].last_agent_message == "both did it"
            assert sorted(each.last_agent_message for each in only(again, DelegateEnd)) == ["first", "second"]
            assert len(only(again, ExecCommandEnd)) == len(only(first, ExecCommandEnd)) == 2

    run(work())
