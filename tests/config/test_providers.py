"""Tables of providers: how layers add up to one, and what is refused."""

from __future__ import annotations

import pytest

from sandgate.config.providers import BUILT_IN, provider_named, questioned_provider, secret_variables
from sandgate.config.reference import HIDDEN, setting_rows
from sandgate.config.schema import BUILT_IN_PROVIDERS
from sandgate.errors import ConfigError
from sandgate.model.provider import Provider
from support.config.config_machine import Machine

MINE = """\
[model_providers.mine]
name = "Mine"
base_url = "https://x.test/v1"
env_key = "MY_KEY"
env_key_instructions = "get one"
wire_api = "responses"
query_params = { "api-version" = "1" }
http_headers = { "X-Team" = "secret" }
env_http_headers = { "X-Org" = "MY_ORG" }
"""


def test_a_table_is_read_field_by_field_from_all_layers(machine: Machine) -> None:
    machine.write_system(MINE)
    machine.write_user('model_providers.mine = { base_url = "https://y.test/v1", http_headers = { "X-More" = "1" } }')
    values = machine.load("model_providers.mine.env_key=OTHER_KEY").values
    assert (
        provider_named("mine", values).fields()
        == Provider(
            "mine",
            "https://y.test/v1",
            "OTHER_KEY",
            "get one",
            (("api-version", "1"),),
            (("X-Team", "secret"), ("X-More", "1")),
            (("X-Org", "MY_ORG"),),
        ).fields()
    )
    assert secret_variables(values) == ("OTHER_KEY", "MY_ORG")


def test_headers_are_not_shown_with_the_settings(machine: Machine) -> None:
    machine.write_user(MINE)
    rows = {name: value for name, value, _origin in setting_rows(machine.load())}
    assert rows["model_providers.mine.http_headers"] == HIDDEN
    assert rows["model_providers.mine.base_url"] == "https://x.test/v1"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("model_providers = 3", "must be a table"),
        ("model_providers.mine = 3", "must be a table"),
        ('[model_providers."a.b"]\nbase_url = "https://x.test"', "one plain word"),
        ('[model_providers.mine]\nwire_api = "morse"', "allowed: responses, chat"),
        ("[model_providers.mine]\nrequest_max_retries = 101", "`model_providers.mine.request_max_retries`"),
        ("[model_providers.mine]\nstream_max_retries = -1", "0 to 100"),
        ("[model_providers.mine]\nstream_idle_timeout_ms = 0", "out of range"),
        ('[model_providers.openai]\nbase_url = "https://x.test"', "built in"),
        ('[model_providers.lmstudio]\nname = "mine"', "built in"),
        ("[model_providers.mine]\nbase_url = 3", "not text"),
    ],
)
def test_what_cannot_be_meant_is_an_error(machine: Machine, text: str, problem: str) -> None:
    machine.write_user(text)
    with pytest.raises(ConfigError) as raised:
        machine.load()
    assert problem in f"{raised.value} {raised.value.hint}"


def test_an_unknown_field_is_a_warning_that_names_the_nearest(machine: Machine) -> None:
    machine.write_user('[model_providers.mine]\nbase_ulr = "x"')
    (warning,) = machine.load().warnings
    assert "base_url" in warning


def test_every_reserved_name_is_a_provider() -> None:
    assert set(BUILT_IN) == set(BUILT_IN_PROVIDERS)
    assert [provider_named(name, {}).name for name in BUILT_IN_PROVIDERS] == list(BUILT_IN_PROVIDERS)


def test_patience_and_wire_are_read_and_have_defaults(machine: Machine) -> None:
    """Required."""
    told = 'wire_api = "chat"\nrequest_max_retries = 0\nstream_max_retries = 100\nstream_idle_timeout_ms = 9'
    address = 'base_url = "https://x.test"\n'
    machine.write_user(f"[model_providers.a]\n{address}{told}\n[model_providers.b]\n{address}")
    values = machine.load().values
    first, second = (provider_named(name, values).fields() for name in "ab")
    names = ("wire_api", "request_max_retries", "stream_max_retries", "stream_idle_timeout_ms")
    assert [first[name] for name in names] == ["chat", 0, 100, 9]
    assert [second[name] for name in names] == ["responses", 4, 5, 300_000]
    with pytest.raises(ConfigError, match="cannot be asked about risk"):
        questioned_provider("a", values)
    assert questioned_provider("b", values).name == "b"


def test_a_provider_without_address_is_not_used(machine: Machine) -> None:
    machine.write_user('[model_providers.bare]\nenv_key = "K"')
    values = machine.load().values
    with pytest.raises(ConfigError, match="`bare` has no address"):
        provider_named("bare", values)
    with pytest.raises(ConfigError, match="has no address"):
        provider_named("f", {"model_providers.f.base_url": "file:///etc/passwd"})
