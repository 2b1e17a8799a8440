"""Threads that share a session, each with a command whose calls wait at the same time: an answer is for one of them."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

import pytest

from sandgate.protocol.decisions import Decision

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from sandgate.protocol.decisions import ApprovalRequest, Passage
    from sandgate.runtime import Runtime
    from support.terminal.live_sessions import Workplace

ASKS = ('sandbox.ask="at-call"', "sandbox_workspace_write.exclude_slash_tmp=true")
LIMIT_S = 30.0
THREADS = 6
BACKENDS = [
    pytest.param("namespace", marks=pytest.mark.host("namespace", "notify")),
    pytest.param("landlock", marks=pytest.mark.host("landlock", "notify")),
]


@pytest.fixture(params=BACKENDS, autouse=True)
def backend(request: pytest.FixtureRequest, place: Workplace) -> None:
    """Calls wait in both."""
    place.backend = request.param


class Judge:
    """Answers by the question."""

    def __init__(self, decides: Callable[[ApprovalRequest], Any]) -> None:
        self.asked: list[ApprovalRequest] = []
        self._decides = decides

    def review(self, request: ApprovalRequest) -> Decision:
        self.asked.append(request)
        decision = self._decides(request)
        return Decision(request.stage, decision, "user", () if decision == "denied" else request.grants)


def session(place: Workplace, reviewer: Any) -> Runtime:
    return place.session(*ASKS, reviewer=reviewer, approval_policy="on-failure")


def all_at_once(runtime: Runtime, *commands: tuple[str, ...]) -> list[Passage]:
    """Each on a thread of its own; the passages in the order of the commands."""
    found: dict[int, Passage] = {}

    def run(number: int) -> None:
        found[number] = runtime.run(runtime.request(commands[number]))

    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(commands))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LIMIT_S)
    assert sorted(found) == list(range(len(commands))), "a thread hangs"
    return [found[number] for number in range(len(commands))]


def codes(passages: list[Passage]) -> list[int]:
    return [each.attempts[0].final.exit_code for each in passages]


def test_a_yes_to_one_thread_is_none_to_another(place: Workplace) -> None:
    """Required: each call gets its own answer, whichever comes first."""
    judge = Judge(lambda request: "approved" if int(request.grants[0].value[-1]) % 2 else "denied")
    runtime = session(place, judge)
    commands = [("mkdir", f"{place.outside}/d{number}") for number in range(THREADS)]
    passages = all_at_once(runtime, *commands)
    assert codes(passages) == [0 if number % 2 else 1 for number in range(THREADS)]
    made = sorted(each.name for each in place.outside.iterdir() if each.name.startswith("d"))
    assert made == [f"d{number}" for number in range(THREADS) if number % 2]
    assert len(judge.asked) == THREADS


def test_a_yes_once_is_none_to_another_command_that_wants_the_same(place: Workplace) -> None:
    """Required: two calls for one path wait at once; only the command that was said yes to has it."""
    note = place.outside / "note"
    note.write_text("")
    judge = Judge(lambda request: "approved" if "echo one" in request.command.argv[-1] else "denied")
    runtime = session(place, judge)
    commands = [("sh", "-c", f"echo {word} >> {note}") for word in ("one", "two", "three")]
    passages = all_at_once(runtime, *commands)
    assert [code == 0 for code in codes(passages)] == [True, False, False]
    assert note.read_text() == "one\n"
    assert len(judge.asked) == 3


def test_a_no_to_one_command_is_none_to_another(place: Workplace) -> None:
    """Required: what waits for its turn behind a no about the same path is asked about for its own sake."""
    note = place.outside / "note"
    note.write_text("")
    judge = Judge(lambda request: "denied" if "echo one" in request.command.argv[-1] else "approved")
    runtime = session(place, judge)
    passages = all_at_once(runtime, *[("sh", "-c", f"echo {word} >> {note}") for word in ("one", "two")])
    assert [code == 0 for code in codes(passages)] == [False, True]
    assert note.read_text() == "two\n"


def test_a_yes_for_the_session_answers_those_that_wait_for_the_same_and_no_others(place: Workplace) -> None:
    """Required: one question for all that want the place; what lies beside it is asked about."""
    note = place.outside / "note"
    note.write_text("")
    judge = Judge(lambda request: "denied" if "beside" in request.grants[0].value else "approved_for_session")
    runtime = session(place, judge)
    commands = [("sh", "-c", f"echo {number} >> {note}") for number in range(THREADS)]
    passages = all_at_once(runtime, *commands, ("sh", "-c", f"echo x >> {place.outside}/beside"))
    assert [code == 0 for code in codes(passages)] == [True] * THREADS + [False]
    assert sorted(note.read_text().split()) == [str(number) for number in range(THREADS)]
    assert sorted(request.grants[0].value for request in judge.asked) == [f"{place.outside}/beside", str(note)]


def test_what_one_thread_is_given_its_neighbour_cannot_use(place: Workplace) -> None:
    """Required: a grant stays with its command, also while that one still runs and its call is carried out."""
    given, go = threading.Event(), place.repo / "go"
    note = place.outside / "note"
    note.write_text("")

    def decides(request: ApprovalRequest) -> str:
        if ": first" not in request.command.argv[-1]:
            assert given.is_set()
            return "denied"
        return "approved"

    runtime = session(place, Judge(decides))
    os.mkfifo(go)
    first = f": first; echo one >> {note}; echo ready > {place.repo}/ready; read _ < go; echo two >> {note}"
    found: list[Passage] = []
    thread = threading.Thread(target=lambda: found.append(runtime.run(runtime.request(("sh", "-c", first)))))
    os.mkfifo(place.repo / "ready")
    thread.start()
    assert (place.repo / "ready").read_text() == "ready\n"
    given.set()
    other = runtime.run(runtime.request(("sh", "-c", f"echo stolen >> {note}")))
    go.write_text("go\n")
    thread.join(LIMIT_S)
    assert (codes(found), codes([other]) == [0]) == ([0], False)
    assert note.read_text() == "one\ntwo\n"
