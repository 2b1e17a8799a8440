"""What a rule about a program means when the program stands behind another one."""

from __future__ import annotations

import pytest

from sandgate.commandline.words import joined, quoted
from sandgate.commandline.wrappers import WRAPPERS
from sandgate.policy.approval import verdict_for
from sandgate.policy.rules.model import Rule, RuleSet
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.permissions import WorkspaceWrite
from sandgate.protocol.verdicts import Allow, Ask, Forbid
from support.command.assessing import ENVIRONMENT, PROJECT
from support.command.launching import EVERY_LAUNCHED
from support.suite.rows import every

INNER = ("rm", "x")


def wrapped(name: str) -> tuple[str, ...]:
    marks = WRAPPERS[name].split()
    if "command_option" in marks:
        return (name, "-c", joined(INNER))
    if "operand" in marks:
        return (name, joined(INNER), "EXIT")
    return (name, *(("1",) if "skip1" in marks else ()), *INNER)


OTHERS = [
    ("bash", "-c", "rm x"),
    ("sh", "-ec", "ls; rm x"),
    ("bash", "-o", "pipefail", "-c", "rm x"),
    ("find", ".", "-exec", "rm", "x", ";"),
    ("env", "-S", "rm x"),
    ("env", "A=1", "timeout", "-k", "1", "5", "nice", "-n", "3", "rm", "x"),
    ("xargs", "-n", "1", "-I", "{}", "rm", "x"),
    ("xargs", "sh", "-c", "rm x"),
    ("sudo", "-u", "root", "--", "rm", "x"),
    ("flock", "/tmp/l", "-c", "rm x"),
    ("ssh", "host", "rm", "x"),
    ("time", "-p", "rm", "x"),
]
EVERY = [*(wrapped(name) for name in sorted(WRAPPERS)), *OTHERS, *EVERY_LAUNCHED]


def verdict(argv: tuple[str, ...], *rules: Rule, policy: str = "on-request") -> Allow | Ask | Forbid:
    command = CommandRequest(argv, PROJECT, ENVIRONMENT)
    return verdict_for(command, policy=policy, sandbox=WorkspaceWrite(), rules=RuleSet(rules))  # type: ignore[arg-type]


@every("argv", EVERY)
def test_a_rule_that_forbids_a_program_holds_behind_every_wrapper(argv: tuple[str, ...]) -> None:
    forbid = Rule((("rm",),), "forbid")
    assert isinstance(verdict(argv, forbid), Forbid)
    for script in (joined(argv), f"ls && {joined(argv)}", f"bash -c {quoted(joined(argv))}", f"x=$({joined(argv)})"):
        assert isinstance(verdict(("bash", "-lc", script), forbid), Forbid)


@every("argv", EVERY)
def test_a_rule_that_allows_a_wrapper_does_not_allow_what_it_runs(argv: tuple[str, ...]) -> None:
    allow = Rule(((argv[0],),), "allow", sandbox="bypass")
    assert isinstance(verdict(argv, allow, policy="untrusted"), Ask)
    assert isinstance(verdict(("bash", "-lc", joined(argv)), allow, policy="untrusted"), Ask)


@pytest.mark.parametrize("length", [2, 3, 6, 7, 9, 10, 11])
def test_it_must_reach_the_inner_program(length: int) -> None:
    argv = ("env", "A=1", "timeout", "-k", "1", "5", "nice", "-n", "3", "rm", "x")
    allow = Rule(tuple([(word,) for word in argv[:length]]), "allow")
    assert isinstance(verdict(argv, allow, policy="untrusted"), Ask if length < 10 else Allow)


@every("argv", [argv for argv in EVERY if "-c" not in argv and "-S" not in argv])
def test_a_rule_that_names_all_of_it_allows_it(argv: tuple[str, ...]) -> None:
    allow = Rule(tuple([(word,) for word in argv]), "allow")
    assert isinstance(verdict(argv, allow, policy="untrusted"), Allow)


def test_a_script_in_a_file_is_what_a_rule_about_a_shell_means() -> None:
    """Our choice: `bash setup.sh` names what it runs, `bash -c` and `bash` at the end of a pipe do not."""
    allow = Rule((("bash",),), "allow")
    assert isinstance(verdict(("bash", "setup.sh"), allow, policy="untrusted"), Allow)
    assert isinstance(verdict(("bash", "-c", "x"), allow, policy="untrusted"), Ask)
    assert isinstance(verdict(("bash",), allow, policy="untrusted"), Ask)


def test_a_wrapper_that_runs_nothing_is_a_program_like_any_other() -> None:
    allow = Rule((("env",),), "allow")
    assert isinstance(verdict(("env", "--unknown"), allow, policy="untrusted"), Ask)
    assert isinstance(verdict(("env", "-0"), allow, policy="untrusted"), Allow)
    assert isinstance(verdict(("find", ".", "-fprint", "x"), Rule((("find",),), "allow"), policy="untrusted"), Allow)
