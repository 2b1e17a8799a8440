"""What opens a provider is sent to it, and shown nowhere."""

import pytest

from sandgate.errors import MissingKey, ModelFailed
from sandgate.model.provider import Provider

KEY = "sk-very-secret"
PROVIDER = Provider(
    "mine",
    "https://x.test/v1/",
    env_key="MY_KEY",
    env_key_instructions="get one at x.test",
    http_headers=(("X-Team", "a-secret"),),
    env_http_headers=(("X-Org", "MY_ORG"),),
)


def test_headers_hold_the_key_and_what_variables_say() -> None:
    assert PROVIDER.headers({"MY_KEY": f" {KEY}\n", "MY_ORG": "o"}) == {
        "X-Team": "a-secret",
        "X-Org": "o",
        "Authorization": f"Bearer {KEY}",
    }
    assert "X-Org" not in PROVIDER.headers({"MY_KEY": KEY, "MY_ORG": " "})
    assert Provider("local", "http://localhost/v1").headers({}) == {}


def test_a_provider_shows_only_its_name() -> None:
    assert f"{PROVIDER!r} {PROVIDER}" == "Provider('mine') Provider('mine')"
    assert PROVIDER.url == "https://x.test/v1/responses"
    assert PROVIDER.but(wire_api="chat").url == "https://x.test/v1/chat/completions"
    assert PROVIDER.but(path="/responses/compact").url == "https://x.test/v1/responses/compact"


@pytest.mark.parametrize(
    ("address", "stores"),
    [
        ("https://mine.openai.azure.com/openai/v1", True),
        ("https://MINE.OpenAI.Azure.com:443/openai/v1", True),
        ("https://mine.services.ai.azure.com/openai/v1", True),
        ("https://api.openai.com/v1", False),
        ("https://x.test/mine.openai.azure.com/v1", False),
        ("https://mine.openai.azure.com@x.test/v1", False),
        ("https://mine.openai.azure.com.x.test/v1", False),
        ("http://localhost:8000/v1", False),
    ],
)
def test_only_azure_is_asked_to_keep_what_was_said(address: str, stores: bool) -> None:
    """Required: elsewhere a conversation is not left with the provider."""
    assert Provider("mine", address).stores is stores


def test_what_must_not_be_repeated_is_every_value_that_is_ours() -> None:
    provider = PROVIDER.but(query_params=(("key", "in-the-query"),))
    assert provider.secrets({"MY_KEY": KEY, "MY_ORG": " "}) == ("a-secret", "in-the-query", KEY)


@pytest.mark.parametrize("environ", [{}, {"MY_KEY": ""}, {"MY_KEY": "  "}])
def test_a_missing_key_is_said_with_where_to_get_one(environ: dict[str, str]) -> None:
    with pytest.raises(MissingKey) as raised:
        PROVIDER.headers(environ)
    assert (raised.value.what, raised.value.hint) == ("Missing environment variable: `MY_KEY`.", "get one at x.test")


@pytest.mark.parametrize("key", [f"{KEY}\r\nX-Evil: 1", f"{KEY}ü"])
def test_a_key_that_is_no_header_is_refused_without_quoting_it(key: str) -> None:
    with pytest.raises(ModelFailed) as raised:
        PROVIDER.headers({"MY_KEY": key})
    assert KEY not in str(raised.value)
