"""A program or code that is named in an option, a variable or a name weighs like a command of its own."""

from __future__ import annotations

import pytest

from sandgate.policy.approval import verdict_for
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.permissions import WorkspaceWrite
from sandgate.protocol.verdicts import Allow
from support.command.assessing import ENVIRONMENT, PROJECT, judged
from support.suite.rows import every

UNREAD = [
    "rg --pre ./x word",
    "rg --pre rm word",
    "git grep -O./x word",
    "bash --rcfile /tmp/e -ic ls",
    "BASH_ENV=/tmp/e bash -c ls",
    "ENV=/tmp/e sh -i",
    "LD_LIBRARY_PATH=/tmp/e ls",
    "PYTHONSTARTUP=/tmp/e python3",
    "PERL5OPT=-M/tmp/e perl x.pl",
    "NODE_OPTIONS=--require=/tmp/e.js npm test",
    "npm_config_script_shell=./e npm test",
    "npm --script-shell=./e run x",
    "node --require /tmp/e.js -e 1",
    "JAVA_TOOL_OPTIONS=-javaagent:/tmp/e.jar java -version",
    "git --git-dir=/tmp/e status",
    "git --work-tree=/tmp/e status",
    "git --config-env=core.pager=X log",
    "GIT_DIR=/tmp/e git status",
    "git log --ext-diff",
    "git diff --textconv",
    "git -c core.pager=./x log",
    "git -c merge.x.driver=./x merge y",
    "RUSTC_WRAPPER=./e cargo build",
    "CC=./e make",
    "make CC=./e",
    "go build -toolexec ./e .",
    "GOFLAGS=-toolexec=./e go build",
    "gcc -wrapper ./e x.c",
    "gcc -B/tmp/e x.c",
    "openssl req -engine /tmp/e.so",
    "enable -f /tmp/e.so ls",
    "hash -p /tmp/e ls",
    "PATH=$PWD/bin:$PATH make",
    "PATH=$PATH:/tmp/e ls",
    "PATH= ls",
    "sed 's/x/ls/e' f",
]


@every("script", UNREAD)
def test_what_is_named_but_not_read_is_never_low_and_never_runs_unasked(script: str) -> None:
    """Required: under `untrusted` such a command is a question."""
    assert judged(script).risk_level != "low"
    request = CommandRequest(("bash", "-lc", script), PROJECT, ENVIRONMENT)
    assert not isinstance(verdict_for(request, policy="untrusted", sandbox=WorkspaceWrite()), Allow)


@pytest.mark.parametrize(
    "script",
    [
        "PATH=/usr/local/bin:$PATH ls",
        "PATH=/usr/bin ls",
        "GIT_PAGER=cat git log",
        "sort --parallel=2 f",
        "rg --pretty x",
    ],
)
def test_places_of_the_system_and_plain_options_stay_low(script: str) -> None:
    assert judged(script).risk_level == "low"


@pytest.mark.parametrize(
    ("entry", "level"), [("/tmp/e", "high"), ("bin", "medium"), ("/home/u/.local/bin", "medium"), ("/opt/x", "low")]
)
def test_a_search_path_weighs_by_who_may_write_to_it(entry: str, level: str) -> None:
    assert judged(f"PATH={entry}:$PATH ls").risk_level == level


def test_a_value_that_no_command_follows_is_judged_too() -> None:
    """Required: what an assignment hands over was once dropped unless another command came behind it."""
    assert judged("export GIT_PAGER='rm -rf ~'").risk_level == "high"
    assert judged("v='a[$(rm -rf ~)]'; [[ v -eq 1 ]]").risk_level == "high"


@pytest.mark.parametrize(
    "script",
    [
        "x='$(rm -rf ~/photos)'; echo ${x@P}",
        "x='\\$(rm -rf ~/photos)'; echo \"${x@P}\"",
        "compgen -W '$(rm -rf ~/photos)'",
        "printf -v PS4 '%s' '$(rm -rf ~/photos)'; set -x; :",
        "read x <<< 'a[$(rm -rf ~/photos)]'; echo $((x))",
        "f() { echo $(($1)); }; f 'a[$(rm -rf ~/photos)]'",
        "exit 'a[$(rm -rf ~/photos)]'",
    ],
)
def test_text_that_the_shell_expands_again_weighs_like_a_command(script: str) -> None:
    assert judged(script).risk_level == "high"


@pytest.mark.parametrize("script", ["echo ${a[$((i + 1))]}", "grep '^$(date)' f", 'compgen -W "$(git branch)" x'])
def test_text_that_stays_text_weighs_nothing(script: str) -> None:
    assert judged(script).risk_level == "low"


@pytest.mark.parametrize(
    ("script", "level"),
    [
        ("BASH_ALIASES[ls]='rm -rf ~/photos'; ls", "high"),
        ("BASH_CMDS[ls]=./x; ls", "medium"),
        ("BASH_CMDS=([ls]=./x); ls", "medium"),
        ("HOME=. git status", "medium"),
        ("DOTNET_STARTUP_HOOKS=./x.dll dotnet run", "medium"),
    ],
)
def test_a_variable_that_gives_a_name_another_meaning_weighs_like_what_it_means(script: str, level: str) -> None:
    assert judged(script).risk_level == level
