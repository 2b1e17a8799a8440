"""Loops that by their own words never end and never rest: what stands in them takes all of the machine."""

from __future__ import annotations

_HEADS = frozenset(
    ("while true", "while :", "until false", "while 1", "while [ 1 ]", "while [[ 1 ]]", "while /bin/true", "for (( ))")
)
MANY_ROUNDS = 1_000  # of a loop that starts something in the background each time
ROUNDS_DIGITS_MAX = 9
# What ends a round, or waits in it.
_RESTS = frozenset(
    ("break", "exit", "return", "sleep", "usleep", "read", "wait", "inotifywait", "fswatch", "entr", "select", "kill")
)


def endless(loop: str) -> bool:
    """Whether `loop`, a whole `while`, `until` or `for` statement, runs for ever without a pause."""
    head, _, body = loop.replace(";", " ").replace("\n", " ").partition(" do")
    if head[:4] == "for " and _many(head):
        return in_background(body)
    if " ".join(head.split()) not in _HEADS:
        return False
    words = "".join([char if char.isalnum() else " " for char in body]).split()
    return _RESTS.isdisjoint(words)


def in_background(body: str) -> bool:
    """Whether something in `body` is started with `&`. Finds too much: an `&` in quotes counts."""
    for joint in ("&&", ">&", "&>", "<&", "|&"):
        body = body.replace(joint, " ")
    return "&" in body


def _many(head: str) -> bool:
    numbers = "".join([char if char.isdigit() else " " for char in head]).split()
    return any(int(number[:ROUNDS_DIGITS_MAX]) >= MANY_ROUNDS for number in numbers)
