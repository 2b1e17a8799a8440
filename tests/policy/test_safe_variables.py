"""Variables that may stand beside a command that only reads."""

from __future__ import annotations

import pytest

from sandgate.policy.safe_variables import may_hand_over, may_set
from support.suite.rows import every

STEERING = """
PATH LD_PRELOAD LD_LIBRARY_PATH BASH_ENV ENV GIT_DIR GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_CONFIG_COUNT EDITOR
LESSOPEN RIPGREP_CONFIG_PATH PYTHONPATH PERL5OPT RUBYOPT NODE_OPTIONS PROMPT_COMMAND PS4 POSIXLY_CORRECT
GREP_OPTIONS TMPDIR HOME XDG_CONFIG_HOME npm_config_prefix http_proxy path fpath aliases commands BASHOPTS
SHELLOPTS GLIBC_TUNABLES AWKPATH SHELL
""".split()  # noqa: SIM905


@every("name", STEERING)
def test_a_variable_that_steers_programs_is_never_harmless(name: str) -> None:
    assert not may_hand_over(f"{name}=./x")
    assert not may_hand_over(f"{name}=1")
    assert not may_set(f"{name}=./x")


@pytest.mark.parametrize(
    "assignment",
    ["FOO=1", "LC_ALL=C", "LANG=de_DE.UTF-8", "TZ=Europe/Berlin", "PAGER=cat", "GIT_PAGER=", "CI=true", "IFS=,"],
)
def test_harmless_ones_may_reach_a_program(assignment: str) -> None:
    assert may_hand_over(assignment)


@pytest.mark.parametrize(
    "assignment",
    ["FOO=$(ls)", "FOO=a/b", "PAGER=less", "TZ=/etc/x", "TZ=../x", "LC_ALL=/tmp/x", "TERM=a/b", "FOO", "GIT_PAGER=sh"],
)
def test_a_value_that_could_name_something_is_not(assignment: str) -> None:
    assert not may_hand_over(assignment)


def test_a_script_may_set_names_of_its_own_to_anything() -> None:
    assert all(may_set(text) for text in ("x=/bin/sh", "files=(a b)", "FILE=$(ls)", "count+=1", "LC_ALL=C"))
    assert not any(may_set(text) for text in ("a[0]=1", "Mixed=1", "UNKNOWN_NAME=1", "=1", "é=1"))
