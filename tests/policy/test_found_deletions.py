"""Which `find` deletes only what it finds by a name."""

from __future__ import annotations

import pytest

from sandgate.policy.found_deletions import deleting_each
from sandgate.protocol.deletions import Deletion


@pytest.mark.parametrize(
    ("line", "below"),
    [
        ("find . -name x -exec rm -rf {} +", (".",)),
        ("find -name x -exec rm -rf {} ;", (".",)),
        ("/usr/bin/find a b/c -mindepth 1 -type d -name x -prune -print -exec rm -r -f -- {} ;", ("a", "b/c")),
    ],
)
def test_the_removal_and_where_its_things_lie(line: str, below: tuple[str, ...]) -> None:
    found = deleting_each(tuple(line.split()))
    assert found is not None
    inner, deletion = found
    assert inner[0] == "rm"
    assert deletion == Deletion(below=below, name="x")


@pytest.mark.parametrize(
    "line",
    [
        "find . -name x",
        "find . -name x -delete",
        "find . -name x -exec rm -rf {}",
        "find . -name x -exec /tmp/rm -rf {} +",
        "find . -name x -exec rm -rf {} + -print",
        "find . -name x -exec echo ; -exec rm -rf {} ;",
        "find . -name x -execdir rm -rf {} +",
        "find . -name x -fprint out -exec rm -rf {} +",
        "find . -exec rm -rf {} + -name x",
        "find -files0-from list -name x -exec rm -rf {} +",
        "find . -name",
        "find . -name [^x]rc -exec rm -rf {} +",
        "find . -name [[:lower:]]rc -exec rm -rf {} +",
        "find . -name s\\rc -exec rm -rf {} +",
        "find . -name x -exec rm -rf -- -notes {} +",
        "rm . -name x -exec rm -rf {} +",
    ],
)
def test_everything_else_says_nothing_for_sure(line: str) -> None:
    assert deleting_each(tuple(line.split())) is None
