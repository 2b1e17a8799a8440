"""What models cost, as their user has written it down (`model_prices`). There are none of ours: they would be old."""

from __future__ import annotations

from sandgate.display import visible
from sandgate.errors import ConfigError
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

KEY = "model_prices"
PER_TOKENS = 1_000_000  # what a price is for
PRICE_MAX = 1_000_000.0
CURRENCY_CHARS_MAX = 8
HINT = 'give three numbers and a currency: "INPUT CACHED OUTPUT CURRENCY", for a million tokens each'


class Price(Record):
    """Of one model, for `PER_TOKENS` of each kind."""

    input: float
    cached_input: float
    output: float
    currency: str

    def cost(self, *, input_tokens: int, cached_tokens: int, output_tokens: int) -> float:
        """Of so many; `cached_tokens` are part of `input_tokens`."""
        cached = min(cached_tokens, input_tokens)
        whole = (input_tokens - cached) * self.input + cached * self.cached_input + output_tokens * self.output
        return whole / PER_TOKENS


def model_prices(values: Mapping[str, Any]) -> dict[str, Price]:
    """By model, from merged values. Raises ConfigError for one that cannot be read."""
    return {model: _price(model, text) for model, text in values.get(KEY, {}).items()}


def _price(model: str, text: str) -> Price:
    try:
        of_input, of_cached, of_output, currency = text.split()
        price = Price(float(of_input), float(of_cached), float(of_output), currency)
    except ValueError:
        raise _wrong(model, text) from None
    if not all(0 <= each <= PRICE_MAX for each in (price.input, price.cached_input, price.output)):
        raise _wrong(model, text)
    if not currency.isalpha() or len(currency) > CURRENCY_CHARS_MAX:
        raise _wrong(model, text)
    return price


def _wrong(model: str, text: str) -> ConfigError:
    return ConfigError(f"`{KEY}` has no price for `{visible(model)}`: `{visible(text)}`", hint=HINT)
