"""Commands that go on until somebody stops them."""

import pytest

from sandgate.policy.endless import never_ends


@pytest.mark.parametrize(
    "line", ["yes", "yes no", "cat /dev/zero", "od /dev/urandom", "wc /dev/random", "md5sum /dev/full"]
)
def test_it_never_ends(line: str) -> None:
    assert never_ends(tuple(line.split()))


@pytest.mark.parametrize(
    "line",
    ["yes --help", "cat zero", "ls /dev/zero", "od -N16 /dev/urandom", "xxd -l 8 /dev/random", "head -c1 /dev/zero"],
)
def test_it_ends(line: str) -> None:
    assert not never_ends(tuple(line.split()))


def test_nothing_ends_at_once() -> None:
    assert not never_ends(())
