"""Finds the few rules that can match a command among a thousand.

A rule can only match a command whose first two words it names, so the rules of a set are filed under these words, once
a set. The files say who might match, in the set's own order; whether a rule does match is for the rule to say.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol, TypeVar

    class Prefixed(Protocol):
        """A rule, as far as it matters here."""

        @property
        def prefix(self) -> tuple[tuple[str, ...], ...]:
            """The tokens that may stand at each place."""

        @property
        def any_case(self) -> bool:
            """Whether a token stands for every spelling of it."""

    R = TypeVar("R", bound=Prefixed)
    Argv = tuple[str, ...]
    # First word → second word → places in the set. Rules that ask for no second word are filed under None.
    Files = dict[str, dict[str | None, list[int]]]

SETS_MAX = 8  # kept filed; a process works with one or two
PAIRS_MAX = 64  # files one rule may be put in by two words; one with more alternatives is filed by its first alone

# The rules themselves are kept beside their files: as long as they are, their id is nobody else's.
_filed: dict[int, tuple[tuple[Any, ...], Files, list[int]]] = {}


def candidates(rules: tuple[R, ...], *spellings: Argv) -> list[R]:
    """The rules that may match any of `spellings` (an empty one is passed over), each once, in their order."""
    _, files, everywhere = _kept(rules)
    places = set(everywhere)
    for argv in spellings:
        filed = files.get(argv[0]) if argv else None
        if filed is not None:
            places.update(filed.get(None, ()))
            if len(argv) > 1:
                places.update(filed.get(argv[1], ()))
    return [rules[place] for place in sorted(places)] if places else []


def about(rules: tuple[R, ...], *programs: str) -> list[R]:
    """The rules that may match some command that begins with one of these words, in their order."""
    _, files, everywhere = _kept(rules)
    named = [filed for program in programs if (filed := files.get(program))]
    if not named:
        return [rules[place] for place in everywhere]
    places = {*everywhere, *[place for filed in named for second in filed.values() for place in second]}
    return [rules[place] for place in sorted(places)]


def _kept(rules: tuple[Prefixed, ...]) -> tuple[tuple[Any, ...], Files, list[int]]:
    kept = _filed.get(id(rules))
    if kept is None:
        if len(_filed) >= SETS_MAX:
            _filed.clear()
        kept = _filed[id(rules)] = (rules, *_file(rules))
    return kept


def _file(rules: tuple[Prefixed, ...]) -> tuple[Files, list[int]]:
    """The files, and the places of rules that no spelling finds: they may match whatever the words are."""
    files: Files = {}
    everywhere: list[int] = []
    for place, rule in enumerate(rules):
        prefix = rule.prefix
        if not prefix or rule.any_case:
            everywhere.append(place)
            continue
        by_two = len(prefix) > 1 and len(prefix[0]) * len(prefix[1]) <= PAIRS_MAX
        seconds: tuple[str | None, ...] = prefix[1] if by_two else (None,)
        for first in prefix[0]:
            filed = files.setdefault(first, {})
            for second in seconds:
                filed.setdefault(second, []).append(place)
    return files, everywhere
