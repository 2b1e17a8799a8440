"""When a model answers in place of people, and who comes after it."""

from __future__ import annotations

import pytest

from sandgate.config.reviewer import AutoReviewSettings
from sandgate.model.provider import Provider
from sandgate.protocol.decisions import Decision
from sandgate.protocol.permissions import Granular, WorkspaceWrite
from sandgate.protocol.trace import Notice
from sandgate.reviewers.assembly import applies, automatic_reviewer
from support.approval.reviewing import request_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from sandgate.protocol.decisions import ApprovalRequest
    from sandgate.protocol.trace import TraceRecord


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("on-request", True),
        (Granular(sandbox_approval=True, rules=True, mcp_elicitations=True), True),
        ("untrusted", False),
        ("on-failure", False),
        ("never", False),
    ],
)
def test_only_where_the_model_itself_asks_may_a_model_answer(policy: Any, expected: bool) -> None:
    assert applies(policy) is expected


class _Settings:
    sandbox = WorkspaceWrite()

    def __init__(self, approval: str, auto_review: AutoReviewSettings | None) -> None:
        self.approval, self.auto_review = approval, auto_review


class _Session:
    def __init__(self, state: Path, approval: str = "on-request", *, on: bool = True) -> None:
        # Nothing listens on port 1, so every review fails at once.
        asked = AutoReviewSettings("m", Provider("p", "http://127.0.0.1:1/v1"), "low", "ask", 5_000, "")
        self.settings: Any = _Settings(approval, asked if on else None)
        self.environ = {"HOME": str(state), "XDG_STATE_HOME": str(state)}
        self.heard: list[TraceRecord] = []
        self.asking: Any = None

    def record(self, event: TraceRecord) -> None:
        self.heard.append(event)

    @staticmethod
    def new_id() -> str:
        return "session"


class _Person:
    def __init__(self, answer: Decision | None) -> None:
        self.answer = answer

    def review(self, _request: ApprovalRequest) -> Decision | None:
        return self.answer


def test_where_nobody_wants_it_there_is_none(tmp_path: Path) -> None:
    assert automatic_reviewer((), _Session(tmp_path, on=False)) is None  # type: ignore[arg-type]


def test_under_another_policy_there_is_none_and_it_is_told(tmp_path: Path) -> None:
    session = _Session(tmp_path, "untrusted")
    assert automatic_reviewer((), session) is None  # type: ignore[arg-type]
    (notice,) = session.heard
    assert isinstance(notice, Notice)


def test_the_first_person_who_answers_has_the_last_word(tmp_path: Path) -> None:
    yes = Decision("initial", "approved", "user")
    people = (_Person(None), _Person(yes), _Person(Decision("initial", "denied", "user")))
    reviewer = automatic_reviewer(people, _Session(tmp_path))  # type: ignore[arg-type]
    assert reviewer is not None
    assert reviewer.review(request_for("make")) == yes


def test_with_nobody_behind_it_a_failure_refuses(tmp_path: Path) -> None:
    reviewer = automatic_reviewer((), _Session(tmp_path))  # type: ignore[arg-type]
    assert reviewer is not None
    decision = reviewer.review(request_for("make"))
    assert decision is not None
    assert (decision.decision, decision.source) == ("denied", "automated_reviewer")
    assert "review failed" in decision.reason
