"""How much of a long output a model gets to see.

The middle is cut out, because the start of an output says what was attempted and the end how it went. A budget is
counted in bytes or in tokens, a token being four bytes; that is an estimate, and the same everywhere. The marker
and the lines about the cut are not charged to the budget. Sizes are those of the text as UTF-8, and a character is
never split. `docs/explanation/tool-answers.md` shows what it looks like. Pure.
"""

from __future__ import annotations

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    BudgetUnit = Literal["bytes", "tokens"]

BYTES_PER_TOKEN = 4  # an estimate that models know


class TruncationPolicy(Record):
    """A budget and the unit it is counted in; markers speak of the same unit."""

    unit: BudgetUnit
    amount: int

    @property
    def byte_budget(self) -> int:
        return max(0, self.amount) * (BYTES_PER_TOKEN if self.unit == "tokens" else 1)

    @property
    def token_budget(self) -> int:
        return max(0, self.amount) if self.unit == "tokens" else token_estimate(max(0, self.amount))


def token_estimate(size_bytes: int) -> int:
    """The estimate of what so many bytes cost a model."""
    return -(-size_bytes // BYTES_PER_TOKEN)


def answer_policy(max_output_tokens: int, turn: TruncationPolicy) -> TruncationPolicy:
    """The smaller of what one call asks for and what its turn allows; the turn's keeps its own unit."""
    return turn if turn.token_budget < max_output_tokens else TruncationPolicy("tokens", max_output_tokens)


def cut(text: str, policy: TruncationPolicy) -> str:
    """`text` without its middle when it is over budget: the plain form."""
    return _Cut(text, policy).text


def header_form(text: str, policy: TruncationPolicy) -> str:
    """The same with two lines on top that say how much there was."""
    done = _Cut(text, policy)
    if not done.shortened:
        return text
    return f"{_warning(done.size_bytes)}Total output lines: {line_count(text)}\n\n{done.text}"


def unified_form(text: str, policy: TruncationPolicy, *, omitted_bytes: int = 0, gap_at: int = 0) -> str:
    """The header form of output whose buffer lost `omitted_bytes` before the character `gap_at` of `text`.

    The loss is said on top and again at its place; where the cut took that place along, next to the marker.
    """
    if omitted_bytes <= 0:
        return header_form(text, policy)
    lost = f"... {omitted_bytes} bytes omitted ..."
    done = _Cut(text, policy)
    return f"{_warning(done.size_bytes + omitted_bytes)}{lost}\n\n{done.with_line(lost, gap_at)}"


def line_count(text: str) -> int:
    """Lines of `text`; a newline at the end does not begin another."""
    return text.count("\n") + (not text.endswith("\n") and text != "")


class _Cut:
    """Where a text is cut, and what stands there instead."""

    def __init__(self, text: str, policy: TruncationPolicy) -> None:
        raw = _utf8(text)
        budget = policy.byte_budget
        self.size_bytes = len(raw)
        self.shortened = self.size_bytes > budget
        self._head, self._marker, self._tail = text, "", ""
        self._head_chars, self._tail_at = len(text), len(text)
        if not self.shortened:
            return
        left = budget // 2
        self._head = _text(raw[: _start_of_character(raw, left)])
        self._tail = _text(raw[_next_character(raw, self.size_bytes - (budget - left)) :])
        self._head_chars, self._tail_at = len(self._head), len(text) - len(self._tail)
        if policy.unit == "tokens":
            self._marker = f"…{token_estimate(self.size_bytes - budget)} tokens truncated…"
        else:
            self._marker = f"…{self._tail_at - self._head_chars} chars truncated…"

    @property
    def text(self) -> str:
        return self._head + self._marker + self._tail

    def with_line(self, line: str, at: int) -> str:
        """The text with `line` on a line of its own before the character that was at `at`."""
        if at <= self._head_chars:
            before, after = self._head[:at], self._head[at:] + self._marker + self._tail
        else:
            start = max(0, at - self._tail_at)
            before, after = self._head + self._marker + self._tail[:start], self._tail[start:]
        return f"{before}{_line_end(before)}{line}\n{after}"


def _warning(size_bytes: int) -> str:
    return f"Warning: truncated output (original token count: {token_estimate(size_bytes)})\n"


def _line_end(text: str) -> str:
    return "" if not text or text.endswith("\n") else "\n"


def _start_of_character(raw: bytes, at: int) -> int:
    """The nearest place at or before `at` where no character is split."""
    if at >= len(raw):
        return len(raw)
    while at > 0 and raw[at] & 0xC0 == 0x80:
        at -= 1
    return at


def _next_character(raw: bytes, at: int) -> int:
    """The nearest place at or after `at` where no character is split."""
    while at < len(raw) and raw[at] & 0xC0 == 0x80:
        at += 1
    return at


# Half a surrogate pair has no place in UTF-8, but may stand in text that came from somewhere else; it is kept.
def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogatepass")
