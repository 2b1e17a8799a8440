"""Twin of `execution/environment.py`."""

import fnmatch
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.execution.environment import (
    EnvironmentPolicy,
    EnvironmentResult,
    command_environment,
    is_private_key,
    is_secret_name,
    matches_any,
)

OURS = {"PATH": "/bin", "HOME": "/home/u", "EDITOR": "vi", "GITHUB_TOKEN": "ghp_x", "SSH_AUTH_SOCK": "/run/agent"}


def test_by_default_everything_goes_on_but_secrets() -> None:
    assert command_environment(OURS, EnvironmentPolicy()) == EnvironmentResult(
        {"PATH": "/bin", "HOME": "/home/u", "EDITOR": "vi", "SSH_AUTH_SOCK": "/run/agent"}, ("GITHUB_TOKEN",)
    )


def test_core_is_what_programs_cannot_do_without_and_none_is_nothing() -> None:
    core = command_environment(OURS, EnvironmentPolicy(inherit="core"))
    none = command_environment(OURS, EnvironmentPolicy(inherit="none", set=(("A", "1"),)))
    assert (core, none) == (
        EnvironmentResult({"PATH": "/bin", "HOME": "/home/u"}, ()),
        EnvironmentResult({"A": "1"}, ()),
    )


def test_the_default_exclusions_can_be_switched_off() -> None:
    result = command_environment(OURS, EnvironmentPolicy(ignore_default_excludes=True))
    assert result.dropped_names == ()


def test_exclusions_are_globs_without_regard_to_case_and_stand_above_the_allowed() -> None:
    env = {"Ci_Job": "1", "CI": "1", "MY_KEY": "k", "OTHER_KEY": "k"}
    policy = EnvironmentPolicy(exclude=("ci_*",), allow=("*_key", "ci_*"))
    assert command_environment(env, policy) == EnvironmentResult(
        {"CI": "1", "MY_KEY": "k", "OTHER_KEY": "k"}, ("Ci_Job",)
    )


def test_include_only_filters_what_is_set_too_but_not_what_was_asked_for_now_nor_the_markers() -> None:
    """Required: exec.md section 11, the thread id survives `include_only`."""
    policy = EnvironmentPolicy(set=(("KEPT_B", "b"), ("LOST", "x")), include_only=("kept_?",))
    result = command_environment(
        {"KEPT_A": "a", "GONE": "g"}, policy, set=[("NOW", "n")], markers=[("SANDGATE_THREAD_ID", "t")]
    )
    assert result == EnvironmentResult({"KEPT_A": "a", "KEPT_B": "b", "NOW": "n", "SANDGATE_THREAD_ID": "t"}, ("GONE",))


def test_a_provider_key_is_never_inherited_but_may_be_given_to_one_command() -> None:
    policy = EnvironmentPolicy(ignore_default_excludes=True, allow=("MODEL_LOGIN",), set=(("MODEL_LOGIN", "set"),))
    dropped = command_environment({"MODEL_LOGIN": "x"}, policy, provider_keys=["MODEL_LOGIN"])
    given_now = command_environment(
        {"MODEL_LOGIN": "x"}, policy, provider_keys=["MODEL_LOGIN"], set=[("MODEL_LOGIN", "y")]
    )
    assert (dropped, given_now) == (
        EnvironmentResult({}, ("MODEL_LOGIN",)),
        EnvironmentResult({"MODEL_LOGIN": "y"}, ()),
    )


def test_markers_override_what_was_inherited_and_asked_for() -> None:
    result = command_environment({"M": "old"}, EnvironmentPolicy(), set=[("M", "forged")], markers=[("M", "true")])
    assert result.env == {"M": "true"}


def test_loader_variables_stay() -> None:
    """Our choice: what they load runs inside the sandbox, like the command."""
    env = {"LD_PRELOAD": "/x.so", "LD_LIBRARY_PATH": "/lib", "BASH_ENV": "/rc"}
    assert command_environment(env, EnvironmentPolicy()) == EnvironmentResult(env, ())


@pytest.mark.parametrize(
    "name",
    ["API_KEY", "apiKey", "AWS_PROFILE", "GH_TOKEN", "CLIENT_SECRET", "PGPASSWORD", "MYSQL_PASSWD", "DATABASE_URL",
     "GOOGLE_APPLICATION_CREDENTIALS", "AZURE_PAT", "SESSION_COOKIE", "KEYBOARD_API_KEY", "TOKENIZERS_TOKEN"],
)  # fmt: skip
def test_names_of_secrets_are_recognised(name: str) -> None:
    assert is_secret_name(name)


@pytest.mark.parametrize(
    "name",
    ["PATH", "KEYBOARD_LAYOUT", "KEYTIMEOUT", "TOKENIZERS_PARALLELISM", "MAX_TOKENS", "AWS_REGION", "SSH_AUTH_SOCK",
     "PATTERN", "COMPAT", "DATABASE_URL_DOCS", "MONKEYPATCH", "PYTHON_KEYRING_BACKEND"],
)  # fmt: skip
def test_harmless_names_are_left_alone(name: str) -> None:
    assert not is_secret_name(name)


def test_a_private_key_is_dropped_whatever_its_name() -> None:
    pem = "-----BEGIN OPENSSH {0}-----\nb3Bl\n-----END OPENSSH {0}-----".format("PRIVATE KEY")
    assert command_environment({"DEPLOY": pem, "CERT": "-----BEGIN CERTIFICATE-----"}, EnvironmentPolicy()) == (
        EnvironmentResult({"CERT": "-----BEGIN CERTIFICATE-----"}, ("DEPLOY",))
    )
    assert not is_private_key("PRIVATE KEY")


@given(st.text("ab*?", max_size=8), st.text("abAB", max_size=8))
def test_globs_mean_what_the_standard_library_says(pattern: str, name: str) -> None:
    expected = re.match(fnmatch.translate(pattern.upper()), name.upper()) is not None
    assert matches_any([pattern], name) == expected


def test_bytes_that_are_not_utf8_survive() -> None:
    env = {"ODD\udcff": "v\udcfe"}
    assert command_environment(env, EnvironmentPolicy(include_only=("odd*",))).env == env
