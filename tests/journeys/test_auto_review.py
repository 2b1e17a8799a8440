"""The automatic reviewer in the program itself, against a real server on the loopback."""

from __future__ import annotations

import pytest

from support.model.responses_server import ResponsesServer, refuses, says, stays_silent
from support.process.program import Sandgate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from support.model.responses_server import Manner
    from support.process.program import Finished

pytestmark = pytest.mark.host("namespace")

ALLOW = '{"outcome": "allow", "risk_level": "low", "rationale": "It writes one file."}'
DENY = '{"outcome": "deny", "risk_level": "high", "rationale": "It writes outside."}'


@pytest.fixture
def sandgate(tmp_path: Path) -> Sandgate:
    for name in ("workspace", "home"):
        (tmp_path / name).mkdir()
    return Sandgate(tmp_path / "workspace", tmp_path / "home")


def run(sandgate: Sandgate, server: ResponsesServer, *more: str) -> Finished:
    """Asks to leave the sandbox, which a reviewer must allow."""
    settings = (
        "approvals_reviewer=auto_review",
        "auto_review.model=test",
        "auto_review.provider=local",
        f"model_providers.local.base_url={server.url}",
    )
    given = [part for setting in settings for part in ("-c", setting)]
    return sandgate("run", "-a", "on-request", "--escalate", *given, *more, "--", "touch", str(sandgate.home / "made"))


def test_a_yes_runs_the_command_and_is_written_down(sandgate: Sandgate) -> None:
    with ResponsesServer(says(ALLOW)) as server:
        finished = run(sandgate, server)
    assert finished.code == 0, finished
    assert (sandgate.home / "made").exists()
    assert "automatic review approved (risk low, authorization unknown): It writes one file." in finished.err
    log = sandgate("approvals", "log")
    assert "approved by automated_reviewer" in log.out


def test_a_no_refuses_and_can_be_overridden_by_a_person_once(sandgate: Sandgate) -> None:
    with ResponsesServer(says(DENY)) as server:
        refused = run(sandgate, server)
        assert refused.code == 77, refused
        assert "unacceptable risk" in refused.err
        (action,) = [line.split()[-1] for line in sandgate("approvals", "log").out.splitlines() if "  action " in line]
        assert sandgate("approvals", "override", action).code == 0
        assert run(sandgate, server).code == 0
        assert (sandgate.home / "made").exists()
        assert run(sandgate, server).code == 77


@pytest.mark.parametrize(
    ("manner", "more", "words"),
    [
        (stays_silent, ("-c", "auto_review.timeout_ms=300"), "missed its deadline"),
        (refuses(500), (), "review failed"),
        (says("Sure, go ahead!"), (), "review failed"),
    ],
)
def test_no_answer_is_a_refusal_that_blames_nobody(
    sandgate: Sandgate, manner: Manner, more: tuple[str, ...], words: str
) -> None:
    with ResponsesServer(manner) as server:
        finished = run(sandgate, server, *more)
    assert finished.code == 77, finished
    assert words in finished.err
    assert "says nothing about the command" in finished.err
    assert not (sandgate.home / "made").exists()


def test_the_events_tell_of_the_review(sandgate: Sandgate) -> None:
    with ResponsesServer(says(DENY)) as server:
        events = run(sandgate, server, "--json").events
    reviews = [event for event in events if event["type"] == "guardian_assessment"]
    assert [event["status"] for event in reviews] == ["in_progress", "denied"]
    assert reviews[1]["rationale"] == "It writes outside."
    assert reviews[1]["decision_source"] == "agent"


def test_a_prepared_answer_comes_before_the_model(sandgate: Sandgate) -> None:
    with ResponsesServer(says(DENY)) as server:
        assert run(sandgate, server, "--answer", "approve").code == 0
        assert server.connections == []


def test_without_a_model_nothing_starts(sandgate: Sandgate) -> None:
    finished = sandgate("run", "-a", "on-request", "-c", "approvals_reviewer=auto_review", "--", "true")
    assert finished.code == 78
    assert "the automatic reviewer has no model" in finished.err


def test_a_project_cannot_choose_who_answers(sandgate: Sandgate) -> None:
    (sandgate.workspace / ".git").mkdir()
    (sandgate.workspace / ".sandgate").mkdir()
    (sandgate.workspace / ".sandgate" / "config.toml").write_text('approvals_reviewer = "auto_review"\n')
    trusted = f'projects."{sandgate.workspace}".trust_level="trusted"'
    finished = sandgate("run", "-a", "on-request", "--escalate", "-c", trusted, "--", "true")
    assert "no reviewer is attached" in finished.err


def test_under_another_policy_people_answer_and_it_says_so(sandgate: Sandgate) -> None:
    with ResponsesServer(says(ALLOW)) as server:
        finished = run(sandgate, server, "-a", "untrusted")
    assert "people answer here" in finished.err
    assert server.connections == []
