"""A child without a process. What becomes of it in a session: tests/contracts/test_gate_double.py."""

from __future__ import annotations

import os
import select
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from sandgate.execution.run import run
from sandgate.kernel.child import Ended
from sandgate.protocol.confinement import ConfinedCommand
from sandgate.protocol.permissions import EffectivePermissions
from sandgate.testing import ScriptedCommand
from sandgate.testing.script import CommandScript
from sandgate.testing.scripted_child import ScriptedChild, start_scripted
from support.process.waiting import none_left_open, open_descriptors

if TYPE_CHECKING:
    from sandgate.protocol.denials import Refused

LARGE = 5 << 20  # more than any pipe takes


def plan(workspace: str, **permissions: Any) -> ConfinedCommand:
    allowed = EffectivePermissions(**{"writable": (workspace,), **permissions})
    return ConfinedCommand("namespace", ("touch", "x"), workspace, {}, allowed)


def child(command: ScriptedCommand, at: ConfinedCommand | None = None) -> ScriptedChild:
    with open(os.devnull, "wb") as null:
        return ScriptedChild(at or plan("/project"), command, stdout=null.fileno(), stderr=null.fileno())


def attended(one: ScriptedChild) -> Ended:
    """Looked after until it is over."""
    while one.ended is None:
        ready, _, _ = select.select(one.descriptors(), (), (), 30)
        assert ready
        one.handle(ready[0])
    return one.ended


def test_it_prints_more_than_a_pipe_takes_and_ends(tmp_path: Path) -> None:
    script = CommandScript({"touch x": ScriptedCommand("a" * LARGE, "b" * LARGE, 7)})
    before = open_descriptors()
    outcome = run(
        plan(str(tmp_path)), stdin=None, stdout=None, stderr=None, timeout_ms=30_000, capture_bytes=2 * LARGE,
        starter=lambda plan, *, stdin, stdout, stderr, helper: start_scripted(  # noqa: ARG005
            plan, script, stdout=stdout, stderr=stderr
        ),
    )  # fmt: skip
    result = outcome.result
    assert result is not None
    assert (result.exit_code, len(result.stdout), len(result.stderr)) == (7, LARGE, LARGE)
    assert none_left_open(before)


def test_a_reader_who_has_gone_is_no_obstacle() -> None:
    reading, writing = os.pipe()
    one = ScriptedChild(plan("/project"), ScriptedCommand("a" * LARGE), stdout=writing, stderr=writing)
    os.close(writing)
    os.close(reading)
    assert attended(one) == Ended(0, None)


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGINT, signal.SIGKILL, signal.SIGTERM])
def test_an_endless_one_ends_by_a_signal_and_tells_so(number: int) -> None:
    one = child(ScriptedCommand("said", endless=True))
    while select.select(one.descriptors(), (), (), 0)[0]:
        one.handle(*one.descriptors())
    assert one.ended is None
    one.signal_group(number)
    assert attended(one) == Ended(128 + number, number)
    assert one.descriptors() == ()


def test_a_signal_that_ends_no_program_ends_it_neither() -> None:
    one = child(ScriptedCommand(endless=True))
    one.signal_group(signal.SIGCONT)
    one.handle(*one.descriptors())
    assert one.ended is None
    one.close()


def test_closed_it_is_killed_and_leaves_nothing() -> None:
    before = open_descriptors()
    one = child(ScriptedCommand("a" * LARGE, endless=True))
    one.close()
    one.close()
    one.signal_group(signal.SIGTERM)
    assert one.ended == Ended(137, signal.SIGKILL)
    assert none_left_open(before)


def refused(command: ScriptedCommand, at: ConfinedCommand) -> list[Refused]:
    one = child(command, at)
    one.close()
    return one.refused


@pytest.mark.parametrize("name", ["inside", "/project/deep/er", "../project/x"])
def test_a_writable_place_refuses_nothing(name: str) -> None:
    assert refused(ScriptedCommand(writes=(name,)), plan("/project")) == []


@pytest.mark.parametrize(
    ("name", "path", "errno"),
    [
        ("../x", "/x", "EROFS"),
        ("/etc/hostname", "/etc/hostname", "EROFS"),
        (".git", "/project/.git", "EACCES"),
        (".git/config", "/project/.git/config", "EACCES"),
        ("my.code-workspace", "/project/my.code-workspace", "EACCES"),
        ("kept/x", "/project/kept/x", "EROFS"),
    ],
)
def test_a_closed_place_refuses_and_only_the_first_counts(name: str, path: str, errno: str) -> None:
    at = plan("/project", absent=("/project/.git", "/project/*.code-workspace"), read_only=("/project/kept",))
    (found,) = refused(ScriptedCommand(writes=("inside", name, "/elsewhere")), at)
    assert (found.path, found.errno, found.program) == (path, errno, "touch")


@pytest.mark.parametrize(
    ("permissions", "reached"),
    [
        ({}, False),
        ({"network": "on"}, True),
        ({"hosts": ("10.0.0.1:443",)}, True),
        ({"hosts": ("10.0.0.1:80",)}, False),
    ],
)
def test_a_connection_is_refused_where_the_network_is_closed(permissions: dict[str, Any], reached: bool) -> None:
    found = refused(ScriptedCommand(connects=("10.0.0.1:443",)), plan("/project", **permissions))
    assert [each.address for each in found] == ([] if reached else ["10.0.0.1:443"])
    assert refused(ScriptedCommand(connects=("127.0.0.1:80", "[::1]:80")), plan("/project", **permissions)) == []


def test_what_is_not_confined_is_refused_nothing() -> None:
    unconfined = plan("/project").but(backend="none")
    assert refused(ScriptedCommand(writes=("/etc/x",), connects=("10.0.0.1:443",)), unconfined) == []
