"""Commands in text that the grammar leaves as text: it reads over substitutions in some here-documents and defaults.

bash runs them all the same: `` `…` `` and `$(…)` wherever the text is expanded. Quotes keep them only until the shell
expands the text once more: `x='$(ls)'; echo ${x@P}` runs `ls`.
"""

from __future__ import annotations

EMBEDDED_MAX = 64  # substitutions found in one text; what has more of them is judged by these

# By these a text is expanded once more: bash manual, "Shell Parameter Expansion", `@P`; zshexpn(1), "Parameter
# Expansion Flags", `e` and `%`; prompts, and words to choose from.
COMPLETING = ("compgen", "complete")
_AGAIN = ("@P}", "${(", "PS0", "PS1", "PS2", "PS4", "PROMPT", *COMPLETING)


def embedded(text: str) -> tuple[str, ...]:
    """The scripts inside the substitutions of `text`, outermost ones only, in order. Finds too much, not too little."""
    found: list[str] = []
    at = 0
    while at < len(text) and len(found) < EMBEDDED_MAX:
        if text[at] == "\\":
            at += 2
        elif text[at] == "`":
            end = _closing_tick(text, at + 1)
            found.append(text[at + 1 : end].replace("\\`", "`"))
            at = end + 1
        elif text.startswith("$(", at) and not text.startswith("$((", at):
            end = _closing_bracket(text, at + 2)
            found.append(text[at + 2 : end])
            at = end + 1
        else:
            at += 1
    return tuple(found)


def expanded_again(text: str) -> tuple[str, ...]:
    """The scripts in all substitutions of the script `text`, quoted ones too, when it expands some text again."""
    if not ("$(" in text or "`" in text) or not any(each in text for each in _AGAIN):
        return ()
    return embedded(text.replace("\\$", "$").replace("\\`", "`"))


def _closing_tick(text: str, at: int) -> int:
    while at < len(text) and text[at] != "`":
        at += 2 if text[at] == "\\" else 1
    return min(at, len(text))


def _closing_bracket(text: str, at: int) -> int:
    """Where the bracket closes, quotes left aside: a bracket in quotes makes the script longer or shorter."""
    depth = 1
    while at < len(text):
        if text[at] == "\\":
            at += 1
        elif text[at] in "()":
            depth += 1 if text[at] == "(" else -1
            if depth == 0:
                return at
        at += 1
    return len(text)
