"""Which names a pattern of a shell may stand for. Every doubt is a yes."""

from __future__ import annotations

_ANY, _MANY = "?", "*"


def could_be(pattern: str, path: str) -> bool:
    """Whether `pattern` may become `path`: `*`, `?`, `[…]` and `{…}`, one directory at a time."""
    ours, theirs = pattern.split("/"), path.split("/")
    return len(ours) == len(theirs) and all(
        _matches(_parts(each), name) for each, name in zip(ours, theirs, strict=True)
    )


def _parts(pattern: str) -> list[str]:
    """Characters that mean themselves, `?` for one of any kind, `*` for any number of them."""
    parts: list[str] = []
    at = 0
    while at < len(pattern):
        char = pattern[at]
        close = pattern.find("]" if char == "[" else "}", at + 2) if char in "[{" else -1
        if close >= 0:
            parts.append(_ANY if char == "[" else _MANY)
            at = close
        else:
            parts.append(char)
        at += 1
    return parts


def _matches(parts: list[str], name: str) -> bool:
    if name[:1] == "." and parts[:1] != ["."]:  # a pattern stands for no hidden name unless it says the dot
        return False
    at = here = 0
    again, after = -1, 0  # behind the last `*`, and what it has taken by now
    while here < len(name):
        if at < len(parts) and parts[at] == _MANY:
            again, after = at + 1, here
            at += 1
        elif at < len(parts) and parts[at] in (_ANY, name[here]):
            at, here = at + 1, here + 1
        elif again >= 0:
            at, after = again, after + 1
            here = after
        else:
            return False
    return all(part == _MANY for part in parts[at:])
