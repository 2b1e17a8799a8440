"""Twin of `execution/environment.py`."""

import fnmatch
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.commandline.redaction import MARK, redacted
from sandgate.execution.environment import (
    EnvironmentPolicy,
    EnvironmentResult,
    command_environment,
    matches_any,
)
from sandgate.places.secrets import _TOKENS, is_private_key, is_secret_name, is_secret_value
from support.suite.rows import every

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
    """Required: the thread id survives `include_only`."""
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


SECRET_VALUES = [
    "redis://:hunter2@db/0", "mongodb+srv://user:hunter2@db/x", "http://me:hunter2@proxy:3128",
    "https://one.example/simple https://me:hunter2@two.example/simple", "https://ghp_abcdefghijklmnop1234@github.com/x",
    "cloudinary://123:abc@x", "Bearer abcdefgh", "Basic dXNlcjpwYXNz", "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    "github_pat_abcdefghijklmnop1234", "glpat-abcdefghijklmnopqrst", "xoxb-1234567890-abcdef", "xapp-1-abcdefgh",
    "sk-proj-abcdefghijklmnopqrstuvwx", "sk_live_abcdefghijk", "hf_abcdefghijklmnopqrstuvwxyzabcdefgh",
    "AKIAIOSFODNN7EXAMPLE", "AIzaSyA1234567890abcdefghijklmnopqrstuvw", "npm_abcdefghijklmnop1234",
    "pypi-AgEIcHlwaS5vcmcCJGFiY2Q", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc", "ya29.a0AfH6SMBabcdefghij",
    "hvs.CAESIabcdefghijklmnop", "dop_v1_abcdefghijklmnop1234", "shpat_abcdefghijklmnop1234",
    "SG.abcdefghijklmnop.abcdefghijklmnopqrst", "dckr_pat_abcdefghijklmnop",
]  # fmt: skip
PLAIN_VALUES = [
    "", "xterm-256color", "/usr/bin:/bin", "https://github.com/x/y", "ssh://git@github.com/x", "git@github.com:x/y.git",
    "https://git@host/x", "http://proxy:3128", "unix:path=/run/user/0/bus", "http://[::1]:8080/a@b:c", "me@example.org",
    "sk-short", "skia", "basic", "bearer", "npm_config", "hf_home", "eyJ", "sk-learn/data:/opt", "C.UTF-8",
    "https://host/x?u=a:b@c", "@angular/cli", "SG.x",
]  # fmt: skip


@every("value", SECRET_VALUES)
def test_a_value_that_is_a_secret_by_itself_is_dropped_whatever_it_is_called(value: str) -> None:
    """Required: a command inherits no value that this product would not send to a model."""
    assert redacted(value) != value
    assert command_environment({"PLAIN": value}, EnvironmentPolicy()) == EnvironmentResult({}, ("PLAIN",))
    assert command_environment({"PLAIN": value}, EnvironmentPolicy(allow=("PLAIN",))).env == {"PLAIN": value}


@every("value", PLAIN_VALUES)
def test_ordinary_values_stay(value: str) -> None:
    assert not is_secret_value(value)


@every("starts", [start for starts, _length in _TOKENS for start in starts])
def test_every_token_that_is_known_here_is_one_that_is_taken_out_of_texts(starts: str) -> None:
    behind = {"eyJ": "hbGciOiJ.eyJzdWIiOiIx", "SG.": "abcdefghijklmnop.abcdefghijklmnop"}
    token = starts + behind.get(starts, "ABCDEFGHIJKLMNOP" * (1 if len(starts) == 4 and starts.isupper() else 3))
    assert is_secret_value(token)
    assert redacted(token) == MARK


@pytest.mark.parametrize(
    "name",
    [
        "MYSQL_PWD",
        "SSHPASS",
        "PGPASS",
        "SUDO_PASS",
        "GPG_PASSPHRASE",
        "DOCKER_AUTH_CONFIG",
        "NPM_CONFIG__AUTH",
        "CI_JOB_JWT",
    ],
)
def test_names_of_passwords_and_logins_are_secret(name: str) -> None:
    assert is_secret_name(name)


@pytest.mark.parametrize(
    "name", ["PWD", "OLDPWD", "SSH_AUTH_SOCK", "XAUTHORITY", "GIT_ASKPASS", "SSH_ASKPASS", "BYPASS", "COMPASS"]
)
def test_names_that_only_look_like_them_are_not(name: str) -> None:
    assert not is_secret_name(name)
