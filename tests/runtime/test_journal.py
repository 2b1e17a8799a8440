"""Writing down what was decided, and a person's word against a machine's."""

from __future__ import annotations

from pathlib import Path

import pytest

from reviewing import request_for
from sandgate.approvals.overrides import Overrides, action_digest
from sandgate.errors import RequestError
from sandgate.protocol.decisions import Decision
from sandgate.protocol.trace import ApprovalAnswered, ApprovalRequested, Notice
from sandgate.runtime.journal import SHORT_DIGEST, decisions, journaled, override

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
) -> list[TraceRecord]:
    heard: list[TraceRecord] = []
    record = journaled(heard.append, environ)
    record(ApprovalRequested(request))
    record(ApprovalAnswered(request.request_id, Decision(request.stage, decision, source, reason="so")))
    return heard


def test_every_answer_is_passed_on_and_written_down(environ: dict[str, str]) -> None:
    assert len(decided(environ, request_for("make"), "approved", "user")) == 2
    (line,) = decisions(environ)
    assert (line["argv"], line["decision"], line["source"]) == (["make"], "approved", "user")


def test_nothing_is_made_before_a_question_is_asked(environ: dict[str, str], tmp_path: Path) -> None:
    journaled(lambda _event: None, environ)(Notice("warning", "x"))
    assert not (tmp_path / "state").exists()


def test_an_answer_that_cannot_be_written_down_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("no directory")
    heard = decided({"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state")}, request_for("make"))
    warnings = [event.message for event in heard if isinstance(event, Notice)]
    assert warnings
    assert all("could not be written down" in warning for warning in warnings)


def test_a_refused_action_may_run_once_more_by_a_persons_word(environ: dict[str, str], tmp_path: Path) -> None:
    request = request_for("rm", "x")
    decided(environ, request)
    digest = action_digest(request)
    line, first = override(environ, digest[:SHORT_DIGEST])
    assert (line["argv"], first) == (["rm", "x"], True)
    assert not override(environ, digest)[1]
    assert Overrides(str(tmp_path / "state" / "sandgate")).take(digest)


@pytest.mark.parametrize("source", ["user", "none"])
def test_only_an_automatic_refusal_can_be_overridden(environ: dict[str, str], source: DecisionSource) -> None:
    request = request_for("rm", "x")
    decided(environ, request, "denied", source)
    with pytest.raises(RequestError, match="cannot override"):
        override(environ, action_digest(request))


def test_a_beginning_that_is_too_short_names_nothing(environ: dict[str, str]) -> None:
    request = request_for("rm", "x")
    decided(environ, request)
    for action in ("", action_digest(request)[: SHORT_DIGEST - 1]):
        with pytest.raises(RequestError):
            override(environ, action)
