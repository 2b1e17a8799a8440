"""`sandgate check`."""

from __future__ import annotations

import json

import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

pytestmark = pytest.mark.host("namespace")


def test_a_command_that_would_run_says_where_it_may_write(program: Any) -> None:
    assert program("check", "-s", "workspace-write", "-a", "untrusted", "--", "ls") == 0
    lines = program.out.splitlines()
    assert lines[:2] == ["verdict: allow", "policy: untrusted, sandbox WorkspaceWrite"]
    assert "sandbox: backend namespace" in lines
    assert "  network: off" in lines
    (places,) = (line for line in lines if line.startswith("  may write: "))
    assert str(program.repo) in places.removeprefix("  may write: ").split(", ")


def test_where_nobody_could_be_asked_it_says_how_to_judge_as_if_somebody_could(program: Any) -> None:
    assert program("check", "--", "ls") == 0
    assert "policy: never" in program.out
    assert "nobody could be asked; `-a on-failure` tells" in program.err
    program("check", "-a", "never", "--", "ls")
    assert "nobody could be asked" not in program.err


@pytest.mark.host("notify")
def test_the_places_it_names_are_those_a_run_is_held_to(program: Any) -> None:
    """Required: one source for both; a directory that is only kept from being moved is no place of its own."""
    (program.repo / "sub" / "inner" / ".git").mkdir(parents=True)
    (program.repo / ".git").mkdir()
    policy = ("-s", "workspace-write", "-a", "on-failure")
    assert program("check", *policy, "--", "touch", "/opt/never") == 0
    told = [line.partition("write: ")[2] for line in program.out.splitlines() if "may write: " in line]
    closed = [line.partition("not: ")[2].split(", ") for line in program.out.splitlines() if "but not: " in line]
    program("run", *policy, "--", "touch", "/opt/never")
    held = [line.partition("writable roots: ")[2].rstrip(")") for line in program.err.splitlines() if "roots: " in line]
    assert told == held
    assert str(program.repo) in told[0].split(", ")
    assert str(program.repo / "sub") not in told[0].split(", ")
    assert str(program.repo / ".git") in closed[0]


@pytest.mark.host("namespace", "notify")
def test_that_git_may_not_change_its_repository_is_foreseen_where_it_may_not(program: Any) -> None:
    """Required: told before the first try where `.git` is closed, and not where a draft carries the change over."""
    (program.repo / ".git").mkdir()
    (program.repo / "sub").mkdir()
    stops = f"  would stop: write {program.repo.resolve() / '.git'}"
    policy = ("-s", "workspace-write", "-a", "on-failure")
    for command in ("git add -A", f"git -C {program.repo}/sub commit -am wip"):
        program("check", *policy, "-c", 'sandbox.protect_git="all"', "--", "bash", "-c", command)
        assert stops in program.out.splitlines(), program.out
        program("check", *policy, "--", "bash", "-c", command)
        assert "would stop" not in program.out
    program("check", *policy, "-c", 'sandbox.protect_git="all"', "--", "git", "status")
    assert "would stop" not in program.out


def test_a_command_that_would_ask_says_which_part_and_why(program: Any) -> None:
    assert program("check", "-a", "untrusted", "--", "touch", "a b") == 3
    assert "verdict: ask" in program.out
    assert "  ask: touch 'a b' (policy: " in program.out
    assert list(program.repo.iterdir()) == []


def test_a_forbidden_command_has_the_rules_reason(program: Any) -> None:
    rules = program.home / ".sandgate" / "rules"
    rules.mkdir(parents=True)
    (rules / "mine.toml").write_text('[[rule]]\nprefix = ["ls"]\ndecide = "forbid"\nbecause = "no looking"\n')
    assert program("check", "--", "ls") == 4
    assert "no looking" in program.out


def test_without_a_sandbox_it_says_so(program: Any) -> None:
    assert program("check", "-s", "danger-full-access", "-a", "on-failure", "--", "ls") == 0
    assert "sandbox: none: it would run unconfined" in program.out
    assert "may write" not in program.out


def test_json_is_one_object(program: Any) -> None:
    assert program("check", "--json", "-a", "untrusted", "--", "ls") == 0
    told = json.loads(program.out)
    assert sorted(told) == [
        "because", "effects", "flip", "parts", "reason", "risk", "sandbox", "stopped", "verdict",
    ]  # fmt: skip
    assert told["flip"]["verdict"] == "ask"
    assert [effect["kind"] for effect in told["effects"]] == ["reads"]
    assert (told["verdict"], told["sandbox"]["backend"], told["sandbox"]["network"]) == ("allow", "namespace", "off")


def test_a_line_is_taken_apart_with_what_would_be_stopped_and_what_would_change_it(program: Any) -> None:
    assert program("check", "-a", "untrusted", "--", "bash", "-c", "ls && touch /data/x") == 3
    lines = program.out.splitlines()
    assert "    allow: ls (safe-list: only reads)" in lines
    assert any(line.startswith("    ask: touch /data/x (policy: ") for line in lines)
    assert "to have it allowed: sandgate rules add -- touch /data/x" in lines
    assert "  would stop: write /data/x" in lines


def test_hostile_words_cannot_forge_a_line(program: Any) -> None:
    forged = "x\n  would stop: nothing\x1b[2J"
    program("check", "-a", "untrusted", "--", "touch", forged)
    assert "  would stop: nothing" not in program.out.splitlines()
    assert "\x1b" not in program.out


def test_a_long_line_tells_how_many_parts_are_not_shown(program: Any) -> None:
    assert program("check", "-a", "untrusted", "--", "bash", "-c", ";".join(["ls"] * 20_000)) == 3
    assert "    and 19800 more, not shown" in program.out.splitlines()
    assert "more commands than are judged" in program.out


@pytest.mark.parametrize("command", [("git", "init", "--template=x"), ("git", "push"), ("touch", "/etc/x")])
def test_who_reads_the_verdict_alone_is_told_that_the_sandbox_has_a_say(program: Any, command: tuple[str, ...]) -> None:
    assert program("check", "-a", "on-failure", "--", *command) == 0
    assert program.out.splitlines()[0] == "verdict: allow (to start; the sandbox would stop part of it, see below)"
    assert program("check", "-s", "danger-full-access", "--", *command) == 0
    assert program.out.splitlines()[0] == "verdict: allow"
