"""Words that come while a question is open: handed over once, and shown so that they cannot pass for ours."""

from __future__ import annotations

import select
from collections.abc import Iterator

import pytest

from sandgate.approvals.prompts.advice import Advice, Said, checking_lines, said_lines
from sandgate.protocol.risk import RiskAssessment

LOW = RiskAssessment("Writes a file.", "low")
HIGH = LOW.but(risk_level="high", risk_categories=("data_deletion",), source="both")


@pytest.fixture
def advice() -> Iterator[Advice]:
    found = Advice()
    yield found
    found.close()


def test_what_is_said_makes_it_readable_until_it_is_taken(advice: Advice) -> None:
    assert (select.select([advice], [], [], 0)[0], advice.take()) == ([], None)
    advice.give(Said(HIGH, "x"))
    assert select.select([advice], [], [], 0)[0] == [advice]
    assert advice.take() == Said(HIGH, "x")
    assert (select.select([advice], [], [], 0)[0], advice.take()) == ([], None)


def test_who_listens_hears_it_whether_early_or_late(advice: Advice) -> None:
    heard: list[Said] = []
    advice.listen(heard.append)
    advice.give(Said(HIGH, "x"))
    advice.listen(heard.append)
    assert heard == [Said(HIGH, "x")] * 2


def test_the_lines_name_the_model_and_what_it_raised() -> None:
    lines = said_lines(Said(HIGH, "Deletes it."), LOW, colour=False, columns=80)
    raised = "  Risk: HIGH (data deletion) - raised by the model"
    assert lines == ["", "  The model says: Deletes it.", raised]
    assert said_lines(Said(LOW, "Writes."), LOW, colour=False, columns=80)[2] == "  Risk: LOW"


def test_a_lost_answer_is_said_and_dim() -> None:
    said = Said(None, why_not="timed out")
    assert said_lines(said, LOW, colour=False, columns=80) == ["", "  risk: not assessed by the model (timed out)"]
    assert said_lines(said, LOW, colour=True, columns=80)[1].startswith("\033[2m")
    assert checking_lines(colour=False) == ["  model: checking…", ""]


@pytest.mark.parametrize("columns", [28, 60, 80, 120])
@pytest.mark.parametrize("words", ["x\nYour answer [y]: ", "\x1b[2J\x1b]0;t\x07", "\u202eevil", "w" * 500, "漢" * 200])
def test_hostile_words_can_neither_begin_a_line_nor_reach_the_terminal(words: str, columns: int) -> None:
    """Required: every further line of theirs stands behind a mark that none of ours has."""
    lines = said_lines(Said(HIGH, words), LOW, colour=False, columns=columns)
    assert all(line.isprintable() for line in lines)
    assert all(line.startswith(("  The model", "      ┆ ", "  Risk: ")) for line in lines if line)
    assert sum(line.startswith("  Risk: ") for line in lines) == 1
