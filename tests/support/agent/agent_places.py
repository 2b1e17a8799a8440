"""A repository, a home and a provider, and `sandgate agent` as a process in them; or its session in this process."""

from __future__ import annotations

import os
import subprocess
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sandgate.agent.agent import Agent, AgentOptions, open_agent
from sandgate.config import TypedOverrides
from sandgate.protocol.events import Failed, TaskComplete, TurnAborted
from sandgate.protocol.operations import TextInput, UserInput
from sandgate.runtime import Environment
from sandgate.session.transcript_reader import read_transcript
from support.model.responses_server import function_call, message, sends, turn
from support.process.program import PROGRAM, WAIT_SECONDS
from support.terminal.live_sessions import NOT_ALL_OF_TMP

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from sandgate.protocol.events import Event
    from support.model.responses_server import Connection, Json, Manner


def provider(url: str) -> tuple[str, ...]:
    """Settings, as after `-c`."""
    return (f"model_providers.test.base_url={url}", "model_provider=test", "model=double")


class AgentPlace:
    """Where agents work. `url`: of the provider."""

    def __init__(self, folder: Path, url: str) -> None:
        self.repo, self.home = folder / "repo", folder / "home"
        for each in (self.repo, self.home):
            each.mkdir(parents=True)
        (self.repo / ".git").mkdir()
        (self.repo / "log").touch()
        self.url = url
        self.env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(self.home), "LANG": "C.UTF-8"}

    def start(self, *arguments: str, **env: str) -> subprocess.Popen[bytes]:
        """`sandgate agent` in a session of its own."""
        settings = [word for setting in provider(self.url) for word in ("-c", setting)]
        return subprocess.Popen(
            [*PROGRAM, "agent", *settings, *arguments],
            cwd=self.repo,
            env={**self.env, **env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def run(self, *arguments: str, **env: str) -> tuple[int, str, str]:
        """The same to its end: the exit code and what it said."""
        with self.start(*arguments, **env) as process:
            out, err = process.communicate(timeout=WAIT_SECONDS)
        return process.returncode, out.decode(), err.decode()

    @asynccontextmanager
    async def opened(
        self,
        *overrides: str,
        options: AgentOptions | None = None,
        tighter: tuple[tuple[str, str], ...] = (),
        **more: Any,
    ) -> AsyncIterator[Agent]:
        """The session in this process; `typed` goes into the environment."""
        typed = TypedOverrides(**more.pop("typed", {}))
        settings = (NOT_ALL_OF_TMP, *provider(self.url), *overrides)
        where = Environment(str(self.repo), self.env, settings, typed=typed, tighter=tighter, person_present=True)
        async with open_agent(where, options or AgentOptions(), **more) as agent:
            yield agent

    def transcripts(self) -> list[Path]:
        # Not by `rglob`: beside them, what commands work in comes and goes.
        places = (Path(place, name) for place, _, names in os.walk(self.home) for name in names)
        return sorted(path for path in places if path.match("rollout-*.jsonl"))

    @property
    def transcript(self) -> Path:
        (found,) = self.transcripts()
        return found

    @property
    def session_id(self) -> str:
        return read_transcript(str(self.transcript)).meta.id

    def lines(self) -> list[str]:
        return (self.repo / "log").read_text().split()


async def until(
    agent: Agent, *ends: type, of: str = "", seen: Callable[[Event], None] = lambda _event: None
) -> list[Any]:
    """What happened up to the first event of such a type, of that turn; `seen` hears each as it happens."""
    found: list[Any] = []
    async for event in agent.events():
        seen(event)
        found.append(event.msg)
        if isinstance(event.msg, ends) and of in ("", event.id):
            return found
    return found


async def said(agent: Agent, text: str, seen: Callable[[Event], None] = lambda _event: None) -> list[Any]:
    """One turn to its end; everything the session has told so far."""
    name = agent.submit(UserInput((TextInput(text),)))
    return await until(agent, TaskComplete, TurnAborted, Failed, of=name, seen=seen)


def only(told: list[Any], kind: type) -> list[Any]:
    return [each for each in told if isinstance(each, kind)]


def command(cmd: str, call_id: str = "c1", **more: Any) -> Json:
    return function_call("exec_command", {"cmd": cmd, **more}, call_id)


def calls(*items: Json) -> Manner:
    return sends(*turn(*items))


def by_prompt(**scripts: list[Manner]) -> Manner:
    """For each conversation the script whose name its last real prompt begins with, one manner a request."""

    def manner(connection: Connection) -> None:
        texts = [
            part["text"]
            for item in connection.asked.body["input"]
            if item.get("role") == "user"
            for part in item["content"]
            if not part["text"].startswith("<")
        ]
        name = texts[-1].split()[0]
        then = scripts[name].pop(0) if scripts[name] else sends(*turn(message("nothing more")))
        then(connection)

    return manner
