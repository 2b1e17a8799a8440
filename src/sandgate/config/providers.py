"""The tables `[model_providers.NAME]`: who can be asked, as values. Read only when something is to be asked.

Each field is a setting of its own, `model_providers.NAME.FIELD`, so that layers add to one another field by field. The
built-in providers are fixed: a table of the same name is an error, not a table without effect.
"""

from __future__ import annotations

from sandgate.config.schema import PROVIDERS
from sandgate.errors import ConfigError
from sandgate.model.provider import Provider

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

BUILT_IN = {
    "openai": Provider("openai", "https://api.openai.com/v1", env_key="OPENAI_API_KEY"),
    "ollama": Provider("ollama", "http://localhost:11434/v1"),
    "oss": Provider("oss", "http://localhost:11434/v1"),
    "lmstudio": Provider("lmstudio", "http://localhost:1234/v1"),
}
SCHEMES = ("https://", "http://")


def provider_named(name: str, values: Mapping[str, Any]) -> Provider:
    """The provider of that name. Raises ConfigError when there is none, or it has no address."""
    prefix = f"{PROVIDERS}.{name}."
    found = {key.removeprefix(prefix): value for key, value in values.items() if key.startswith(prefix)}
    if name in BUILT_IN:
        if found:
            raise ConfigError(f"`{PROVIDERS}.{name}` is built in", hint="give your provider another name")
        return BUILT_IN[name]
    address = found.get("base_url", "")
    if not address.startswith(SCHEMES):
        raise ConfigError(
            f"there is no model provider `{name}`" if not found else f"the model provider `{name}` has no address",
            hint=f'write [{PROVIDERS}.{name}] with base_url = "https://…/v1" into the user configuration',
        )
    return Provider(
        name,
        address,
        env_key=found.get("env_key", ""),
        env_key_instructions=found.get("env_key_instructions", ""),
        query_params=tuple(found.get("query_params", {}).items()),
        http_headers=tuple(found.get("http_headers", {}).items()),
        env_http_headers=tuple(found.get("env_http_headers", {}).items()),
    )


def secret_variables(values: Mapping[str, Any], *used: Provider) -> tuple[str, ...]:
    """The variables that open a provider that is configured, or used: no command may see them."""
    found = [provider.env_key for provider in used if provider.env_key]
    for key, value in values.items():
        if key.startswith(f"{PROVIDERS}."):
            found += [value] if key.endswith(".env_key") else ()
            found += value.values() if key.endswith(".env_http_headers") else ()
    return tuple(dict.fromkeys(found))
