"""Commands that hide in the subscript of a variable's name.

Where bash takes a text for a variable's name or for a number, it evaluates the subscript in it: `test -v 'a[$(x)]'`,
`printf -v 'a[$(x)]'`, `[[ 'a[$(x)]' -eq 1 ]]` and `v='a[$(x)]'; echo $((v))` all run `x`, however well it is quoted.
"""

from __future__ import annotations

from sandgate.commandline.words import words_of

# Words of the shell that take a variable's name, or a number, as an argument.
NAMING = words_of(
    "test [ [[ printf read mapfile readarray unset declare typeset local export readonly getopts let wait "
    "exit return shift ulimit"
)
SUBSCRIPTS_MAX = 50  # of one text that are looked at


def evaluated(text: str) -> tuple[str, ...]:
    """The substitutions inside subscripts of `text`, quoted or not: behind a name, `[`, and no `]` before them."""
    if "[" not in text or not ("$(" in text or "`" in text):
        return ()
    found: list[str] = []
    closings = _closings(text)
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
            end = closings.get(at + 1, len(text))
            if text[at + 2 : at + 3] == "(" and text[end - 1 : end] == ")":  # a sum, and what is in its subscripts
                end = at + 2
            else:
                found.append(text[at + 2 : end])
            at = end
        at += 1
    return tuple(found)


def evaluated_anyhow(script: str) -> tuple[str, ...]:
    """The same in the text of a script, where escapes may keep a substitution for later: `x="a[\\$(ls)]"`."""
    plain = script.replace("\\", "") if "\\" in script else script
    return evaluated(script) if plain == script else tuple(dict.fromkeys((*evaluated(script), *evaluated(plain))))


def _closings(text: str) -> dict[int, int]:
    """Where each round bracket closes; one that does not is left out."""
    found: dict[int, int] = {}
    opened: list[int] = []
    for at, mark in enumerate(text):
        if mark == "(":
            opened.append(at)
        elif mark == ")" and opened:
            found[opened.pop()] = at
    return found
