"""Loops that by their own words never end and never rest: what stands in them takes all of the machine."""

from __future__ import annotations

_HEADS = frozenset(
    ("while true", "while :", "until false", "while 1", "while [ 1 ]", "while [[ 1 ]]", "while /bin/true", "for (( ))")
)
# What ends a round, or waits in it.
_RESTS = frozenset(
    ("break", "exit", "return", "sleep", "usleep", "read", "wait", "inotifywait", "fswatch", "entr", "select", "kill")
)


def endless(loop: str) -> bool:
    """Whether `loop`, a whole `while`, `until` or `for` statement, runs for ever without a pause."""
    head, _, body = loop.replace(";", " ").replace("\n", " ").partition(" do")
    if " ".join(head.split()) not in _HEADS:
        return False
    words = "".join([char if char.isalnum() else " " for char in body]).split()
    return _RESTS.isdisjoint(words)
