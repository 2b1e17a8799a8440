"""Rules that hold so many times are counted for everybody, on disk, before anything runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sandgate.approvals.use_counts import NAME, RuleUses
from sandgate.policy.rules import Rule

THREE = Rule((("make",),), "allow", uses=3)
SOURCE = Path(__file__).resolve().parents[2] / "src"


@pytest.fixture
def state(tmp_path: Path) -> Path:
    made = tmp_path / "state"
    made.mkdir(mode=0o700)
    return made


def counted(state: Path) -> RuleUses:
    return RuleUses(lambda: str(state))


def test_a_rule_holds_as_often_as_it_says_and_each_rule_by_itself(state: Path) -> None:
    uses = counted(state)
    other = THREE.but(prefix=(("make", "cmake"),))
    assert [uses.take(THREE) for _ in range(5)] == [True, True, True, False, False]
    assert uses.take(other)
    assert counted(state).used((THREE, other)) == {THREE.identity: 3, other.identity: 1}


def test_several_uses_are_counted_together_or_not_at_all(state: Path) -> None:
    uses = counted(state)
    assert [uses.take(THREE, times) for times in (2, 2, 1, 1)] == [True, False, True, False]
    assert uses.used((THREE,)) == {THREE.identity: 3}


def test_looking_makes_nothing(state: Path) -> None:
    assert counted(state).used((THREE,)) == {THREE.identity: 0}
    assert list((state / NAME).iterdir()) == []


@pytest.mark.parametrize("content", [b"x", b"1", b" " * 20, b"-1".rjust(20), b"1".rjust(21), b"\xff" * 20])
def test_a_damaged_count_is_used_up(state: Path, content: bytes) -> None:
    """Required: unsure means closed."""
    uses = counted(state)
    uses.take(THREE)
    next((state / NAME).iterdir()).write_bytes(content)
    assert not uses.take(THREE)
    assert THREE.uses_left(uses.used((THREE,))) == 0


def test_what_is_a_link_or_open_to_others_counts_as_used_up(state: Path) -> None:
    uses = counted(state)
    uses.take(THREE)
    count = next((state / NAME).iterdir())
    count.chmod(0o666)
    assert (uses.take(THREE), THREE.uses_left(uses.used((THREE,)))) == (False, 0)
    count.rename(state / "elsewhere")
    (state / "elsewhere").chmod(0o600)
    count.symlink_to(state / "elsewhere")
    assert (uses.take(THREE), THREE.uses_left(uses.used((THREE,)))) == (False, 0)


def test_a_rule_without_a_number_is_never_taken(state: Path) -> None:
    assert not counted(state).take(THREE.but(uses=None))


TAKER = """
import sys
from sandgate.approvals.use_counts import RuleUses
from sandgate.policy.rules import Rule
rule = Rule((("make",),), "allow", uses=100)
print(sum(RuleUses(lambda: sys.argv[1]).take(rule) for _ in range(60)))
"""


def test_processes_at_the_same_time_never_exceed_the_count(state: Path) -> None:
    takers = [
        subprocess.Popen(
            [sys.executable, "-c", TAKER, str(state)],
            env={**os.environ, "PYTHONPATH": str(SOURCE)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    assert sum(int(taker.communicate(timeout=60)[0]) for taker in takers) == 100
