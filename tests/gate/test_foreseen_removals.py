"""What a yes to run a removal gives, because its words name it."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandgate.config import TypedOverrides
from sandgate.gate.foreseen_removals import foreseen_removals
from sandgate.gate.question_reason import with_named
from sandgate.policy.small_grants import ALIKE_MAX
from sandgate.protocol.permissions import Grant
from sandgate.protocol.verdicts import Ask
from sandgate.runtime import Environment, Runtime, open_runtime

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@pytest.fixture
def runtime(tmp_path: Path) -> Runtime:
    """`repo` is the workspace; beside it lie `tree`, `file`, `many` files and `way`, a link to their directory."""
    for name in ("repo/inside", "home/.ssh", "tree/deep", "many"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("file", *(f"many/{at}" for at in range(ALIKE_MAX + 1))):
        (tmp_path / name).write_text("x")
    (tmp_path / "way").symlink_to(tmp_path)
    environ = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path / "home")}
    overrides = ("sandbox_workspace_write.exclude_slash_tmp=true",)
    typed = TypedOverrides(sandbox_mode="workspace-write")
    return open_runtime(Environment(str(tmp_path / "repo"), environ, overrides=overrides, typed=typed))


def given(runtime: Runtime, *argv: str, **request: Any) -> list[str]:
    grants = foreseen_removals(runtime.request(argv).but(**request), runtime.confinement)
    beside = Path(runtime.directory).parent
    assert all(grant == Grant("remove", grant.value) for grant in grants)
    return [str(Path(grant.value).relative_to(beside)) for grant in grants]


def test_what_lies_outside_and_is_named_in_full_is_given(runtime: Runtime) -> None:
    assert given(runtime, "rm", "-rf", "../tree") == ["tree"]
    assert given(runtime, "rm", "-rf", "../tree/", "inside", "../file", "../none") == ["tree", "file"]
    assert given(runtime, "sh", "-c", "rm -rf ../tree && ls") == ["tree"]


@pytest.mark.parametrize(
    "line",
    [
        "rm -rf inside",
        "rm -rf ../none",
        "rm -rf ../way/tree",  # where a link leads may change
        "rm -rf ../many/*",
        'rm -rf "$PLACE"',
        "cd .. && rm -rf tree",
        "rm -rf ..",
        "rm -rf ../home",
        "rm -rf /proc/1",
        "ls ../tree",
        "mv ../tree inside",
    ],
)
def test_everything_else_is_asked_about_at_its_call(runtime: Runtime, line: str) -> None:
    assert given(runtime, "sh", "-c", line) == []


def test_one_that_cannot_be_given_leaves_all_of_them_to_their_calls(runtime: Runtime) -> None:
    assert given(runtime, "rm", "-rf", "../tree", "../home") == []


def test_more_than_are_read_at_once_are_asked_about_at_their_calls(runtime: Runtime) -> None:
    names = [f"../many/{at}" for at in range(ALIKE_MAX + 1)]
    assert len(given(runtime, "rm", "-rf", *names[:-1])) == ALIKE_MAX
    assert given(runtime, "rm", "-rf", *names) == []


def test_who_asks_to_leave_the_sandbox_is_given_nothing_else(runtime: Runtime) -> None:
    assert given(runtime, "rm", "-rf", "../tree", wish="require_escalated") == []


def test_what_a_rule_has_closed_is_not_given_with_a_yes(runtime: Runtime) -> None:
    command, asks = runtime.request(("rm", "-rf", "../tree")), Ask()
    tree = str(Path(runtime.directory).parent / "tree")
    given = with_named(asks, command, runtime.confinement, lambda _grant: "")
    assert given == asks.but(grants=(Grant("remove", tree),))
    assert with_named(asks, command, runtime.confinement, lambda grant: "closed" if grant.value == tree else "") == asks
