"""Words for people, made of parts that are not to be trusted.

Whatever came from a command is shown through here: escaped, short and in quotes when it could be mistaken for our
own words. Two sentences at most, and never more than the wire allows.
"""

from __future__ import annotations

from sandgate.display import visible

MAX_TARGET_CHARACTERS = 80  # a path or host inside a sentence
MAX_DESCRIPTION_CHARACTERS = 500  # the wire's limit for descriptions (risk assessment schema)
MAX_REASON_CHARACTERS = 120
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-~*")


def worded(target: str) -> str:
    """A path, host or name for a sentence; anything unusual stands in backticks."""
    text = visible(target)
    if len(text) > MAX_TARGET_CHARACTERS:
        half = MAX_TARGET_CHARACTERS // 2 - 1
        text = text[:half] + "…" + text[-half:]
    if _PLAIN.issuperset(text):
        return text
    return "`" + text.replace("`", "'") + "`"


def description(sentences: list[str]) -> str:
    """At most two sentences with their full stops, within the limit."""
    kept = [visible(each).rstrip(".") + "." for each in sentences[:2] if each]
    text = " ".join(kept)
    if len(text) > MAX_DESCRIPTION_CHARACTERS:
        text = text[: MAX_DESCRIPTION_CHARACTERS - 1] + "…"
    return text


def reason(text: str) -> str:
    """One reason, on one line."""
    return visible(text, limit=MAX_REASON_CHARACTERS)
