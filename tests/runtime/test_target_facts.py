"""The one part of an assessment that looks at the disk, on a real one."""

from __future__ import annotations

import os
from pathlib import Path

from sandgate.assessment.facts import MAX_ENTRIES, MAX_TARGETS, TargetFacts
from sandgate.assessment.static import assess
from sandgate.protocol.commands import CommandRequest
from sandgate.runtime.target_facts import facts_for, lookup


def test_a_directory_in_a_repository_is_described(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    source = tmp_path / "src"
    source.mkdir()
    (source / "a.py").touch()
    expected = TargetFacts(
        exists=True, is_directory=True, place=str(source), real=str(source), entries=1, git_root=str(tmp_path)
    )
    assert lookup([str(source)]) == {str(source): expected}
    assert lookup([str(tmp_path)])[str(tmp_path)].holds_git


def test_a_link_tells_where_it_is_and_where_it_leads(tmp_path: Path) -> None:
    real = tmp_path.resolve()
    (real / "outside").mkdir()
    (real / "inside").mkdir()
    link = real / "inside" / "link"
    link.symlink_to(real / "outside")
    found = lookup([str(link)])[str(link)]
    assert (found.is_symlink, found.is_directory, found.place, found.real) == (
        True,
        False,
        str(link),
        str(real / "outside"),
    )


def test_absent_and_impossible_paths_are_absent(tmp_path: Path) -> None:
    missing = str(tmp_path / "missing")
    assert lookup([missing, "/a\0b"]) == {missing: TargetFacts(), "/a\0b": TargetFacts()}


def test_counting_and_the_number_of_paths_are_bounded(tmp_path: Path) -> None:
    for number in range(MAX_ENTRIES // 100 + 1):
        inner = tmp_path / str(number)
        inner.mkdir()
        for other in range(100):
            os.close(os.open(inner / str(other), os.O_CREAT | os.O_WRONLY))
    assert lookup([str(tmp_path)])[str(tmp_path)].entries == MAX_ENTRIES
    assert len(lookup(str(tmp_path / str(number)) for number in range(100))) == MAX_TARGETS


def test_facts_for_joins_both_halves(tmp_path: Path) -> None:
    """An untracked directory with files in it: only the disk tells that nothing keeps a copy."""
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").touch()
    command = CommandRequest(("rm", "-rf", "notes"), str(tmp_path), {"HOME": "/home/nobody-here"})
    facts = facts_for(command, environ=os.environ, writable=(str(tmp_path),))
    risk = assess(command, facts=facts)
    assert risk is not None
    assert risk.risk_level == "high"
    assert "No repository keeps a copy of it." in risk.description
