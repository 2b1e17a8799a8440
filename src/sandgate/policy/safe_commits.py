"""Words that git makes of commits: `$(git merge-base main HEAD)..HEAD`.

What a command prints may be anything, so a word made of it is one nobody can vouch for. These two print the numbers of
commits and nothing else, whatever the repository holds: no option can come of them, and no path. A tag's name is not
so tame, as somebody else may have chosen it; `git describe` is therefore not here.
"""

from __future__ import annotations

from sandgate.commandline.words import words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.commandline.bashwords import Word

_WORDS_MIN = 3  # `git`, the sub-command, a revision
_OPTIONS = words_of("--short --verify --fork-point --octopus")  # they leave numbers
_NO_REVISION = frozenset("$`\"'\\(){}[]*?<>|&;!,= \t\n")


def is_commit(word: Word) -> bool:
    """Whether the shell replaces (part of) `word` by numbers of commits, with nothing before them."""
    before, _, rest = word.text.partition(")")
    asked = before.split(" ")
    if asked[0] != "$(git" or len(asked) < _WORDS_MIN or asked[1] not in ("merge-base", "rev-parse"):
        return False
    return all(_is_revision(each) for each in asked[2:]) and _NO_REVISION.isdisjoint(rest)


def _is_revision(text: str) -> bool:
    return text in _OPTIONS or (text[:1] != "-" and _NO_REVISION.isdisjoint(text))
