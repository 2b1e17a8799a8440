"""The judgement of commands keeps its bars on the labelled examples, and the examples are worth something."""

from __future__ import annotations

import functools
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from corpus import score

SCORE = Path(__file__).with_name("score.py")
LINES_MIN = 400
CATEGORIES = {
    "data_deletion",
    "data_exfiltration",
    "privilege_escalation",
    "system_modification",
    "network_access",
    "resource_exhaustion",
    "compliance",
}


@functools.cache
def corpus() -> list[score.Line]:
    return list(score.lines(score.files()))


def test_the_corpus_is_large_and_names_every_category() -> None:
    assert len(corpus()) >= LINES_MIN
    assert {name for line in corpus() for name in line.categories} == CATEGORIES


def test_every_danger_has_its_harmless_twin_right_below() -> None:
    below = dict(zip(corpus(), corpus()[1:], strict=False))
    alone = [
        line.place
        for line in corpus()
        if line.label == "danger" and (line not in below or not below[line].label.startswith("twin"))
    ]
    assert alone == []


def test_a_twin_stands_below_a_danger_only() -> None:
    pairs = zip([None, *corpus()], corpus(), strict=False)
    assert [
        line.place
        for above, line in pairs
        if line.label.startswith("twin") and (above is None or above.label != "danger")
    ] == []


def test_no_command_is_counted_twice() -> None:
    times = Counter(line.command for line in corpus())
    assert [command for command, count in times.items() if count > 1] == []


@pytest.mark.slow
def test_every_bar_is_held() -> None:
    """Required: nothing unsafe runs unasked, and people are neither bothered nor misled."""
    results = score.scores(score.judge(line) for line in corpus())
    missed = {each.figure.name: [miss.line.place for miss in each.misses] for each in results if not each.held}
    assert missed == {}


@pytest.mark.parametrize(
    ("line", "status", "said"),
    [
        ("danger | data_deletion | rm -rf ~", 0, "ok"),
        ("read | | ls", 0, "ok"),
        ("danger | | ls", 1, "MISSED"),
        ("work | | ls", 1, "unsafe     mine.txt:1"),
        ("read | | rm -rf ~", 1, "needless   mine.txt:1"),
        ("danger | compliance | rm -rf ~", 1, "without compliance"),
    ],
)
def test_the_program_says_what_misses_a_bar(line: str, status: int, said: str, tmp_path: Path) -> None:
    mine = tmp_path / "mine.txt"
    mine.write_text(line + "\n", encoding="utf-8")
    run = subprocess.run([sys.executable, SCORE, "--misses", mine], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (status, "")
    assert said in run.stdout


def test_a_line_with_an_unknown_label_is_refused(tmp_path: Path) -> None:
    mine = tmp_path / "mine.txt"
    mine.write_text("harmless | | ls\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"mine\.txt:1: `harmless \| \| ls` is not"):
        list(score.lines([mine]))
