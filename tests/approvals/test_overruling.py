"""A person's word against a machine's."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandgate.approvals.journal import DecisionJournal
from sandgate.approvals.overrides import Overrides, action_digest
from sandgate.approvals.overruling import SHORT_DIGEST, overrule
from sandgate.errors import RequestError
from sandgate.protocol.decisions import Decision
from support.approval.reviewing import request_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.decisions import ApprovalRequest, DecisionSource


def refused(state: Path, request: ApprovalRequest, source: DecisionSource = "automated_reviewer") -> None:
    DecisionJournal(lambda: str(state)).write(request, Decision(request.stage, "denied", source, reason="so"))


def test_a_refused_action_may_run_once_more_by_a_persons_word(tmp_path: Path) -> None:
    request = request_for("rm", "x")
    refused(tmp_path, request)
    digest = action_digest(request)
    line, first = overrule(str(tmp_path), digest[:SHORT_DIGEST])
    assert (line["argv"], first) == (["rm", "x"], True)
    assert not overrule(str(tmp_path), digest)[1]
    assert Overrides(str(tmp_path)).take(digest)


@pytest.mark.parametrize("source", ["user", "none"])
def test_only_an_automatic_refusal_can_be_overridden(tmp_path: Path, source: DecisionSource) -> None:
    request = request_for("rm", "x")
    refused(tmp_path, request, source)
    with pytest.raises(RequestError, match="cannot override"):
        overrule(str(tmp_path), action_digest(request))


def test_a_beginning_that_is_too_short_names_nothing(tmp_path: Path) -> None:
    request = request_for("rm", "x")
    refused(tmp_path, request)
    for action in ("", action_digest(request)[: SHORT_DIGEST - 1]):
        with pytest.raises(RequestError):
            overrule(str(tmp_path), action)
