"""Which rules speak about a segment, and about what it starts. `test_wrapped_rules.py` has every wrapper."""

from __future__ import annotations

import pytest

from sandgate.commandline import segments
from sandgate.policy.reach import reaching, tightening
from sandgate.policy.rules.model import Rule, RuleSet
from support.suite.rows import every


def rule(text: str, decide: str = "allow") -> Rule:
    return Rule(tuple((word,) for word in text.split()), decide)  # type: ignore[arg-type]  # one of the three words


@every(
    "prefix, command, reaches",
    [
        ("env", "env rm x", False),
        ("env rm", "env rm x", True),
        ("rg", "rg --pre ./x y", False),
        ("rg", "rg y", True),
        ("make", "make all", True),
        ("bash x.sh", "bash x.sh y", True),
        ("bash", "bash -c ls", False),
        ("uv", "uv --quiet run rm x", False),
        ("tmux", "tmux -L a new rm", False),
        ("npm", "npm --silent exec rm x", False),
        ("cargo", "cargo +nightly watch -s rm", False),
        ("hyperfine ls", "hyperfine ls rm", False),
        ("nodemon --exec ls", "nodemon --exec ls -x rm", False),
        ("watchexec ls", "watchexec ls ; rm x", False),
        ("adb shell ls", "adb shell ls -l", True),
        ("watch ls", "watch ls ; rm x", False),
        ("watch ls", "watch ls -l", True),
        ("tmux ls", "tmux ls ; new rm", False),
        ("find . -exec ls", "find . -exec ls {} ; -exec rm {} ;", False),
        ("chamber exec s", "chamber exec s -- rm x", False),
        ("cpulimit", "cpulimit -l 5 rm x", False),
        ("gtimeout -k 1 5", "gtimeout -k 1 5 rm x", False),
        ("npx eslint", "npx eslint -c x .", True),
        ("npx --yes eslint", "npx --yes eslint -c x .", True),
        ("npx --other x", "npx --other x -c rm", False),
        ("uv run pytest", "uv run pytest -- -k x", True),
        ("bazel run //x", "bazel run //x -- y", True),
        ("nix run nixpkgs#x", "nix run nixpkgs#x -- y", True),
        ("make lint", "make lint --eval=x", False),
        ("make lint", "make lint -f other.mk", False),
        ("make lint", "make lint LINT=./x", False),
        ("make -f own.mk", "make -f own.mk lint", True),
        ("make -f own.mk", "make -f own.mk -f other.mk", False),
        ("make lint", "make lint -k", True),
        ("npm run x", "npm run x --prefix y", False),
        ("git", "git -c core.fsmonitor=x status", False),
        ("git status", "git status -s", True),
        ("cargo test", "cargo test --config x", False),
        ("just", "just -f x y", False),
        ("pytest", "pytest -p evil", False),
        ("pytest", "pytest -q tests", True),
        ("docker compose up", "docker compose up -d", True),
        ("docker compose", "docker compose -f x up", False),
        ("terraform plan", "terraform plan -chdir=x", False),
        ("kubectl get", "kubectl get pods --kubeconfig x", False),
        ("ansible-playbook site.yml", "ansible-playbook site.yml -i x", False),
        ("node server.js", "node server.js --config x", True),
        ("acmectl deploy", "acmectl deploy --config x", False),
    ],
)
def test_an_allowing_rule_ends_where_another_program_begins(prefix: str, command: str, reaches: bool) -> None:
    found = reaching(tuple(command.split()), (rule(prefix),))
    assert (found == (rule(prefix),)) is reaches


def test_rules_that_ask_or_forbid_reach_whatever_stands_behind_them() -> None:
    asking = rule("env", "ask")
    assert reaching(("env", "rm", "x"), (asking,)) == (asking,)


def test_rules_about_a_program_inside_only_tighten() -> None:
    forbidding, allowing = rule("rm", "forbid"), rule("rm")
    argv = ("env", "A=1", "nice", "rm", "x")
    assert tightening(segments(argv), argv, RuleSet((forbidding, allowing))) == (forbidding,)
    assert tightening(segments(("ls",)), ("ls",), RuleSet((forbidding,))) == ()


@every(
    "prefix, command",
    [
        ("terraform destroy", "terraform -chdir=infra destroy -auto-approve"),
        ("kubectl delete", "kubectl -n prod delete ns x"),
        ("kubectl delete", "kubectl --context=prod -n x delete ns y"),
        ("make deploy", "make -C . -s deploy"),
        ("make deploy", "make -j2 deploy"),
        ("npm publish", "npm -w pkg publish"),
        ("npm run deploy", "npm run -s deploy"),
        ("aws s3 rm", "aws --profile prod s3 rm s3://b"),
        ("docker run", "docker -H tcp://h run x"),
        ("git push --force", "git -C x push --no-verify --force"),
        ("npm publish", "env A=1 npm --silent publish"),
        ("rm", "uv --directory x run rm y"),
        ("rm", "poetry -C x run rm y"),
        ("rm", "npm --prefix p exec -c rm"),
        ("rm", "npx rm -c x"),
        ("rm", "tmux -f x new-session rm"),
        ("rm", "tmux kill-server ; new rm"),
        ("rm", "nix run nixpkgs#rm -- x"),
        ("rm", "caffeinate -i rm x"),
        ("rm", "setpriv --reuid 1 rm x"),
        ("rm", "gtimeout -k 1 5 rm x"),
        ("rm", "perf record -g rm x"),
        ("rm", "chamber exec s -- rm x"),
        ("rm", "entr -s rm"),
        ("npm publish", "yarn npm publish"),
        ("pip install", "uv run -m pip install x"),
    ],
)
def test_options_in_between_hide_nothing_from_a_rule_that_asks_or_forbids(prefix: str, command: str) -> None:
    argv = tuple(command.split())
    assert tightening(segments(argv), argv, RuleSet((rule(prefix, "forbid"),))) == (rule(prefix, "forbid"),)
    assert tightening(segments(argv), argv, RuleSet((rule(prefix),))) == ()


@pytest.mark.parametrize("command", ["kubectl -n prod get ns", "make -C . test", "npm run build", "kubectl"])
def test_what_a_rule_does_not_name_is_left_alone(command: str) -> None:
    argv = tuple(command.split())
    rules = RuleSet((rule("kubectl delete", "forbid"), rule("make deploy", "forbid"), rule("npm publish", "forbid")))
    assert tightening(segments(argv), argv, rules) == ()
