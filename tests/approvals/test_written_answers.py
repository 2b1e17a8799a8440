"""Writing down what was decided."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandgate.approvals.journal import entries
from sandgate.approvals.written_answers import written_down
from sandgate.config.state_directory import ensured_state
from sandgate.protocol.decisions import Decision
from sandgate.protocol.trace import Notice
from support.approval.reviewing import request_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.decisions import ApprovalRequest, DecisionSource, ReviewDecision
    from sandgate.protocol.trace import TraceRecord


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state")}


def decided(
    environ: dict[str, str],
    request: ApprovalRequest,
    decision: ReviewDecision = "denied",
    source: DecisionSource = "automated_reviewer",
    *,
    required: bool = True,
) -> tuple[Decision, list[TraceRecord]]:
    heard: list[TraceRecord] = []
    answer = Decision(request.stage, decision, source, reason="so")
    return written_down(lambda: ensured_state(environ), heard.append, required=required)(request, answer), heard


def test_every_answer_is_written_down_and_counts(environ: dict[str, str]) -> None:
    assert decided(environ, request_for("make"), "approved", "user") == (
        Decision("initial", "approved", "user", reason="so"),
        [],
    )
    (line,) = entries(ensured_state(environ))
    assert (line["argv"], line["decision"], line["source"]) == (["make"], "approved", "user")


def test_nothing_is_made_before_a_question_is_asked(environ: dict[str, str], tmp_path: Path) -> None:
    written_down(lambda: ensured_state(environ), lambda _event: None, required=True)
    assert not (tmp_path / "state").exists()


@pytest.fixture
def unwritable(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "state").write_text("no directory")
    return {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state")}


@pytest.mark.parametrize("decision", ["approved", "approved_for_session", "approved_with_amendment"])
def test_an_approval_that_cannot_be_written_down_is_none(unwritable: dict[str, str], decision: ReviewDecision) -> None:
    counted, heard = decided(unwritable, request_for("make"), decision, "user")
    assert (counted.approved, counted.source, heard) == (False, "none", [])
    assert "could not be written down" in counted.reason
    assert "approvals.require_record" in counted.reason


def test_it_counts_where_that_is_configured_and_is_told_of(unwritable: dict[str, str]) -> None:
    counted, heard = decided(unwritable, request_for("make"), "approved", "user", required=False)
    assert counted.approved
    (warning,) = [event.message for event in heard if isinstance(event, Notice)]
    assert "could not be written down" in warning


def test_a_refusal_needs_no_record(unwritable: dict[str, str]) -> None:
    counted, heard = decided(unwritable, request_for("make"), "denied", "user")
    assert (counted.decision, counted.source, len(heard)) == ("denied", "user", 1)
