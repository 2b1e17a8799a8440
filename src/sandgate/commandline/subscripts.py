"""Commands that hide in the subscript of a variable's name.

Where bash takes a text for a variable's name or for a number, it evaluates the subscript in it: `test -v 'a[$(x)]'`,
`printf -v 'a[$(x)]'`, `[[ 'a[$(x)]' -eq 1 ]]` and `v='a[$(x)]'; echo $((v))` all run `x`, however well it is quoted.
"""

from __future__ import annotations

from sandgate.commandline.words import words_of

# Words of the shell that take a variable's name, or a number, as an argument.
NAMING = words_of(
    "test [ [[ printf read mapfile readarray unset declare typeset local export readonly getopts let wait"
)
# Those of them that the grammar does not take for commands.
NAMING_STATEMENTS = ("[[", "declare", "typeset", "local", "export", "readonly", "unset")
SUBSCRIPTS_MAX = 50  # of one text that are looked at


def evaluated(text: str) -> tuple[str, ...]:
    """The substitutions inside subscripts of `text`, quoted or not: behind a name, `[`, and no `]` before them."""
    if "[" not in text or not ("$(" in text or "`" in text):
        return ()
    found: list[str] = []
    depth = at = 0
    while at < len(text) and len(found) < SUBSCRIPTS_MAX:
        if not depth:
            at = text.find("[", at)
            if at < 0:
                break
        mark = text[at]
        if mark == "[" and (depth or (at and (text[at - 1].isalnum() or text[at - 1] == "_"))):
            depth += 1
        elif mark == "]" and depth and text[at - 1] not in "'\"\\":
            depth -= 1
        elif depth and mark == "`":
            end = text.find("`", at + 1)
            end = len(text) if end < 0 else end
            found.append(text[at + 1 : end])
            at = end
        elif depth and mark == "$" and text[at + 1 : at + 2] == "(":
            end = _closing(text, at + 2)
            found.append(text[at + 2 : end])
            at = end
        at += 1
    return tuple(found)


def _closing(text: str, at: int) -> int:
    """Where the bracket that was opened before `at` closes; the end of the text when it does not."""
    depth = 1
    while at < len(text):
        depth += (text[at] == "(") - (text[at] == ")")
        if depth == 0:
            return at
        at += 1
    return at
