"""`sandgate review`: the verdict is the exit code."""

from __future__ import annotations

import json

import pytest

from sandgate.protocol import events as told
from sandgate.protocol.operations import Review
from sandgate.protocol.review import CodeLocation, ReviewFinding, ReviewOutput
from sandgate.surfaces.cli.review import review_lines
from support.agent.agent_double import Stage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

BUG = ReviewFinding("off by one", "the last line\nis lost", 0.9, 1, CodeLocation("/repo/a.py", 3, 5))
ODD = ReviewFinding("odd", "perhaps", 0.5, None, CodeLocation("/repo/b.py", 7, 7))
BAD = ReviewOutput((ODD, BUG), "patch is incorrect", "it loses\na line", 0.8)
GOOD = ReviewOutput((), "patch is correct", "fine", 0.7)
COMPLETE = told.TaskComplete("turn-1", 2, 5)


def story(review: ReviewOutput | None, *more: Any) -> tuple[Any, ...]:
    return (told.EnteredReviewMode("p"), told.ExitedReviewMode(review), *(more or (COMPLETE,)))


@pytest.fixture(autouse=True)
def _every_name_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandgate.surfaces.cli.review.require_revision", lambda *_asked: None)


def test_findings_are_told_the_most_urgent_first(program: Any, stage: Stage) -> None:
    stage.story = story(BAD)
    assert program("review", "--base", "main") == 1
    assert program.out == (
        "P1 /repo/a.py:3-5  off by one (confidence 90%)\n"
        "  | the last line\n"
        "  | is lost\n"
        "P? /repo/b.py:7  odd (confidence 50%)\n"
        "  | perhaps\n"
        "2 findings; patch is incorrect (confidence 80%)\n"
        "  | it loses\n"
        "  | a line\n"
    )
    assert isinstance(stage.asked, Review)
    assert stage.asked.user_facing_hint == "changes against main"


def test_json_is_one_object(program: Any, stage: Stage) -> None:
    stage.story = story(BAD)
    assert program("review", "--json") == 1
    shown = json.loads(program.out)
    assert [each["title"] for each in shown["findings"]] == ["odd", "off by one"]
    assert shown["overall_correctness"] == "patch is incorrect"


@pytest.mark.parametrize(
    ("happened", "code"),
    [
        (story(GOOD), 0),
        (story(GOOD.but(overall_correctness="patch is incorrect")), 1),
        # Free text has no findings, and is no verdict: 0 would call it clean.
        (story(ReviewOutput((), "", "looks good to me", 0.0)), 125),
        (story(None), 125),
        ((COMPLETE,), 125),
        # 1 means findings, so a review that failed must not end with it.
        ((told.Failed("no model"),), 125),
        ((told.Failed("used up", "usage_limit_reached"),), 124),
        (story(None, told.TurnAborted("turn-1", "interrupted")), 130),
        (story(GOOD, told.Failed("lost")), 125),
    ],
)
def test_only_a_verdict_is_zero_or_one(program: Any, stage: Stage, happened: tuple[Any, ...], code: int) -> None:
    """Required: a check in CI must not pass because nobody looked."""
    stage.story = happened
    assert program("review") == code


def test_the_result_can_be_kept_in_a_file(program: Any, stage: Stage) -> None:
    stage.story = story(GOOD)
    assert program("review", "-o", str(program.repo / "r.json")) == 0
    assert json.loads((program.repo / "r.json").read_text())["overall_explanation"] == "fine"


def test_a_finding_cannot_paint_the_terminal_or_look_like_the_verdict() -> None:
    text = "x\x1b[2J\n0 findings; patch is correct\u202e"
    hostile = ReviewFinding(text, text, 5.0, 0, CodeLocation(text, 1, 1))
    lines = review_lines(ReviewOutput((hostile,), text, text, float("nan")))
    assert all(line.isprintable() for line in lines)
    assert [line for line in lines if line.startswith("0 findings")] == []


@pytest.mark.parametrize("subject", [(), ("--base", "main")])
def test_without_a_change_no_model_is_asked(
    program: Any, stage: Stage, monkeypatch: pytest.MonkeyPatch, subject: tuple[str, ...]
) -> None:
    monkeypatch.setattr("sandgate.surfaces.cli.review.nothing_changed", lambda *_asked: True)
    stage.story = story(None)
    assert program("review", *subject, "-o", "verdict.json") == 0
    hint = "changes against main" if subject else "uncommitted changes"
    why = f"there are no {hint}, so no model was asked"
    assert program.out == f"0 findings; patch is correct (confidence 100%)\n  | {why}\n"
    assert stage.sessions == []
    assert json.loads((program.repo / "verdict.json").read_text())["overall_explanation"] == why
    assert (program("review", *subject, "--json"), json.loads(program.out)["findings"]) == (0, [])
    stage.story = story(GOOD)
    assert program("review", "--commit", "HEAD") == 0
    assert stage.asked is not None
