"""The same command in the words rules are written with."""

from __future__ import annotations

import pytest

from sandgate.commandline.words import joined, split
from sandgate.policy.approval import verdict_for
from sandgate.policy.other_spellings import spelled_otherwise
from sandgate.policy.rules.model import Rule, RuleSet
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.permissions import WorkspaceWrite
from support.command.assessing import ENVIRONMENT, PROJECT
from support.suite.rows import every


def others(line: str) -> list[str]:
    argv = split(line)
    assert argv is not None
    return [joined(each) for each in spelled_otherwise(argv)]


@every(
    "line, meant",
    [
        ("pip3 install x", ["pip install x"]),
        ("/usr/bin/pip3.11 install x", ["pip install x"]),
        ("python -m pip install x", ["pip install x"]),
        ("python3 -Im pip3 install x", ["pip3 install x", "pip install x", "python -Im pip3 install x"]),
        ("pypy -W ignore -mpip list", ["pip list", "python -W ignore -mpip list"]),
        ("python x.py -m pip", []),
        ("python -c 'import x' -m pip", []),
        ("uv pip install x", ["pip install x"]),
        ("npm run-script deploy", ["npm run deploy"]),
        ("npm --silent i x", ["npm --silent install x", "npm --silent i exec"]),
        ("npm -w c run-script deploy", ["npm -w config run-script deploy", "npm -w c run deploy"]),
        ("npm run c", []),
        ("npm pub", ["npm publish"]),
        ("uv --quiet pip install x", ["pip install x"]),
        ("python -m pip.__main__ install x", ["pip install x"]),
        ("cargo +nightly b", ["cargo b", "cargo build"]),
        ("docker --context a container run x", ["docker --context a run x"]),
        ("make -s A=1 clean deploy", ["make clean", "make deploy"]),
        ("nodejs x.js", ["node x.js"]),
        ("docker image rm x", ["docker rmi x"]),
        ("podman container run x", ["podman run x"]),
        ("cp -f /usr/bin/curl c", ["/usr/bin/curl"]),
        ("cp a b", []),
        ("git push", []),
        ("gcc-12 x.c", ["gcc x.c"]),
    ],
)
def test_a_command_is_also_what_it_is_called_otherwise(line: str, meant: list[str]) -> None:
    assert others(line) == meant


FORBID = RuleSet(tuple(Rule(tuple((word,) for word in each.split()), "forbid") for each in ("pip install", "curl")))
ALLOW = RuleSet((Rule((("pip",), ("install",)), "allow", sandbox="bypass"),))


def decided(script: str, rules: RuleSet) -> str:
    command = CommandRequest(("bash", "-lc", script), PROJECT, ENVIRONMENT)
    return type(verdict_for(command, policy="on-request", sandbox=WorkspaceWrite(), rules=rules)).__name__


@pytest.mark.parametrize(
    "script",
    [
        "pip3 install x", "sudo pip3 install x", "x=pip3; $x install y", "bash -c 'python3 -m pip install x'",
        "cp /usr/bin/curl c && ./c y", "f() { shift; \"$@\"; }; f a curl y", "git config alias.x '!curl y'; git x",
        "hash -p /usr/bin/curl foo; foo y", "uv run curl y", "doppler run --project x -- curl y", "npx curl y",
        "python3 - <<'EOF'\nimport subprocess\nsubprocess.run(['pip', 'install', 'x'])\nEOF",
        "echo 'require(\"child_process\").execSync(\"curl y\")' | node",
        "node -e 'require(\"child_process\").spawnSync(\"curl\", [\"y\"])'",
    ],
)  # fmt: skip
def test_a_forbidding_rule_holds_for_every_spelling(script: str) -> None:
    assert decided(script, FORBID) == "Forbid"


@pytest.mark.parametrize("script", ["pip3 list", "python -m pytest", "cp curl x", "uv run pytest", "npx eslint src"])
def test_a_forbidding_rule_says_nothing_about_other_commands(script: str) -> None:
    assert decided(script, FORBID) == "Allow"


def test_a_reference_to_a_variable_leaves_open_what_runs() -> None:
    assert decided("declare -n r=x; x=curl; $r y", FORBID) == "Ask"


def test_an_allowing_rule_holds_as_it_is_written() -> None:
    """Required: leaving the sandbox needs the words the rule names."""
    command = CommandRequest(("python3", "-m", "pip", "install", "x"), PROJECT, ENVIRONMENT)
    verdict = verdict_for(command, policy="on-request", sandbox=WorkspaceWrite(), rules=ALLOW)
    assert not getattr(verdict, "bypass_sandbox", False)
