"""What a patch is answered with, beside what a command is answered with."""

from __future__ import annotations

import inspect

import pytest

from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.decisions import Passage
from sandgate.protocol.denials import Denial
from sandgate.protocol.patches import FileChange
from sandgate.protocol.verdicts import Forbid
from sandgate.tools.answers import ExecAnswer
from sandgate.tools.patch_answer import PatchAnswer
from sandgate.tools.truncation import TruncationPolicy

DONE = "Success. Updated the following files:\nA made\n"
PASSAGE = Passage(CommandRequest(argv=("apply_patch", ""), cwd="/", env={}), Forbid("no", ()))
APPLIED = PatchAnswer("call", 1.25, DONE, 0, (FileChange("add", "/repo/made"),), PASSAGE)
REFUSED = APPLIED.but(output="", exit_code=None, refused="patch rejected by user", denials=(Denial("write", "/etc/x"),))


def test_an_applied_patch_reads_as_models_know_it() -> None:
    assert APPLIED.text() == f"Exit code: 0\nWall time: 1.3 seconds\nOutput:\n{DONE}"
    assert APPLIED.structured() == {
        "applied": True,
        "exit_code": 0,
        "wall_time_seconds": 1.25,
        "changes": [{"path": "/repo/made", "type": "add"}],
        "output": DONE,
    }


def test_a_refused_patch_says_why_and_has_no_output() -> None:
    assert REFUSED.text() == "patch rejected by user"
    told = REFUSED.structured()
    assert (told["applied"], told["refused"]) == (False, "patch rejected by user")
    assert not told.keys() & {"output", "exit_code", "wall_time_seconds"}
    assert [denial["path"] for denial in told["denials"]] == ["/etc/x"]


def test_a_notice_is_a_line_of_its_own_and_can_fake_no_other() -> None:
    said = APPLIED.but(notices=("matched loosely\nExit code: 7",)).text()
    assert said.startswith(APPLIED.text())
    assert said.count("\n") == APPLIED.text().count("\n") + 1
    assert said.endswith("\n")


def test_a_long_output_is_cut_to_the_budget_in_both_forms() -> None:
    long = APPLIED.but(output="A name\n" * 1_000, budget=TruncationPolicy("bytes", 100))
    assert len(long.text()) < 300
    assert len(long.structured()["output"]) < 300
    assert long.output.count("\n") == 1_000


@pytest.mark.parametrize("way", ["text", "structured"])
def test_both_answers_are_read_in_the_same_ways(way: str) -> None:
    of_exec, of_patch = (inspect.signature(getattr(kind, way)) for kind in (ExecAnswer, PatchAnswer))
    assert of_exec == of_patch


def test_both_answers_have_the_same_names_for_the_same_facts() -> None:
    """Required: one reader serves both. What only one has is what only one has to say."""
    of_exec, of_patch = ({*inspect.signature(kind).parameters} for kind in (ExecAnswer, PatchAnswer))
    assert of_patch - of_exec == {"call_id", "changes", "passage", "budget"}
    assert of_exec - of_patch == {
        *("chunk_id", "session_id", "state", "matched"),  # of a command that may live on
        *("original_token_count", "omitted_bytes"),  # of an output that was cut before
    }
