"""A loop is endless when nothing in its words ends it or makes it wait."""

from __future__ import annotations

import pytest

from sandgate.commandline.endless import endless


@pytest.mark.parametrize(
    "loop", ["while true; do bash & done", "until false\ndo\n:\ndone", "for ((;;)); do x; done", "while :; do :; done"]
)
def test_a_loop_without_end_or_rest_is_endless(loop: str) -> None:
    assert endless(loop)


@pytest.mark.parametrize(
    "loop",
    [
        "while true; do make; sleep 1; done",
        "while :; do curl x && break; done",
        "while read -r f; do :; done",
        "for f in a b; do :; done",
        "until nc -z localhost 80; do :; done",
    ],
)
def test_a_loop_that_ends_or_rests_is_not(loop: str) -> None:
    assert not endless(loop)
