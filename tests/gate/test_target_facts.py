"""The one part of an assessment that looks at the disk, on a real one."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from sandgate.assessment.facts import MAX_ENTRIES, TargetFacts
from sandgate.assessment.static import assess
from sandgate.gate.target_facts import facts_for, on_disk
from sandgate.protocol.commands import CommandRequest


def looked_at(path: str) -> TargetFacts:
    targets = on_disk()
    targets.ask(path)
    return targets[path]


def test_a_directory_in_a_repository_is_described(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    source = tmp_path / "src"
    source.mkdir()
    (source / "a.py").touch()
    expected = TargetFacts(
        exists=True, is_directory=True, place=str(source), real=str(source), entries=1, git_root=str(tmp_path)
    )
    assert looked_at(str(source)) == expected
    assert looked_at(str(tmp_path)).holds_git


def test_a_link_tells_where_it_is_and_where_it_leads(tmp_path: Path) -> None:
    real = tmp_path.resolve()
    (real / "outside").mkdir()
    (real / "inside").mkdir()
    link = real / "inside" / "link"
    link.symlink_to(real / "outside")
    found = looked_at(str(link))
    assert (found.is_symlink, found.is_directory, found.place, found.real) == (
        True,
        False,
        str(link),
        str(real / "outside"),
    )


def test_absent_and_impossible_paths_are_absent(tmp_path: Path) -> None:
    assert looked_at(str(tmp_path / "missing")) == looked_at("/a\0b") == TargetFacts()


def test_counting_is_bounded(tmp_path: Path) -> None:
    for number in range(MAX_ENTRIES // 100 + 1):
        inner = tmp_path / str(number)
        inner.mkdir()
        for other in range(100):
            os.close(os.open(inner / str(other), os.O_CREAT | os.O_WRONLY))
    assert looked_at(str(tmp_path)).entries == MAX_ENTRIES


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


def said_of(argv: tuple[str, ...], cwd: Path, home: Path) -> str:
    environ = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    command = CommandRequest(argv, str(cwd), environ)
    risk = assess(command, facts=facts_for(command, environ=environ, writable=(str(cwd),)), denial=None)
    assert risk is not None
    return f"{risk.risk_level}: {risk.description}"


def test_a_real_clean_tree_may_be_reset_and_a_changed_one_not(tmp_path: Path) -> None:
    for line in ("init -q", "config user.email a@b", "config user.name a"):
        subprocess.run(("git", *line.split()), cwd=tmp_path, check=True)
    (tmp_path / "file").write_text("one\n")
    subprocess.run(("git", "add", "file"), cwd=tmp_path, check=True)
    subprocess.run(("git", "commit", "-qm", "one"), cwd=tmp_path, check=True)
    hard = ("git", "reset", "--hard")
    assert said_of(hard, tmp_path, tmp_path).startswith("medium: Goes back to HEAD. No uncommitted change")
    (tmp_path / "file").write_text("two\n")
    assert said_of(hard, tmp_path, tmp_path).startswith("high: Throws away changes")


def test_a_clone_is_local_unless_the_users_settings_say_otherwise(tmp_path: Path) -> None:
    clone = ("git", "clone", "../other", "copy")
    assert "on this machine" in said_of(clone, tmp_path, tmp_path)
    (tmp_path / ".gitconfig").write_text('[url "https://example.com/"]\n\tinsteadOf = ../\n')
    assert "on this machine" not in said_of(clone, tmp_path, tmp_path)
