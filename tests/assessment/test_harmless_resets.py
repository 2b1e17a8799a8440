"""What is said of a `git reset --hard` that loses nothing."""

from __future__ import annotations

import pytest

from sandgate.assessment.facts import AssessmentFacts, Targets
from support.command.assessing import ENVIRONMENT, HOME, PROJECT, judged


def about(*clean: str) -> AssessmentFacts:
    """In a directory where nothing is lost by going to these revisions."""
    return AssessmentFacts(
        HOME,
        PROJECT,
        ENVIRONMENT,
        (PROJECT,),
        Targets(),
        loses_nothing=lambda directory, revision: directory == PROJECT and revision in clean,
    )


@pytest.mark.parametrize(
    "script", ["git reset --hard", "git status && git reset --hard HEAD", "git reset -q --hard HEAD"]
)
def test_a_reset_in_a_clean_tree_throws_nothing_away(script: str) -> None:
    risk = judged(script, about("HEAD"))
    assert risk.risk_level == "medium"
    assert "data_deletion" not in risk.risk_categories
    assert "Goes back to HEAD. No uncommitted change is there to be lost." in risk.description


@pytest.mark.parametrize(
    "script",
    [
        "git reset --hard HEAD~3",  # not known to lose nothing
        "git reset --merge",
        "git stash pop && git reset --hard",  # by then there is work
        "echo x > f; git reset --hard",
        "make; git reset --hard",
        "git fetch && git reset --hard HEAD",
        "cd .. && git reset --hard",
        "git -C ../other reset --hard",
        "git --work-tree=/tmp reset --hard",
        "GIT_DIR=x git reset --hard",
        "git reset --hard $WHERE",
    ],
)
def test_a_reset_that_may_lose_something_is_high(script: str) -> None:
    assert judged(script, about("HEAD")).risk_level == "high"
