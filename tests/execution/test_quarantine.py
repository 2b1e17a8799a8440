"""What appeared under a protected name is moved away, not lost."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from tempfile import mkdtemp

import pytest

from sandgate.execution import quarantine as quarantining
from sandgate.execution.quarantine import quarantine


def test_a_created_directory_is_moved_with_everything_in_it(tmp_path: Path) -> None:
    repo, state = tmp_path / "repo", tmp_path / "state"
    (repo / ".codex").mkdir(parents=True)
    (repo / ".codex" / "config.toml").write_text("evil")
    [message] = quarantine([str(repo / ".codex")], state_directory=str(state))
    [place] = (state / "quarantine").iterdir()
    assert list(repo.iterdir()) == []
    assert (place / ".codex" / "config.toml").read_text() == "evil"
    assert (place / "came-from").read_text() == f"{repo}/.codex\n"
    assert message == (f"`{repo}/.codex` was created in spite of its protection and was moved to `{place}/.codex`")


def test_a_link_is_moved_and_its_target_stays(tmp_path: Path) -> None:
    (tmp_path / "target").mkdir()
    (tmp_path / ".git").symlink_to("target")
    quarantine([str(tmp_path / ".git")], state_directory=str(tmp_path / "state"))
    assert (tmp_path / "target").is_dir()
    assert not os.path.lexists(tmp_path / ".git")


def test_nothing_is_said_about_what_does_not_exist(tmp_path: Path) -> None:
    assert quarantine([str(tmp_path / ".git")], state_directory=str(tmp_path / "state")) == []
    assert list(tmp_path.iterdir()) == []


def test_a_path_whose_directory_became_a_link_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "home" / ".git").mkdir(parents=True)
    (tmp_path / "repo").symlink_to("home")
    [message] = quarantine([str(tmp_path / "repo" / ".git")], state_directory=str(tmp_path / "state"))
    assert (tmp_path / "home" / ".git").is_dir()
    assert "its directory is now a link" in message


@pytest.mark.parametrize("parent", ["/dev/shm", None])
def test_a_directory_that_becomes_a_link_meanwhile_leads_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, parent: str | None
) -> None:
    """Required: a live command that exchanges it at any moment has nothing of the person's moved away."""
    scratch = Path(mkdtemp(dir=parent or tmp_path))
    for name in ("home", "repo"):
        (scratch / name / ".git").mkdir(parents=True)
        (scratch / name / ".git" / "whose").write_text(name)
    make_place = quarantining._fresh_place

    def meanwhile(state: str) -> str:
        (scratch / "repo").rename(scratch / "before")
        (scratch / "repo").symlink_to("home")
        return make_place(state)

    monkeypatch.setattr(quarantining, "_fresh_place", meanwhile)
    try:
        quarantine([str(scratch / "repo" / ".git")], state_directory=str(tmp_path / "state"))
        [place] = (tmp_path / "state" / "quarantine").iterdir()
        assert (scratch / "home" / ".git" / "whose").read_text() == "home"
        assert (place / ".git" / "whose").read_text() == "repo"
        assert list((scratch / "before").iterdir()) == []
    finally:
        shutil.rmtree(scratch)


def test_what_cannot_be_moved_is_reported_and_stays(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    state = tmp_path / "state"
    state.write_text("a file where the directory should be")
    [message] = quarantine([str(tmp_path / ".git")], state_directory=str(state))
    assert (tmp_path / ".git").is_dir()
    assert "cannot be moved away: Not a directory" in message


def test_it_is_moved_across_file_systems_too(tmp_path: Path) -> None:
    scratch = Path("/dev/shm") / f"sandgate-quarantine-{os.getpid()}"
    (scratch / ".git").mkdir(parents=True)
    try:
        quarantine([str(scratch / ".git")], state_directory=str(tmp_path))
        assert list(scratch.iterdir()) == []
    finally:
        scratch.rmdir()
    [place] = (tmp_path / "quarantine").iterdir()
    assert (place / ".git").is_dir()


def test_a_pipe_on_another_file_system_gets_an_inert_name(tmp_path: Path) -> None:
    scratch = Path("/dev/shm") / f"sandgate-quarantine-pipe-{os.getpid()}"
    (scratch / ".vscode").mkdir(parents=True)
    os.mkfifo(scratch / ".vscode" / "pipe")
    try:
        [message] = quarantine([str(scratch / ".vscode")], state_directory=str(tmp_path))
        [left] = scratch.iterdir()
        assert left.name.startswith(".vscode.sandgate-quarantined-")
        assert f"was moved to `{left}`" in message
    finally:
        shutil.rmtree(scratch)
