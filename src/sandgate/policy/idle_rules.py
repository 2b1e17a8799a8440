"""Why the rule that people would think of does not count, told beside the reason that does.

Only wanted where something is asked or refused although a rule seems to allow it, so nothing else loads this. Pure.
"""

from __future__ import annotations

from sandgate.commandline.loading import loads
from sandgate.commandline.words import program_name
from sandgate.policy.rules.model import strictest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandgate.policy.rules.model import Rule
    from sandgate.protocol.verdicts import Because


def with_idle_rule(
    because: Because, stopping: tuple[Rule, ...], short: tuple[Rule, ...], strangers: Sequence[str] = ()
) -> Because:
    """`because` and the rule that changed nothing, if there is one.

    `stopping` match its segment and end before the program that one starts, or do not mean `strangers`, programs that
    lie where commands may write; `short` hold fewer times than needed.
    """
    segment = because.segment
    if not segment:
        return because
    if stopping and strangers:
        rule, why = strictest(stopping), f"`{strangers[0]}` leads to a place where commands may write"
    elif stopping:
        rule = strictest(stopping)
        more = [word for word in loads(segment) if word not in segment[: len(rule.prefix)]]
        why = f"it ends before the program that `{program_name(segment[0])}` starts"
        if more:
            why = f"it ends before `{more[0]}`, by which `{program_name(segment[0])}` loads something else"
    else:
        bare = (program_name(segment[0]), *segment[1:])
        meant = [rule for rule in short if rule.covers(segment) or rule.covers(bare)]
        if not meant:
            return because
        rule, why = meant[0], "this needs it oftener than it still holds"
    return because.but(detail=f"{because.detail}; {rule.named} does not count, as {why}")
