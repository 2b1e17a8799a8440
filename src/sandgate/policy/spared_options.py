"""The same command without its options, for rules that ask or forbid.

A rule names words from the first one on, and people write options in between: `kubectl -n prod delete` is what a rule
about `kubectl delete` means. Which options take a value is not known here, so both readings count: a match may only
ever make a verdict stricter.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Argv = tuple[str, ...]

WORDS_MAX = 16  # of a command that are looked at; rules are shorter
READINGS_MAX = 64  # of one command


def without_options(argv: Argv) -> Iterator[Argv]:
    """`argv` with its options left out, alone or with the word behind them, or left in; never `argv` itself."""
    words, rest = argv[:WORDS_MAX], argv[WORDS_MAX:]
    if not any(word[:1] == "-" and len(word) > 1 for word in words[1:]):
        return
    seen = {argv}
    waiting: list[tuple[Argv, int]] = [(words[:1], 1)]
    while waiting and len(seen) < READINGS_MAX:
        kept, at = waiting.pop()
        while at < len(words) and (words[at][:1] != "-" or len(words[at]) == 1):
            kept, at = (*kept, words[at]), at + 1
        if at == len(words):
            made = kept + rest
            if made not in seen:
                seen.add(made)
                yield made
            continue
        waiting.append(((*kept, words[at]), at + 1))
        if "=" not in words[at] and words[at + 1 : at + 2] and words[at + 1][:1] != "-":
            waiting.append((kept, at + 2))
        waiting.append((kept, at + 1))
