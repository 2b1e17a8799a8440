"""The tables `[model_providers.NAME]`: who can be asked, as values. Read only when something is to be asked.

Each field is a setting of its own, `model_providers.NAME.FIELD`, so that layers add to one another field by field. The
built-in providers are fixed: `reading.py` turns away a table of the same name.
"""

from __future__ import annotations

from sandgate.config.schema import PROVIDER_ENTRY, PROVIDERS
from sandgate.errors import ConfigError
from sandgate.model.provider import Provider

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

BUILT_IN = {
    "openai": Provider("openai", "https://api.openai.com/v1", env_key="OPENAI_API_KEY", remote_compaction=True),
    "ollama": Provider("ollama", "http://localhost:11434/v1"),
    "oss": Provider("oss", "http://localhost:11434/v1"),
    "lmstudio": Provider("lmstudio", "http://localhost:1234/v1"),
}
SCHEMES = ("https://", "http://")


def provider_named(name: str, values: Mapping[str, Any]) -> Provider:
    """The provider of that name. Raises ConfigError when there is none, or it has no address."""
    if name in BUILT_IN:
        return BUILT_IN[name]
    prefix = f"{PROVIDERS}.{name}."
    found = {key.removeprefix(prefix): value for key, value in values.items() if key.startswith(prefix)}
    address = found.get("base_url", "")
    if not address.startswith(SCHEMES):
        raise ConfigError(
            f"there is no model provider `{name}`" if not found else f"the model provider `{name}` has no address",
            hint=f'write [{PROVIDERS}.{name}] with base_url = "https://…/v1" into the user configuration',
        )
    of = {field: found.get(field, row[3]) for field, row in PROVIDER_ENTRY.items()}
    return Provider(
        name,
        address,
        env_key=of["env_key"] or "",
        env_key_instructions=of["env_key_instructions"] or "",
        query_params=tuple(of["query_params"].items()),
        http_headers=tuple(of["http_headers"].items()),
        env_http_headers=tuple(of["env_http_headers"].items()),
        wire_api=of["wire_api"],
        request_max_retries=of["request_max_retries"],
        stream_max_retries=of["stream_max_retries"],
        stream_idle_timeout_ms=of["stream_idle_timeout_ms"],
        remote_compaction=of["remote_compaction"],
    )


def questioned_provider(name: str, values: Mapping[str, Any]) -> Provider:
    """The same for single questions, which are put over the Responses API alone. Raises ConfigError."""
    provider = provider_named(name, values)
    if provider.wire_api != "responses":
        raise ConfigError(
            f"the model provider `{name}` cannot be asked about risk",
            why='it has `wire_api = "chat"`, and such questions are asked over the Responses API',
            hint="name another provider for it",
        )
    return provider


def secret_variables(values: Mapping[str, Any], *used: Provider) -> tuple[str, ...]:
    """The variables that open a provider that is configured, or used: no command may see them."""
    found = [provider.env_key for provider in used if provider.env_key]
    for key, value in values.items():
        if key.startswith(f"{PROVIDERS}."):
            found += [value] if key.endswith(".env_key") else ()
            found += value.values() if key.endswith(".env_http_headers") else ()
    return tuple(dict.fromkeys(found))
