"""Whether a rule that asks or forbids speaks about a command, whatever options stand between its words.

A rule names words from the first one on, and people write options in between: `kubectl -n prod delete` is what a rule
about `kubectl delete` means. Which options take a value is not known here, so both readings count: a match may only
ever make a verdict stricter.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.policy.rules.model import Rule

    Argv = tuple[str, ...]

WORDS_MAX = 40  # of a command that are looked at; rules are shorter


def covers_despite_options(rule: Rule, argv: Argv) -> bool:
    """`argv` begins with the program the rule names. Its options may stand alone, or take the word behind them."""
    prefix = rule.prefix
    words = argv[:WORDS_MAX]
    if rule.any_case:
        words = tuple([word.casefold() for word in words])
        prefix = tuple([tuple([token.casefold() for token in tokens]) for tokens in prefix])
    waiting, seen = [(1, 1)], set[tuple[int, int]]()
    while waiting:
        state = waiting.pop()
        place, at = state
        if place == len(prefix):
            return not rule.exact or at == len(argv)
        if at >= len(words) or state in seen:
            continue
        seen.add(state)
        word = words[at]
        if word in prefix[place]:
            waiting.append((place + 1, at + 1))
        if word[:1] == "-" and len(word) > 1:
            waiting.append((place, at + 1))
            if "=" not in word and words[at + 1 : at + 2] and words[at + 1][:1] != "-":
                waiting.append((place, at + 2))
    return False
