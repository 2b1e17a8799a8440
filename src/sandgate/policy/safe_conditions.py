"""Whether `[ … ]` stays the test that is written there, whatever the shell puts into its words.

bash's `test` evaluates the subscript of the name behind `-v` and `-R`, and with it every command in there (bash manual,
"Bash Conditional Expressions"). `[ $x ]` becomes such a test where the text of the variable is `-v a[$(cmd)]`, as it is
split into words; and so does `[ "$x" "$y" ]`, as the operator is one of the words. zsh evaluates what it takes for
numbers, the subscript in `$x[y]` included (zshparam(1), "Array Subscripts"), and goes on with what it finds there.
"""

from __future__ import annotations

from itertools import pairwise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandgate.commandline.bashwords import Word

_TESTS = frozenset(("[", "test"))
_BEFORE = frozenset(("command", "builtin"))  # the shell's own `test` all the same
_OPERATORS_BEGIN = frozenset("-!(")
_IN_NO_OPERATOR = frozenset("./_0123456789")
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_SPECIAL = frozenset("?*@#$!-")
_FLAGS = "#+^=~"  # zsh's, between the `$` and the name
_INDEX = frozenset("0123456789-,@* ")


def stays_a_test(words: Sequence[Word]) -> bool:
    """Whether no word of `[ … ]` or `test …` can become an operator for a word that is not known either.

    True for every other command.
    """
    start = 0
    while start < len(words) - 1 and words[start].text in _BEFORE:
        start += 1
    if not words or words[start].text not in _TESTS:
        return True
    operands = words[start + 1 :]
    if not all(_is_one_word(word) for word in operands):
        return False
    return not any(_may_be_operator(word) and behind.certainty != "exact" for word, behind in pairwise(operands))


def _is_one_word(word: Word) -> bool:
    """One word, or names of files of which none is an operator."""
    if word.certainty == "exact":
        return True
    text = word.text
    if not word.whole:
        return text == "$HOME" or text[:6] == "$HOME/"
    if "{" in text and word.text[:1] != "$":
        return False
    return text[:1] not in ("*", "?", "[") or ("[" not in text and not _IN_NO_OPERATOR.isdisjoint(text))


def _may_be_operator(word: Word) -> bool:
    return word.certainty == "unknown" or (word.certainty == "expanded" and word.text[:1] in _OPERATORS_BEGIN)


def counts_in_subscripts(script: str) -> bool:
    """Whether zsh would evaluate a subscript of `script` that is more than a number: `$x[y]`, `"$1[$n]"`."""
    at = script.find("[")
    while at >= 0:
        end = at
        while script[end : end + 1] == "[" and ((end == at and _behind_a_variable(script, at)) or end > at):
            close = script.find("]", end)
            if close < 0 or not _INDEX.issuperset(script[end + 1 : close]):
                return True
            end = close + 1
        at = script.find("[", max(end, at + 1))
    return False


def _behind_a_variable(script: str, at: int) -> bool:
    start = at
    while start and script[start - 1] in _NAME:
        start -= 1
    if start == at and at and script[at - 1] in _SPECIAL:
        start -= 1
    while start and script[start - 1] in _FLAGS:
        start -= 1
    return start > 0 and script[start - 1] == "$"
