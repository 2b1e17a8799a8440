"""What only looks, on this machine, among the commands for networks, containers, clusters and clouds."""

from __future__ import annotations

import pytest

from sandgate.commandline.arguments import grammar
from sandgate.policy.safe_checks import CHECKS
from sandgate.policy.safe_programs import SAFE
from sandgate.policy.safe_services import COMMANDS, PROGRAMS
from sandgate.policy.safety import is_safe
from support.suite.rows import every


def test_every_line_is_a_grammar_whose_checks_exist() -> None:
    for line in (*PROGRAMS.values(), *COMMANDS.values()):
        read = grammar(line, SAFE)
        assert {mark[6:] for mark in read.marks if mark.startswith("check:")} <= CHECKS.keys(), line


def test_every_command_can_be_reached_from_its_program() -> None:
    """Required: `docker volume ls` needs `docker` and `docker volume` to be marked as having commands."""
    tables = {**SAFE, **COMMANDS}
    parents = {key.rsplit(" ", 1)[0] for key in COMMANDS}
    assert [parent for parent in parents if "sub" not in tables[parent].split()] == []


@every(
    "command",
    [
        "docker -H tcp://host ps",
        "docker --context prod ps",
        "docker --config dir ps",
        "kubectl --kubeconfig file config view --raw",
        "kubectl --token x get pods",
        "kubectl --server https://x version --client",
        "helm --kubeconfig f version",
        "terraform fmt",
        "openssl x509 -in a -out b",
        "openssl x509 -engine ./e.so -in a",
        "nft list ruleset;flush",
        "gh config set editor vim",
        "aws configure set region x",
        "wg show wg0 private-key",
        "lsof -i@host",
        "ip -batch file",
        "ip netns exec x ls",
        "iptables -L -Z",
        "ssh -G host",
        "tcpdump -r a -w b",
        "tcpdump -r a -z cmd",
        "gpg --list-keys --keyserver x --recv-keys y",
    ],
)
def test_what_points_elsewhere_writes_or_runs_is_not_safe(command: str) -> None:
    assert not is_safe(tuple(command.split()))


@pytest.mark.parametrize("command", ["docker ps", "kubectl config view", "terraform version", "gcloud config list"])
def test_a_client_that_reads_settings_with_programs_in_them_is_safe_only_where_it_is_confined(command: str) -> None:
    """Required: a settings file may name a helper, as git's may."""
    assert is_safe(tuple(command.split()), confined=True)
    assert not is_safe(tuple(command.split()), confined=False)
