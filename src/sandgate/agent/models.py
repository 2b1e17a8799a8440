"""The model that an agent works with, from its settings."""

from __future__ import annotations

from sandgate.config.agent import NO_MODEL, NO_MODEL_HINT, provider_of
from sandgate.errors import ConfigError
from sandgate.model.prompt import ModelSettings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from sandgate.config.agent import AgentSettings
    from sandgate.model.remote_compaction import RemoteCompaction
    from sandgate.model.streaming import Model

SCRIPTED = "scripted"  # the name of the model, and of its provider, that needs no network


def model_settings(settings: AgentSettings, model: str) -> ModelSettings:
    """How `model` is asked."""
    return ModelSettings(
        model,
        effort=settings.effort,
        summary=settings.summary if settings.effort else None,
        verbosity=settings.verbosity,
        context_window=settings.context_window,
        max_output_tokens=settings.max_output_tokens,
    )


def no_model(settings: AgentSettings) -> Model:
    """For a session in which none is needed."""
    from sandgate.model.no_model import NoModel

    return NoModel(model_settings(settings, settings.model or SCRIPTED))


def scripted_model(path: str, settings: AgentSettings) -> Model:
    """The offline model that says what the file has. Raises RequestError for a file that is no script."""
    from sandgate.model.scripted import ScriptedModel

    return ScriptedModel(path, model_settings(settings, SCRIPTED))


def recorded_model(model: Model, path: str) -> Model:
    """The same, with everything that is asked and answered added to a file. Raises RequestError."""
    from sandgate.model.replay import RecordingModel

    return RecordingModel(model, path)


def replayed_model(path: str, settings: AgentSettings) -> Model:
    """The answers of such a file, to the same questions. Raises RequestError for a file that is no recording."""
    from sandgate.model.replay import ReplayingModel

    return ReplayingModel(path, model_settings(settings, settings.model or SCRIPTED))


def provider_model(
    settings: AgentSettings, model: str | None, values: Mapping[str, Any], environ: Mapping[str, str]
) -> tuple[Model, int]:
    """The model `model`, or that of the settings, and how often a broken answer is tried again.

    Raises ConfigError, and ModelError for a key that is missing or cannot be sent: nothing has begun by then.
    """
    name = model or settings.model
    if not name:
        raise ConfigError(NO_MODEL, hint=NO_MODEL_HINT)
    provider = provider_of(settings, values)
    provider.headers(environ)
    how = model_settings(settings, name)
    from sandgate.model.provider_model import model_of

    return model_of(provider, how, environ=environ), provider.stream_max_retries


def stream_retries(settings: AgentSettings, values: Mapping[str, Any]) -> int:
    """How often a broken answer is asked for again."""
    return 0 if settings.provider_id == SCRIPTED else provider_of(settings, values).stream_max_retries


def remote_compaction(model: Model) -> RemoteCompaction | None:
    """What the model's provider offers to make room in a conversation. A recording has to be complete without it."""
    offered: RemoteCompaction | None = getattr(model, "remote_compaction", None)
    return offered
