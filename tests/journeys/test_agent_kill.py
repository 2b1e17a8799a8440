"""`sandgate agent` that is killed, again and again: what was said stays said, what was done is done once."""

from __future__ import annotations

import subprocess
import threading
from collections import Counter
from contextlib import suppress
from itertools import count
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from sandgate.protocol.items import FunctionCall
from sandgate.protocol.items_wire import item_json
from sandgate.session.transcript_reader import read_transcript
from support.agent.agent_places import AgentPlace
from support.model.responses_server import ResponsesServer, function_call, message, sends, turn
from support.process.program import WAIT_SECONDS
from support.process.waiting import wait_until
from support.suite.sampling import full, share

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from support.model.responses_server import Connection, Json

pytestmark = [pytest.mark.host("namespace", "notify"), pytest.mark.slow]

KILLS = 200
SIDES = 2  # chains of sessions that are killed side by side
KILLS_PER_SESSION = 20
ROUNDS = (1, 3, 1)  # calls of each response of a turn
LAST_KILL_S = 0.6  # after the start; a turn takes about that long
JUST_AFTER_S = 0.06  # after a request has come
FINAL = "everything is done"
SYNTHETIC = "aborted"


class Worker:
    """A model that appends a line of its own with each call, `ROUNDS` a turn, and then says that it is done."""

    def __init__(self) -> None:
        self._numbers = count()
        self._guard = threading.Lock()
        self.on_request: Callable[[], object] = lambda: None

    def __call__(self, connection: Connection) -> None:
        self.on_request()
        said = connection.asked.body["input"]
        asked_at = max(at for at, item in enumerate(said) if item.get("role") == "user" and prompted(item))
        done = sum(item["type"] == "function_call" for item in said[asked_at:])
        made = 0
        for calls in ROUNDS:
            if made == done:
                sends(*turn(*(self._call() for _ in range(calls))))(connection)
                return
            made += calls
        sends(*turn(message(FINAL)))(connection)

    def _call(self) -> Json:
        with self._guard:
            name = f"n{next(self._numbers)}"
        return function_call("exec_command", {"cmd": f"echo {name} >> log"}, name)


def prompted(item: Json) -> bool:
    """Whether a person said it."""
    return any(part.get("text", "").startswith("go on") for part in item["content"])


@pytest.mark.proof
def test_two_hundred_kills_lose_nothing_and_repeat_nothing(tmp_path: Path) -> None:
    """Required: kill -9 at any moment, and the session goes on from exactly what the disk says."""
    chains = share(range(KILLS // KILLS_PER_SESSION))
    problems: list[BaseException] = []
    stages: Counter[str] = Counter()

    def side(number: int) -> None:
        try:
            for session in chains[number::SIDES]:
                kill_and_go_on(tmp_path / str(session), Random(f"{session}"), stages)
        except BaseException as problem:
            problems.append(problem)

    sides = [threading.Thread(target=side, args=(number,)) for number in range(SIDES)]
    for each in sides:
        each.start()
    for each in sides:
        each.join()
    if problems:
        raise problems[0]
    # The moments differ: before anything was kept, in every round, with calls open and without.
    assert sum(stages.values()) == len(chains) * KILLS_PER_SESSION
    assert len(stages) >= (8 if full() else 3), stages


def kill_and_go_on(folder: Path, random: Random, stages: Counter[str]) -> None:
    worker = Worker()
    with ResponsesServer(worker) as server:
        place = AgentPlace(folder, server.url)
        before = b""
        for _ in range(KILLS_PER_SESSION):
            seen = len(server.asked)
            killed(place, worker, random)
            stages[stage(place, server.asked[seen:])] += 1
            if place.transcripts():
                before = check(place, before, server.asked[seen:])
        seen = len(server.asked)
        code, out, err = place.run(*going_on(place))
        assert (code, out) == (0, f"{FINAL}\n"), err
        check(place, before, server.asked[seen:])
        last = read_transcript(str(place.transcript))
        assert not last.ended_in_turn
        assert len(server.asked[seen:]) == len(ROUNDS) + 1


def going_on(place: AgentPlace) -> tuple[str, ...]:
    return ("resume", place.session_id, "go on") if place.transcripts() else ("go on",)


def killed(place: AgentPlace, worker: Worker, random: Random) -> None:
    """The program, killed at some moment: after a time, or shortly after one of its requests."""
    arrived = threading.Semaphore(0)
    worker.on_request = arrived.release
    wanted = random.randrange(len(ROUNDS) + 2)
    after_s = random.uniform(0, JUST_AFTER_S if wanted else LAST_KILL_S)
    with place.start(*going_on(place)) as process:
        try:
            for _ in range(wanted):
                if not arrived.acquire(timeout=WAIT_SECONDS if process.poll() is None else 0):
                    break
            if wanted:  # on a slow machine it has not come far by then
                until_it_grows(random.choice((None, kept_bytes, done_bytes)), place, process)
            with suppress(subprocess.TimeoutExpired):  # it still works: that is the moment
                process.wait(after_s)
        finally:
            process.kill()
            process.communicate()


def kept_bytes(place: AgentPlace) -> int:
    return sum(path.stat().st_size for path in place.transcripts())


def done_bytes(place: AgentPlace) -> int:
    log = place.repo / "log"
    return log.stat().st_size if log.exists() else 0


def until_it_grows(
    size: Callable[[AgentPlace], int] | None,
    place: AgentPlace,
    process: subprocess.Popen[bytes] | subprocess.Popen[str],
) -> None:
    """Returns when more is kept, or done, than now, or the program has ended; at once where no size counts."""
    if size is not None:
        before = size(place)
        wait_until(lambda: size(place) > before or process.poll() is not None)


def stage(place: AgentPlace, asked: list[Any]) -> str:
    """How far it had come: requests of this run, and whether a call was left open."""
    if not place.transcripts():
        return "nothing kept"
    found = read_transcript(str(place.transcript))
    opened = [item for item in found.items if isinstance(item, FunctionCall)]
    answered = [item for item in found.items if getattr(item, "output", None) is not None]
    return f"{len(asked)} requests, {found.ended_in_turn}, {len(opened) > len(answered)}"


def check(place: AgentPlace, before: bytes, asked: list[Any]) -> bytes:
    """What must hold after every run; gives what is kept now."""
    kept = place.transcript.read_bytes()
    assert kept.startswith(before)
    transcript = read_transcript(str(place.transcript))
    assert transcript.bad_count <= KILLS_PER_SESSION  # a kill inside write(2) tears one line; the next run ends it
    items = [item_json(item) for item in transcript.items]
    for each in asked:
        given = each.body["input"]
        assert_answered(given)
        own = [item for item in given if item.get("output") != SYNTHETIC]
        assert own == items[: len(own)], "the model saw what is not kept"
    lines = place.lines()
    assert max(Counter(lines).values(), default=0) <= 1, "something was done twice"
    assert set(lines) <= {item["call_id"] for item in items if item["type"] == "function_call"}
    assert lines == [line for line in lines if line]
    return kept


def assert_answered(items: list[Json]) -> None:
    """Every call has one answer behind it, and every answer a call."""
    still_open: set[str] = set()
    for item in items:
        if item["type"] == "function_call":
            assert item["call_id"] not in still_open
            still_open.add(item["call_id"])
        elif item["type"] == "function_call_output":
            still_open.remove(item["call_id"])
    assert not still_open
