"""What an agent works with: the keys of `agent_rows.py`, typed."""

from __future__ import annotations

from sandgate.config.providers import provider_named
from sandgate.config.schema import default_of
from sandgate.display import visible
from sandgate.errors import ConfigError
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from sandgate.model.provider import Provider

NO_MODEL = "no model is chosen"
NO_MODEL_HINT = "say `--model NAME`, set `model` in config.toml, or try it offline with `--model-script FILE`"


class AgentSettings(Record):
    """The agent's part of the configuration."""

    model: str | None
    provider_id: str
    review_model: str | None
    effort: str | None
    summary: str | None
    verbosity: str | None
    context_window: int | None  # tokens
    max_output_tokens: int | None
    compact_at_tokens: int | None
    instructions: str | None
    instructions_file: str | None
    compact_prompt: str | None
    document_bytes: int
    document_names: tuple[str, ...]
    root_markers: tuple[str, ...]
    max_depth: int
    max_delegates: int
    token_budget: int | None
    notify: tuple[str, ...]  # a program and its arguments; none: ()


def agent_settings(values: Mapping[str, Any]) -> AgentSettings:
    """From merged values. Raises ConfigError for what cannot be used together."""

    def of(name: str) -> Any:
        return values.get(name, default_of(name))

    files = of("model_instructions_file")
    if len(files) > 1:
        raise ConfigError("`model_instructions_file` names more than one file", hint="give one path")
    effort = of("model_reasoning_effort")
    return AgentSettings(
        model=of("model"),
        provider_id=of("model_provider"),
        review_model=of("review_model"),
        effort=effort,
        summary=of("model_reasoning_summary"),
        verbosity=of("model_verbosity"),
        context_window=of("model_context_window"),
        max_output_tokens=of("model_max_output_tokens"),
        compact_at_tokens=of("model_auto_compact_token_limit"),
        instructions=of("instructions"),
        instructions_file=files[0] if files else None,
        compact_prompt=of("compact_prompt"),
        document_bytes=of("project_doc_max_bytes"),
        document_names=of("project_doc_fallback_filenames"),
        root_markers=of("project_root_markers"),
        max_depth=of("agents.max_depth"),
        max_delegates=of("agents.max_threads"),
        token_budget=of("agents.token_budget"),
        notify=_program(of("notify")),
    )


def own_instructions(settings: AgentSettings) -> str | None:
    """The base instructions that the person has in a file. Raises ConfigError for one that cannot be read."""
    if settings.instructions_file is None:
        return None
    from sandgate.config.files import read_text

    text = read_text(settings.instructions_file, guarded=False)
    if text is None or not text.strip():
        raise ConfigError(f"`{settings.instructions_file}` has no instructions", hint="it is `model_instructions_file`")
    return text


def _program(argv: tuple[str, ...]) -> tuple[str, ...]:
    """Raises ConfigError for one whose meaning would depend on where the agent works."""
    if argv and "/" in argv[0] and not argv[0].startswith("/"):
        raise ConfigError(
            f"`notify` names the program `{visible(argv[0])}`, which is somewhere else in each directory",
            hint="give its absolute path, or a name on your PATH",
        )
    return argv


def provider_of(settings: AgentSettings, values: Mapping[str, Any]) -> Provider:
    """Whose model it is. Raises ConfigError for a provider that does not exist."""
    return provider_named(settings.provider_id, values)
