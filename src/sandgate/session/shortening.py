"""How much of a tool's answer the model is shown again with every request.

Tools cut their own answers already, in their own way. What is done here is the last word about all of them, also those
of other people's servers, which cut nothing; so the budget is a little larger and nothing is said on top.
"""

from __future__ import annotations

from sandgate.protocol.items import CustomToolCallOutput, InputImage, InputText
from sandgate.tools.truncation import TruncationPolicy, cut, token_estimate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.items import CallOutput, Part

HEADROOM = (6, 5)  # of the turn's budget: what tools cut fits with the lines they say about it


def shortened(answer: CallOutput, policy: TruncationPolicy) -> CallOutput:
    """The answer within the turn's `policy` and its head-room; the same object when nothing is cut."""
    roomy = TruncationPolicy(policy.unit, policy.amount * HEADROOM[0] // HEADROOM[1])
    if isinstance(answer, CustomToolCallOutput) or isinstance(answer.output, str):
        text = answer.output
        assert isinstance(text, str)
        seen = cut(text, roomy)
        return answer if seen == text else answer.but(output=seen)
    parts = _within(answer.output, roomy)
    return answer if parts == answer.output else answer.but(output=parts)


def _within(parts: tuple[Part, ...], policy: TruncationPolicy) -> tuple[Part, ...]:
    """All texts share one budget, in order; pictures are kept."""
    left = max(0, policy.amount)
    kept: list[Part] = []
    omitted = 0
    for part in parts:
        if isinstance(part, InputImage):
            kept.append(part)
            continue
        size = len(part.text.encode("utf-8", "surrogatepass"))
        cost = token_estimate(size) if policy.unit == "tokens" else size
        if cost <= left:
            kept.append(part)
            left -= cost
        elif left > 0:
            kept.append(part.but(text=cut(part.text, TruncationPolicy(policy.unit, left))))
            left = 0
        else:
            omitted += 1
    if omitted:
        kept.append(InputText(f"[omitted {omitted} text items ...]"))
    return tuple(kept)
