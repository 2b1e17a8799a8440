"""A question that is larger than the screen: what is in sight when an answer is given."""

from __future__ import annotations

import pytest

from sandgate.approvals.prompts.prompt import choice_lines, prompt_lines, question
from sandgate.approvals.prompts.small_screens import IN_SHORT, Pages, is_small, short_lines
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.decisions import Amendment, ApprovalRequest
from sandgate.protocol.permissions import Grant
from sandgate.protocol.risk import RiskAssessment

REQUEST = ApprovalRequest(
    request_id="r",
    call_id="c",
    stage="retry",
    command=CommandRequest(("touch", "/etc/motd"), "/repo", {}),
    reason="",
    grants=(Grant("write_path", "/etc/motd"),),
    risk=RiskAssessment("Writes a file.", "medium"),
    may_escalate=True,
)
LONG = REQUEST.but(command=CommandRequest(("touch", *(f"/etc/{number}" for number in range(99))), "/repo", {}))


def test_on_a_small_screen_command_risk_gift_and_every_key_are_in_sight() -> None:
    assert [*short_lines(REQUEST, 40, 10), question(REQUEST)] == [
        "  $ touch /etc/motd",
        "  Risk: MEDIUM",
        "  a yes: may write /etc/motd",
        "[y] once  [a] for this session",
        "[u] once, WITHOUT the sandbox  [n] no",
        "[q] stop everything  [v] see all of it",
        "Your answer [y/a/u/n/q]: ",
    ]


@pytest.mark.parametrize("request_", [REQUEST, LONG, REQUEST.but(amendment=Amendment(("touch",)), risk=None)])
@pytest.mark.parametrize(("columns", "rows"), [(40, 10), (30, 8), (20, 12), (80, 6), (200, 2)])
def test_nothing_is_wider_or_longer_than_it_may_be(request_: ApprovalRequest, columns: int, rows: int) -> None:
    lines = short_lines(request_, columns, rows)
    answers = sum("[" in line or "┆" in line for line in lines)
    assert all(len(line) <= columns for line in lines)
    assert len(lines) <= max(rows - 1, answers + 1)
    assert lines[0].startswith("  $ touch")


def test_a_long_command_is_cut_and_says_so() -> None:
    command = [line for line in short_lines(LONG, 40, 10) if "/etc/" in line and "yes" not in line]
    assert (len(command), command[1][-2:]) == (2, " …")


def test_a_screen_is_small_when_the_command_is_out_of_sight() -> None:
    above, below = prompt_lines(REQUEST, colour=False), choice_lines(REQUEST, 80)
    from_command = len(above) - above.index("  $ touch /etc/motd") + len(below)
    assert is_small(above, below, from_command)
    assert not is_small(above, below, from_command + 1)


def test_leafing_shows_every_line_once_and_then_the_short_form_again() -> None:
    pages, seen = Pages(), list[str]()
    while (page := pages.turned(LONG, 40, 10)) != ["", *short_lines(LONG, 40, 10)]:
        assert len(page) <= 9
        seen += page[1:]
    assert seen == [*prompt_lines(LONG, colour=False, columns=40, whole=True), *choice_lines(LONG, 40)]
    assert pages.turned(LONG, 40, 10)[1] == seen[0]


def test_every_choice_has_a_word() -> None:
    names = {name for name in IN_SHORT if name}
    assert names >= {"approve", "approve-session", "approve-always", "approve-unsandboxed", "deny", "abort"}
