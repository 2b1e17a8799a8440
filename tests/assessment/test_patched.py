"""How bad a patch is goes by where its files lie; the summary says how much of it there is."""

from __future__ import annotations

import pytest

from sandgate.assessment.facts import TargetFacts
from sandgate.assessment.patched import FILES_JUDGED_MAX, assess_patch
from sandgate.protocol.denials import Denial, DenialReport
from sandgate.protocol.patches import FileChange
from support.command.assessing import PROJECT, facts

DIFF = "@@ -1,2 +1,3 @@\n a\n-b\n+c\n+d\n"


@pytest.mark.parametrize(
    ("change", "level", "description"),
    [
        (FileChange("add", f"{PROJECT}/new", "x\n"), "medium", f"Writes {PROJECT}/new. 1 file, 1 line added"),
        (FileChange("update", "/etc/passwd", unified_diff=DIFF), "high", "Changes /etc/passwd. 1 file, 2 lines added"),
        (FileChange("add", "/home/u/.bashrc", "x\n"), "high", "Writes /home/u/.bashrc"),
        (FileChange("add", "/other/made", "x\n"), "medium", "Writes /other/made"),
        (FileChange("delete", "/home/u/notes", "a\nb\n"), "high", "Deletes /home/u/notes"),
        (FileChange("update", f"{PROJECT}/a", unified_diff=DIFF, move_path="/etc/motd"), "high", "Writes /etc/motd"),
        (FileChange("update", "/etc/motd", unified_diff=DIFF, move_path=f"{PROJECT}/a"), "high", "Moves /etc/motd"),
    ],
)
def test_the_place_of_a_file_decides(change: FileChange, level: str, description: str) -> None:
    seen = facts(a=TargetFacts(exists=True))
    risk = assess_patch((change,), facts=seen)
    assert (risk.risk_level, description in risk.description) == (level, True), risk.description


def test_the_worst_file_is_told_and_all_are_counted() -> None:
    changes = (FileChange("add", f"{PROJECT}/new", "x\n"), FileChange("update", "/etc/hosts", unified_diff=DIFF))
    assert assess_patch(changes, facts=facts()).description == (
        "Changes /etc/hosts. 2 files, 3 lines added, 1 removed."
    )


def test_what_the_sandbox_stopped_counts_as_well() -> None:
    stopped = DenialReport("denied", (Denial("write", path="/etc/motd"),))
    inside = (FileChange("update", f"{PROJECT}/link", unified_diff=DIFF),)
    assert assess_patch(inside, facts=facts()).risk_level == "medium"
    assert assess_patch(inside, facts=facts(), denial=stopped).risk_level == "high"


def test_more_files_than_anybody_reads_are_a_high_risk() -> None:
    """Required: what is not looked at is not taken for harmless."""
    many = tuple(FileChange("add", f"{PROJECT}/{number}", "x\n") for number in range(FILES_JUDGED_MAX))
    assert assess_patch(many, facts=facts()).risk_level == "medium"
    assert assess_patch((*many, FileChange("add", "/etc/motd", "x\n")), facts=facts()).risk_level == "high"
