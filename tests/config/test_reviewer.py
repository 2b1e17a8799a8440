"""The settings of a model that answers in place of a person."""

from __future__ import annotations

import pytest

from sandgate.config.reviewer import auto_review
from sandgate.config.schema import default_of
from sandgate.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.config.reviewer import AutoReviewSettings


def read(**values: Any) -> AutoReviewSettings:
    dotted = {name.replace("__", "."): value for name, value in values.items()}
    return auto_review(lambda name: dotted.get(name, default_of(name)), dotted)


def test_its_own_model_and_provider_come_before_the_assessors() -> None:
    found = read(assessment__model="a", assessment__provider="ollama", auto_review__model="b")
    assert (found.model, found.provider.name, found.timeout_ms) == ("b", "ollama", 90_000)
    assert read(auto_review__model="b", auto_review__provider="ollama").provider.name == "ollama"


def test_without_a_model_it_says_what_to_set() -> None:
    with pytest.raises(ConfigError, match="no model") as caught:
        read()
    assert "auto_review.model" in caught.value.hint


def test_an_unknown_provider_is_named() -> None:
    with pytest.raises(ConfigError, match="nobody"):
        read(auto_review__model="b", auto_review__provider="nobody")
