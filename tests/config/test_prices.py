"""What models cost is the user's word, and a word that cannot be read is said."""

from __future__ import annotations

import pytest

from sandgate.config.prices import Price, model_prices
from sandgate.errors import ConfigError


def test_a_price_is_for_a_million_tokens_of_each_kind() -> None:
    found = model_prices({"model_prices": {"gpt-5.5": " 2  0.5 10 USD"}})
    assert found == {"gpt-5.5": Price(2.0, 0.5, 10.0, "USD")}
    cost = found["gpt-5.5"].cost(input_tokens=1_500_000, cached_tokens=500_000, output_tokens=200_000)
    assert cost == pytest.approx(2.0 + 0.25 + 2.0)


def test_more_cached_than_there_was_costs_no_less_than_nothing() -> None:
    assert Price(2.0, 0.0, 10.0, "USD").cost(input_tokens=5, cached_tokens=9, output_tokens=0) == 0


NO_PRICES = [
    "", "USD", "1 2 USD", "1 2 3", "1 2 3 4 USD", "1 2 x USD", "-1 2 3 USD", "nan 2 3 USD", "inf 2 3 USD",
    "1 2 3 \x1b[2J",
]  # fmt: skip


@pytest.mark.parametrize("text", NO_PRICES)
def test_what_is_no_price_is_said(text: str) -> None:
    with pytest.raises(ConfigError, match="has no price for `gpt`"):
        model_prices({"model_prices": {"gpt": text}})


def test_without_prices_there_are_none() -> None:
    assert model_prices({}) == {}
