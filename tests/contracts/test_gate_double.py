"""A scripted gate answers as the real one does: each case is played to both, and what they say is compared."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sandgate import Environment, open_runtime
from sandgate.protocol.trace import OutputArrived, TerminalBegan, TerminalEnded
from sandgate.record import Record
from sandgate.testing import ReviewerDouble, ScriptedCommand, scripted_runtime
from support.terminal.live_sessions import NOT_ALL_OF_TMP

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from typing import Any

    from sandgate.protocol.decisions import ApprovalRequest, Attempt, Passage
    from sandgate.protocol.denials import Denial
    from sandgate.protocol.permissions import EffectivePermissions
    from sandgate.protocol.trace import TraceRecord
    from sandgate.runtime import Runtime
    from sandgate.tools.answers import ExecAnswer
    from sandgate.tools.patch_answer import PatchAnswer

pytestmark = pytest.mark.host("namespace")

OUTSIDE = "{outside}/new"
ELSEWHERE = (OutputArrived, TerminalBegan, TerminalEnded)  # told in pieces, or by another thread
REFUSED_WRITE = ScriptedCommand(writes=(OUTSIDE,))


class Case(Record):
    """A command with what a script says of it, under a policy, before a reviewer who has these answers."""

    argv: tuple[str, ...]
    scripted: str | ScriptedCommand
    policy: str = "on-failure"
    answers: tuple[str, ...] = ()
    times: int = 1
    timeout_ms: int | None = None
    settings: tuple[str, ...] = ()


CASES = {
    "success": Case(("/bin/true",), ""),
    "output": Case(("echo", "hello"), "hello\n"),
    "failure": Case(("sh", "-c", "echo out; echo err >&2; exit 3"), ScriptedCommand("out\n", "err\n", 3)),
    "a write in the workspace": Case(("touch", "made"), ScriptedCommand(writes=("made",))),
    "a write to a protected name": Case(("touch", ".envrc"), ScriptedCommand(writes=(".envrc",)), "never"),
    "a denied write": Case(("touch", OUTSIDE), REFUSED_WRITE, "never"),
    "a denied write that is refused": Case(("touch", OUTSIDE), REFUSED_WRITE, answers=("deny",)),
    "a denied write that is approved": Case(("touch", OUTSIDE), REFUSED_WRITE, answers=("approve",)),
    "for the session": Case(("touch", OUTSIDE), REFUSED_WRITE, answers=("approve-session",), times=2),
    "a denied connection": Case(
        ("bash", "-c", "exec 3<>/dev/tcp/10.0.0.1/443"), ScriptedCommand(connects=("10.0.0.1:443",)), answers=("deny",)
    ),
    "a question that is answered with no": Case(("/bin/cp", "a", "b"), "", "untrusted", ("deny",)),
    "a question that is answered with yes": Case(("/usr/bin/tee", "/dev/null"), "", "untrusted", ("approve",)),
    "a command that policy forbids": Case(("rm", "-rf", "/"), "", "never"),
    "a time limit": Case(("sleep", "1000"), ScriptedCommand(endless=True), timeout_ms=200),
    "everything is allowed": Case(("touch", OUTSIDE), REFUSED_WRITE, settings=("sandbox_mode=danger-full-access",)),
}


class Sides:
    """The same workspace and home for both; what they are told is kept."""

    def __init__(self, folder: Path) -> None:
        self.repo, self.home, self.outside = folder / "repo", folder / "home", folder / "outside"
        for each in (self.repo, self.home, self.outside):
            each.mkdir()
        self.environ = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(self.home)}
        self.told: list[TraceRecord] = []

    def here(self, text: str) -> str:
        return text.format(outside=self.outside)

    def settings(self, case: Case) -> tuple[str, ...]:
        chosen = ("sandbox_mode=workspace-write", f"approval_policy={case.policy}", "sandbox.backend=namespace")
        return (NOT_ALL_OF_TMP, *chosen, *case.settings)

    def real(self, case: Case, reviewer: ReviewerDouble) -> AbstractContextManager[Runtime]:
        environment = Environment(cwd=str(self.repo), environ=self.environ, overrides=self.settings(case))
        return open_runtime(environment, reviewers=reviewers(case, reviewer), record=self.told.append)

    def double(self, case: Case, reviewer: ReviewerDouble) -> AbstractContextManager[Runtime]:
        given = case.scripted if isinstance(case.scripted, ScriptedCommand) else ScriptedCommand(case.scripted)
        here = given.but(writes=tuple(self.here(each) for each in given.writes))
        text = case.argv[2] if case.argv[1:2] == ("-c",) else " ".join(map(self.here, case.argv))
        return scripted_runtime(
            {text: here},
            cwd=str(self.repo),
            environ=self.environ,
            overrides=self.settings(case),
            reviewers=reviewers(case, reviewer),
            record=self.told.append,
        )

    def clear(self) -> None:
        """As it was before."""
        for path in (*self.repo.iterdir(), *self.outside.iterdir()):
            path.unlink()
        self.told.clear()


@pytest.fixture
def sides(tmp_path: Path) -> Sides:
    return Sides(tmp_path)


def reviewers(case: Case, reviewer: ReviewerDouble) -> tuple[ReviewerDouble, ...]:
    return (reviewer,) if case.answers else ()


def played(sides: Sides, case: Case, *, by_double: bool, tool: bool) -> list[Any]:
    """All that a caller, a reviewer and a listener get to see of it."""
    sides.clear()
    reviewer = ReviewerDouble(*case.answers)
    argv = tuple(map(sides.here, case.argv))
    with (sides.double if by_double else sides.real)(case, reviewer) as runtime:
        seen: list[Any] = []
        for _ in range(case.times):
            (sides.outside / "new").unlink(missing_ok=True)  # the double makes nothing
            if tool:
                script = argv[2] if argv[1:2] == ("-c",) else " ".join(argv)
                seen.append(answered(runtime.exec_command(script)))
            else:
                seen.append(passed(runtime.run(runtime.request(argv, timeout_ms=case.timeout_ms))))
    told = [type(event).__name__ for event in sides.told if not isinstance(event, ELSEWHERE)]
    return [*seen, [asked(each) for each in reviewer.asked], told]


def passed(passage: Passage) -> dict[str, Any]:
    attempts = [
        (each.confined, each.backend, each.allowed_by, each.grants, each.denial.verdict, denied(each.denial.denials),
         each.final.exit_code, each.final.signal, each.final.termination, printed(each, each.final.stdout),
         printed(each, each.final.stderr), here(each.permissions, passage.command.cwd))
        for each in passage.attempts
    ]  # fmt: skip
    return {"verdict": passage.verdict, "attempts": attempts, "decisions": passage.decisions,
            "refusal": passage.refusal, "aborted": passage.aborted, "risk": passage.risk}  # fmt: skip


def here(permissions: EffectivePermissions, workspace: str) -> dict[str, Any]:
    """Without the places elsewhere on the machine, where others may make and remove something meanwhile."""
    place = os.path.dirname(workspace)
    found: dict[str, Any] = {}
    for name, value in permissions.but(copies=()).fields().items():
        places = isinstance(value, tuple) and name != "hosts"
        found[name] = [each for each in value if each.startswith(place)] if places else value
    return found


def printed(attempt: Attempt, output: bytes) -> bytes | None:
    """Programs have their own words for what was refused to them."""
    return None if attempt.denial.denied else output


def answered(answer: ExecAnswer) -> dict[str, Any]:
    refused = {"output": "", "original_token_count": 0} if answer.denials else {}
    notices = tuple(each.partition(" by ")[0] for each in answer.notices)
    own = {"wall_time_seconds": 0.0, "chunk_id": None, "denials": (), "notices": notices}
    return answer.but(**own, **refused).fields() | {"denied": denied(answer.denials)}


def denied(denials: tuple[Denial, ...]) -> list[Any]:
    return [(each.operation, each.path, each.address, each.errno, each.certain, each.layer, each.grant)
            for each in denials]  # fmt: skip


def asked(request: ApprovalRequest) -> dict[str, Any]:
    own = {"request_id": "", "call_id": "", "binding": None, "denial": None}
    command = request.command.but(env={})
    report = request.denial
    return request.but(**own, command=command).fields() | {"denied": report and denied(report.denials)}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_a_command_goes_as_the_real_gate_would_have_it(sides: Sides, case: Case) -> None:
    real = played(sides, case, by_double=False, tool=False)
    assert played(sides, case, by_double=True, tool=False) == real


@pytest.mark.parametrize("name", [name for name, each in CASES.items() if each.timeout_ms is None])
def test_the_tool_answers_as_the_real_one(sides: Sides, name: str) -> None:
    case = CASES[name]
    real = played(sides, case, by_double=False, tool=True)
    assert played(sides, case, by_double=True, tool=True) == real


LIVES = Case(("sleep", "1000"), ScriptedCommand(endless=True))


def test_a_command_that_lives_on_is_listed_and_ended_alike(sides: Sides) -> None:
    found = []
    for opened in (sides.real, sides.double):
        with opened(LIVES, ReviewerDouble()) as runtime:
            answer = runtime.exec_command("sleep 1000", yield_time_ms=250)
            (live,) = runtime.list_live()
            assert (answer.session_id, live.state) == (live.session_id, "running")
            assert runtime.terminate(live.session_id)
            found.append([answered(answer.but(session_id=1)), answered(runtime.write_stdin(live.session_id))])
            assert runtime.list_live() == ()
    assert found[0] == found[1]


@pytest.mark.parametrize("path", ["made.txt", OUTSIDE])
@pytest.mark.parametrize("answer", ["approve", "deny"])
def test_a_patch_goes_as_the_real_gate_would_have_it(sides: Sides, path: str, answer: str) -> None:
    """It is written by both, where it is allowed."""
    case = Case(("true",), "", "on-request", (answer,))
    text = f"*** Begin Patch\n*** Add File: {sides.here(path)}\n+hello\n*** End Patch\n"
    found: list[Any] = []
    for opened in (sides.real, sides.double):
        sides.clear()
        reviewer = ReviewerDouble(answer)
        with opened(case, reviewer) as runtime:
            done = runtime.apply_patch(text)
            written = (sides.repo / sides.here(path)).exists()
            found.append([patched(done), written, [asked(each) for each in reviewer.asked]])
            if path != OUTSIDE:  # which stays closed to the session
                assert runtime.undo_patch(done.call_id) == written
    assert found[0] == found[1]


def patched(done: PatchAnswer) -> dict[str, Any]:
    return done.but(call_id="", wall_time_seconds=0.0, passage=None).fields() | {"decisions": done.passage.decisions}
