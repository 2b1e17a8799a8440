"""How a model answers questions in place of a person: the table `[auto_review]`, and whom it asks."""

from __future__ import annotations

from sandgate.config.providers import questioned_provider
from sandgate.errors import ConfigError
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Literal

    from sandgate.model.provider import Provider


class AutoReviewSettings(Record):
    """Everything that is needed to ask, and what a refusal leads to."""

    model: str
    provider: Provider
    effort: str
    on_denial: Literal["deny", "ask"]
    timeout_ms: int
    policy: str  # "": the built-in one


def auto_review(of: Callable[[str], Any], values: Mapping[str, Any]) -> AutoReviewSettings:
    """Raises ConfigError when no model is named, or its provider does not exist."""
    model = of("auto_review.model") or of("assessment.model")
    if not model:
        raise ConfigError(
            "the automatic reviewer has no model",
            why="`approvals_reviewer` lets a model answer, and none is named",
            hint='set `auto_review.model`, or `approvals_reviewer = "user"`',
        )
    return AutoReviewSettings(
        model=model,
        provider=questioned_provider(of("auto_review.provider") or of("assessment.provider"), values),
        effort=of("assessment.effort"),
        on_denial=of("auto_review.on_denial"),
        timeout_ms=of("auto_review.timeout_ms"),
        policy=of("auto_review.policy") or "",
    )
