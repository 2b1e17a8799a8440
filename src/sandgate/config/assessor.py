"""How a model is asked about risk: the table `[assessment]` and its provider, when the feature is on."""

from __future__ import annotations

from sandgate.config.features import ASSESSMENT
from sandgate.config.providers import questioned_provider
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Literal

    from sandgate.model.provider import Provider

    When = Literal["retry", "all"]


class ModelAssessment(Record):
    """Everything that is needed to ask."""

    model: str
    provider: Provider
    effort: str
    timeout_ms: int  # around connecting and reading
    when: When  # after the sandbox stopped something, or with every question


def model_assessment(of: Callable[[str], Any], values: Mapping[str, Any]) -> ModelAssessment | None:
    """None when the feature is off, or no model is named. Raises ConfigError for a provider that does not exist."""
    if not of(f"features.{ASSESSMENT}") or not of("assessment.model"):
        return None
    return ModelAssessment(
        model=of("assessment.model"),
        provider=questioned_provider(of("assessment.provider"), values),
        effort=of("assessment.effort"),
        timeout_ms=of("assessment.timeout_ms"),
        when=of("assessment.when"),
    )
