"""An answer that saves a rule, through the front door."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandgate.protocol.decisions import Decision
from sandgate.runtime import Environment, Runtime, open_runtime

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.decisions import ApprovalRequest

LINE = 'prefix_rule(pattern=["touch", "made"], decision="allow")\n'


class Always:
    """Accepts the rule that is offered, with an end; without one says no."""

    def __init__(self, uses: int | None = None) -> None:
        self.asked: list[ApprovalRequest] = []
        self._uses = uses

    def review(self, request: ApprovalRequest) -> Decision:
        self.asked.append(request)
        if request.amendment is None:
            return Decision(request.stage, "denied", "user")
        amendment = request.amendment.but(uses=self._uses)
        return Decision(request.stage, "approved_with_amendment", "user", request.grants, amendment=amendment)


@pytest.fixture
def place(tmp_path: Path) -> Environment:
    repo, home = tmp_path / "repo", tmp_path / "home"
    repo.mkdir()
    home.mkdir()
    return Environment(
        cwd=str(repo), environ={"HOME": str(home), "PATH": "/usr/bin:/bin"}, overrides=("approval_policy=untrusted",)
    )


def session(place: Environment, *reviewers: Always) -> Runtime:
    return open_runtime(place, reviewers=reviewers)


@pytest.mark.host("namespace")
def test_one_answer_saves_the_rule_and_the_repeat_is_not_asked_about(place: Environment) -> None:
    """Required: scenario 60, except that a rule keeps the sandbox."""
    always = Always()
    with session(place, always) as runtime:
        command = runtime.request(("touch", "made"))
        assert runtime.forecast(command).word == "ask"
        first, again = runtime.run(command), runtime.run(command)
        assert runtime.forecast(command).word == "allow"
    assert (len(always.asked), first.result is not None, again.decisions) == (1, True, ())
    assert [attempt.confined for attempt in (*first.attempts, *again.attempts)] == [True, True]
    assert first.attempts[0].allowed_by == "approved by user (and by a rule from now on)"
    rules = Path(place.environ["HOME"], ".sandgate/rules/default.rules")
    assert rules.read_text() == LINE
    with session(place, always) as later:
        assert later.run(later.request(("touch", "made"))).decisions == ()
    assert len(always.asked) == 1


@pytest.mark.host("namespace")
def test_a_rule_with_uses_is_counted_over_the_runs_that_need_it(place: Environment) -> None:
    always = Always(uses=2)
    with session(place, always) as runtime:
        command = runtime.request(("touch", "made"))
        for _ in range(4):
            runtime.run(command)
    assert len(always.asked) == 2  # the first, and when two runs had used the rule up


@pytest.mark.host("namespace")
def test_where_the_rule_cannot_be_saved_the_command_runs_and_a_warning_says_so(place: Environment) -> None:
    notices: list[str] = []
    home = Path(place.environ["HOME"])
    (home / "elsewhere").mkdir()
    (home / ".sandgate").symlink_to(home / "elsewhere")
    with open_runtime(
        place, reviewers=(Always(),), record=lambda it: notices.append(getattr(it, "message", ""))
    ) as runtime:
        passage = runtime.run(runtime.request(("touch", "made")))
    assert passage.result is not None
    assert any("this session only" in notice and "link" in notice for notice in notices)


def test_where_own_rules_do_not_hold_none_is_offered(place: Environment) -> None:
    always = Always()
    switched_off = place.but(overrides=(*place.overrides, "rules.enabled=false"))
    with session(switched_off, always) as runtime:
        assert runtime.run(runtime.request(("touch", "made"))).refusal is not None
    assert always.asked[0].amendment is None
