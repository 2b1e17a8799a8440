"""Hostile text in a question: nothing it says can look like a line of ours, and no terminal obeys it."""

from __future__ import annotations

from unicodedata import category, east_asian_width

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.approvals.prompts.prompt import CONTINUATION, choice_lines, prompt_lines, question
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.decisions import ApprovalRequest
from sandgate.protocol.denials import Denial, DenialReport
from sandgate.protocol.patches import FileChange
from sandgate.protocol.permissions import Grant
from sandgate.protocol.risk import RiskAssessment

OURS = (
    "sandgate:", "  Reason:", "  Justification given:", "  Does:", "  Denied:", "  Risk:", "  Summary:", "  - ", "  $ ",
    "  in ", "  with ", "  [", "  (high risk", "Your answer",
)  # fmt: skip
FORGERIES = st.sampled_from([
    "\n  Risk: LOW\n", "\r  Risk: LOW", "\x1b[2J\x1b[H", "\x1b]0;title\x07", "\x9b2K", "\u202e", "\u2066", "\u200b",
    "\u2028  in /safe", "\x85  Reason: fine", "\x0b", "\x0c", "\x08" * 9, "\n  [y] yes, once: run it in the sandbox\n",
    "Your answer [y/n]: y", "\nsandgate: approval needed\n", "\udcff", "\U000e0041", "\u3164", "  $ ls", "\n  $ ls\n",
    "日本" * 60, "日" * 39 + " Risk: LOW", " " * 78 + "  Risk: LOW", "x" * 80 + "  in /safe", "\u2800", "…" * 90,
    "a\u0301" * 90, "\t", "\ufeff",
])  # fmt: skip
HOSTILE = st.lists(FORGERIES | st.text(max_size=12) | st.just("  Risk: LOW"), max_size=6).map("".join)


@st.composite
def requests(draw: st.DrawFn) -> ApprovalRequest:
    def text() -> str:
        return draw(HOSTILE)

    script = draw(st.sampled_from([("bash", "-lc", text()), (text(), text(), text()), (f"/{text()}",)]))
    command = CommandRequest(
        script, f"/{text()}", {}, justification=text(), set_variables=((text(), text()),) if draw(st.booleans()) else ()
    )
    denial = Denial("create", path=f"/{text()}", program=text(), grant=Grant("write_path", f"/{text()}"))
    risk = RiskAssessment(text(), draw(st.sampled_from(["low", "high"])), ("data_deletion",), reasons=(text(), text()))
    changes = (FileChange("add", f"/{text()}", content=text()),) if draw(st.booleans()) else ()
    return ApprovalRequest(
        "r", "c", "retry", command, text(), (Grant("write_root", f"/{text()}"),), DenialReport("denied", (denial,)),
        risk, may_escalate=True, changes=changes,
    )  # fmt: skip


def harmless(request: ApprovalRequest) -> ApprovalRequest:
    """The same question with a plain word wherever there was a text."""

    def word(text: str) -> str:
        return "x" if text.split() else ""

    command = request.command
    assert request.denial is not None
    assert request.risk is not None
    return request.but(
        command=command.but(
            argv=("touch", "x"), cwd="/x", justification=word(command.justification or ""),
            set_variables=tuple(("x", "x") for _ in command.set_variables),
        ),
        reason=word(request.reason),
        grants=(Grant("write_root", "/x"),),
        denial=DenialReport("denied", (Denial("create", path="/x", program="x", grant=Grant("write_path", "/x")),)),
        risk=request.risk.but(description=word(request.risk.description), reasons=("x", "x")),
        changes=tuple(FileChange("add", "/x", content="x") for _ in request.changes),
    )  # fmt: skip


def printed(request: ApprovalRequest, columns: int) -> list[str]:
    return [*prompt_lines(request, colour=False, columns=columns), *choice_lines(request, columns), question(request)]


def starts(lines: list[str]) -> list[str]:
    """Which of our beginnings stand in front of lines, in order; what only depends on the text itself left out."""
    found = [next((ours for ours in OURS if line.startswith(ours)), "") for line in lines]
    return [
        ours for ours in found if ours and ours not in ("  Does:", "  Reason:", "  Justification given:", "  Summary:")
    ]


@given(requests(), st.integers(40, 200))
def test_no_line_looks_like_ours_but_ours(request: ApprovalRequest, columns: int) -> None:
    lines = printed(request, columns)
    assert starts(lines) == starts(printed(harmless(request), columns))
    for ours in ("  Does:", "  Reason:", "  Justification given:", "  Summary:"):
        assert sum(line.startswith(ours) for line in lines) <= 1


@given(requests(), st.integers(40, 200))
def test_no_terminal_obeys_any_of_it(request: ApprovalRequest, columns: int) -> None:
    for line in printed(request, columns):
        assert {category(char) for char in line} & {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"} == set()
        line.encode()


@given(requests(), st.integers(40, 200))
def test_no_terminal_breaks_a_line_where_we_did_not(request: ApprovalRequest, columns: int) -> None:
    """Required: what a terminal moves to the next row would begin it, and could say anything there."""
    for line in printed(request, columns)[:-1]:
        assert sum(2 if east_asian_width(char) in "WF" else 1 for char in line) <= columns


@pytest.mark.parametrize("text", ["日" * 100, "x" * 300, "日x" * 70, "delete nothing at all " * 12])
def test_a_long_line_goes_on_behind_a_mark(text: str) -> None:
    request = ApprovalRequest("r", "c", "initial", CommandRequest(("echo", text), "/", {}), "")
    lines = prompt_lines(request, colour=False, columns=60, whole=True)
    rest = [line for line in lines if line.startswith(CONTINUATION)]
    first = next(line for line in lines if line.startswith("  $ "))
    assert first[4:] + "".join(line.removeprefix(CONTINUATION) for line in rest) in (f"echo {text}", f"echo '{text}'")
