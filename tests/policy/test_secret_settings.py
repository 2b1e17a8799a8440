"""Variables and settings that are named like secrets."""

from __future__ import annotations

import pytest

from sandgate.commandline import segments
from sandgate.policy.safety import safe_commands
from sandgate.policy.secret_settings import asks_for_secret_setting, is_secret_variable, shows_secret_variable

SHOWING = (
    "echo $GITHUB_TOKEN",
    'echo "the key is ${AWS_SECRET_ACCESS_KEY}"',
    'printf "%s" "$DB_PASSWORD"',
    "echo ${API_KEY:0:8}",
    "printenv GITHUB_TOKEN",
    "npm config get //npm.example.com/:_authToken",
    "git config --get http.https://example.com/.extraheader",
)
HARMLESS = (
    "echo ${GITHUB_TOKEN:+set}",
    "echo ${#GITHUB_TOKEN}",
    "echo $HOME",
    "printenv PATH",
    "npm config get registry",
    "git config --get user.email",
    '[ -n "$GITHUB_TOKEN" ] && echo set',
)


@pytest.mark.parametrize("script", SHOWING)
def test_printing_a_variable_or_setting_that_is_named_like_a_secret_is_worth_a_question(script: str) -> None:
    assert not all(safe_commands(segments(("bash", "-lc", script))))


@pytest.mark.parametrize("script", HARMLESS)
def test_asking_whether_there_is_one_is_not(script: str) -> None:
    assert all(safe_commands(segments(("bash", "-lc", script))))


def test_names_decide() -> None:
    assert is_secret_variable("STRIPE_SECRET_KEY")
    assert not is_secret_variable("MonkeyToken")
    assert shows_secret_variable("echo", ("a$B_TOKEN",))
    assert not shows_secret_variable("grep", ("$B_TOKEN",))
    assert asks_for_secret_setting(("config", "get", "github.token"))
    assert not asks_for_secret_setting(("config", "set", "github.token", "x"))
