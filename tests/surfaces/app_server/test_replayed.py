"""A recorded session of a real client is played to our server: what it hears is what it heard from its own."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from support.agent.agent_places import calls
from support.app_server.app_client import AppPlace, app_place
from support.app_server.recorded import FOLDER
from support.model.responses_server import (
    Connection,
    Manner,
    custom_tool_call,
    function_call,
    message,
    says,
    sends,
    turn,
)
from support.process.loops import run

pytestmark = pytest.mark.host("namespace", "notify")

PATCH = "*** Begin Patch\n*** Add File: made.txt\n+by patch\n*** End Patch\n"
NOT_OFFERED = {"account/bedrock/checkGovCloudRequirements", "plugin/installed", "thread/readState/update"}
TOLD = ("turn/started", "turn/completed", "item/started", "item/completed", "thread/status/changed",
        "serverRequest/resolved", "item/commandExecution/requestApproval")  # fmt: skip
THERE = "/box/proj"

Json = dict[str, Any]


def landmark(said: Json) -> str:
    """What a message of the server's is, in a word; "" for what comes when it comes."""
    method, params = said.get("method", ""), said.get("params") or {}
    if method not in TOLD:
        return ""
    item, status = params.get("item") or {}, params.get("status") or {}
    ended = params["turn"]["status"] if method == "turn/completed" else ""
    words = (method, item.get("type"), item.get("status"), status.get("type"), *status.get("activeFlags", ()), ended)
    return " ".join(word for word in words if word)


class Replay:
    """Of the recorded messages, those of the thread that the person works in; its own ids become ours."""

    def __init__(self, place: AppPlace, name: str) -> None:
        entries = [json.loads(line) for line in (FOLDER / name).read_text().splitlines()]
        self._said = [(each["dir"] == "c2s", each["msg"]) for each in entries if each["dir"] != "http"]
        self._place = place
        self._names = {THERE: str(place.repo)}
        answers = [said for mine, said in self._said if not mine and "id" in said and "method" not in said]
        self._answers: Json = {said["id"]: said.get("result") or {} for said in answers}
        self._thread: str = next(each["thread"]["id"] for each in self._answers.values() if "thread" in each)
        self.heard: list[str] = []  # by the real client

    async def play(self) -> list[str]:
        """What our server told of that thread."""
        client = self._client = self._place.stranger()
        for mine, said in self._said:
            if not mine:
                self.heard += [landmark(said)] if self._concerns(said) and landmark(said) else []
            elif "result" in said:
                await self._until_heard()
                client.send(id=(await client.question())["id"], result=said["result"])
            elif "id" not in said:
                client.send(**said)
            elif said["method"] not in NOT_OFFERED and self._concerns(said):
                await self._until_heard()
                await self._ask(said)
        return self._told()

    async def _ask(self, said: Json) -> None:
        params = json.loads(self._ours(json.dumps(said.get("params") or {})))
        answer = await self._client.ask(said["method"], **params)
        theirs = self._answers[said["id"]]
        for kind in ("thread", "turn"):
            if kind in theirs and kind in answer:
                self._names[theirs[kind]["id"]] = answer[kind]["id"]

    def _ours(self, text: str) -> str:
        for theirs, ours in self._names.items():
            text = text.replace(theirs, ours)
        return text

    def _concerns(self, said: Json) -> bool:
        params = said.get("params") or {}
        if said.get("method") == "thread/start":
            return "temporary" not in str(said["id"])
        return bool(params.get("threadId", self._thread) == self._thread)

    def _told(self) -> list[str]:
        return [word for word in map(landmark, self._client.messages) if word]

    async def _until_heard(self) -> None:
        """The real client had heard that much by then."""
        wanted = Counter(self.heard)
        await self._client.until(lambda _said: not wanted - Counter(self._told())) if wanted else None


def working() -> Manner:
    """The model of that session: a word and a command, one that takes a yes, a patch, a word; then one without end."""
    escalated = {"sandbox_permissions": "require_escalated", "justification": "it has to"}
    words = iter(
        [
            sends(*turn(message("I look."), function_call("exec_command", {"cmd": "ls", "login": False}, "c1"))),
            calls(function_call("exec_command", {"cmd": "echo over >> log", "login": False, **escalated}, "c2")),
            calls(custom_tool_call("apply_patch", PATCH, "c3")),
            says("Done."),
            calls(function_call("exec_command", {"cmd": "sleep 100", "login": False, "yield_time_ms": 30_000}, "c4")),
        ]
    )

    def answers(connection: Connection) -> None:
        next(words)(connection)

    return answers


def test_a_turn_with_an_approval_a_patch_and_an_interrupt_is_told_as_the_real_server_told_it(tmp_path: Path) -> None:
    """Required: kinds and order of what a client hears. Our choice: what was cut off is completed, too."""

    async def work() -> None:
        overrides = ("features.apply_patch_freeform=true", "approval_policy=on-request")
        async with app_place(tmp_path, working(), overrides=overrides, loosening=True) as place:
            replay = Replay(place, "turn.jsonl")
            told = await replay.play()
            cut_off = told.index("turn/completed interrupted")
            ours_alone = [word for word in told[cut_off - 2 : cut_off] if word.startswith("item/completed")]
            assert ours_alone == ["item/completed commandExecution failed"]
            told.remove(ours_alone[0])
            assert told == replay.heard

    run(work())
