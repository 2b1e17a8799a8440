"""How a model is asked about risk: the table `[assessment]` and its provider, when the feature is on."""

from __future__ import annotations

from sandgate.config.features import ASSESSMENT
from sandgate.config.providers import questioned_provider
from sandgate.errors import ConfigError
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Literal

    from sandgate.model.provider import Provider

    When = Literal["retry", "all"]


class ModelAssessment(Record):
    """Everything that is needed to ask. Where no model is named for it, it is the one of the turn that asks."""

    model: str  # "": none is known beforehand
    provider: Provider | None  # None: the same
    effort: str | None  # None: that of the turn, or of agents
    timeout_ms: int  # around connecting and reading
    when: When  # after the sandbox stopped something, or with every question
    of_turn: bool = False  # no model is named for it
    agent_effort: str = "none"  # of agents, where there is no turn
    form_wait_ms: int = 0  # for words that go into a form, which is shown once


def model_assessment(of: Callable[[str], Any], values: Mapping[str, Any]) -> ModelAssessment | None:
    """None when the feature is off. Raises ConfigError for a provider that does not exist, if it is named for this."""
    if not of(f"features.{ASSESSMENT}"):
        return None
    named = of("assessment.model")
    chosen = (named, questioned_provider(of("assessment.provider"), values)) if named else _agents(of, values)
    model, provider = chosen
    return ModelAssessment(
        model=model,
        provider=provider,
        effort=of("assessment.effort") if named else values.get("assessment.effort"),
        timeout_ms=of("assessment.timeout_ms"),
        when=of("assessment.when"),
        of_turn=not named,
        agent_effort=of("model_reasoning_effort") or "none",
        form_wait_ms=of("assessment.form_wait_ms"),
    )


def _agents(of: Callable[[str], Any], values: Mapping[str, Any]) -> tuple[str, Provider | None]:
    """The model that agents work with, if it can be asked single questions."""
    name = of("model")
    try:
        return (name, questioned_provider(of("model_provider"), values)) if name else ("", None)
    except ConfigError:  # an agent says so; a command that may never be asked about needs no model
        return "", None
