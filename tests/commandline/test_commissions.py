"""Programs that are told in an option or a variable to run another one."""

from __future__ import annotations

import pytest

from sandgate.commandline import segments
from sandgate.commandline.commission_rows import COMMISSIONED
from sandgate.commandline.commissions import commissioned, git_runs, run_for
from sandgate.commandline.invocation import everything_run
from sandgate.commandline.wrappers import STARTERS
from support.suite.rows import every


@every(
    "script",
    [
        "git grep -O'rm -rf y' x",
        "git grep --open-files-in-pager='rm -rf y' x",
        "git grep --open='rm -rf y' x",
        "git clone -u 'rm -rf y' h:x",
        "rg --pre 'rm -rf y' x",
        "sort --compress-prog='rm -rf y' x",
        "rsync -avze 'rm -rf y' a h:b",
        "tar -F 'rm -rf y' -xf x.tar",
        "man -P'rm -rf y' ls",
        "scp -o ProxyCommand='rm -rf y' a h:",
        "sftp -oProxyCommand='rm -rf y' h",
        "go test -exec 'rm -rf y' ./...",
        "cargo --config 'alias.b=\"!rm -rf y\"' b",
        "hg --config alias.x='!rm -rf y' x",
        "apt -o Dpkg::Pre-Invoke::='rm -rf y' install x",
        "make CC='rm -rf y'",
        "make --eval='x=$(shell rm -rf y)'",
        "strace -o '|rm -rf y' ls",
        "fd . -x rm -rf y",
        "fd . -x ls -x \\; -x rm -rf y",
        "ip netns exec x rm -rf y",
        "ip -n exec net ex x rm -rf y",
        "sed '1e rm -rf y' f",
        "LESSOPEN='|rm -rf y' less x",
        "KUBE_EDITOR='rm -rf y' kubectl edit x",
        "env 'BASH_FUNC_ls%%=() { rm -rf y; }' bash -c ls",
        "GIT_CONFIG_VALUE_0='rm -rf y' git log",
        "time PAGER='rm -rf y' man ls",
        "timeout 5 git -c core.pager='rm -rf y' log",
        "nice xargs -a l timeout 5 sort --compress-program='rm -rf y'",
        "vim -es -c 'call system(\"rm -rf y\")'",
        "entr rm -rf y",
    ],
)
def test_what_an_option_or_a_variable_names_is_found_as_a_command(script: str) -> None:
    commands = everything_run(segments(("bash", "-lc", script))).commands
    assert any(argv[:3] == ("rm", "-rf", "y") for argv in commands)


@pytest.mark.parametrize(
    ("argv", "scripts"),
    [
        (("rg", "--pre", "./x", "y"), ["./x", "find . -exec ./x {} +"]),
        (("bash", "--rcfile", "/tmp/e", "-i"), [". '/tmp/e'"]),
        (("node", "--require=./e.js", "x.js"), [". './e.js'"]),
        (("gcc", "-B/tmp/e", "x.c"), [". '/tmp/e'"]),
        (("java", "-javaagent:/tmp/e.jar", "x"), [". '/tmp/e.jar'"]),
        (("hash", "-p", "/tmp/e", "ls"), ["/tmp/e"]),
        (("ruby", "-rjson", "x.rb"), []),
        (("node", "-r", "dotenv/config", "x.js"), []),
        (("git", "diff", "-Oorder", "HEAD"), []),
        (("git", "grep", "-O", "x"), []),
        (("rg", "--pre-glob", "*.pdf", "x"), []),
        (("tar", "-cf", "x.tar", "-C", "d", "."), []),
        (("rsync", "-av", "--exclude=x", "a", "b"), []),
        (("make", "PREFIX=/usr", "install"), []),
        (("strace", "-o", "log", "ls"), []),
        (("ssh", "-o", "ConnectTimeout=5", "h"), []),
        (("sed", "-n", "s/e/f/gp", "f"), []),
        (("ls", "-la"), []),
    ],
)
def test_a_command_hands_over_what_it_names_and_nothing_else(argv: tuple[str, ...], scripts: list[str]) -> None:
    assert list(commissioned(argv)) == scripts


@pytest.mark.parametrize(
    ("variable", "value", "scripts"),
    [
        ("GIT_PAGER", "less", ["less"]),
        ("LESSOPEN", "||cat %s", ["cat %s"]),
        ("HGEDITOR", "vi", ["vi"]),
        ("NODE_OPTIONS", "--require ./e.js", ["--require ./e.js", ". './e.js'", "./e.js"]),
        ("PATH", "/tmp/e", []),
        ("NAME", "rm", []),
    ],
)
def test_a_variable_that_programs_run_is_a_script(variable: str, value: str, scripts: list[str]) -> None:
    assert list(run_for(variable, value)) == scripts


def test_settings_of_git_that_name_commands_are_known_in_any_case() -> None:
    keys = ("core.pager", "Core.SSHCommand", "diff.x.textconv", "merge.x.driver", "remote.o.uploadpack", "user.name")
    assert [git_runs(key) for key in keys] == [True] * 5 + [False]


def test_every_program_that_takes_a_command_is_looked_into() -> None:
    """Required: what is not among the starters is judged by its own words alone."""
    assert COMMISSIONED <= STARTERS
