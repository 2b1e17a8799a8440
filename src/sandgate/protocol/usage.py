"""What a model's answers cost, in tokens, and how full its window is."""

from __future__ import annotations

from sandgate.record import Record

BASELINE_TOKENS = 12_000  # what every conversation begins with; it does not count as used


class TokenUsage(Record):
    """Of one response, or the sum of several."""

    input_tokens: int = 0
    cached_input_tokens: int = 0  # part of `input_tokens`
    output_tokens: int = 0
    reasoning_output_tokens: int = 0  # part of `output_tokens`
    total_tokens: int = 0

    def plus(self, other: TokenUsage) -> TokenUsage:
        """Both together."""
        return TokenUsage(*(mine + theirs for mine, theirs in zip(self._values(), other._values(), strict=True)))

    @property
    def in_window(self) -> int:
        """What stays in the window for the next request: thoughts do not."""
        return max(self.total_tokens - self.reasoning_output_tokens, 0)

    @property
    def blended(self) -> int:
        """What was new: the input that no cache held, and the output."""
        return max(self.input_tokens - self.cached_input_tokens, 0) + self.output_tokens


class TokenInfo(Record):
    """The gauge of one session."""

    total: TokenUsage
    last: TokenUsage
    window: int | None = None  # tokens the model can hold; None: not known

    def after(self, usage: TokenUsage, window: int | None) -> TokenInfo:
        """With one more response."""
        return TokenInfo(self.total.plus(usage), usage, window if window is not None else self.window)

    def full(self, window: int) -> TokenInfo:
        """The provider said that the window is full, whatever we have counted."""
        missing = max(window - self.total.total_tokens, 0)
        return TokenInfo(self.total.but(total_tokens=window), TokenUsage(total_tokens=missing), window)

    @property
    def remaining_percent(self) -> int | None:
        """How much of the usable window is left, 0 to 100; None when its size is not known."""
        if self.window is None:
            return None
        usable = self.window - BASELINE_TOKENS
        if usable <= 0:
            return 0
        used = max(self.last.in_window - BASELINE_TOKENS, 0)
        return max(0, min(100, round(100 * (usable - used) / usable)))


NO_USAGE = TokenUsage()


class RateLimit(Record):
    """How much of one of the provider's limits is used."""

    used_percent: float
    window_minutes: int | None = None
    resets_at: int | None = None  # seconds since 1970


class RateLimits(Record):
    """What the provider says of its limits with a response."""

    primary: RateLimit | None = None
    secondary: RateLimit | None = None
