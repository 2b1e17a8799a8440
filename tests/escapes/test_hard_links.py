"""A second name of a protected file is no way around its protection (threat table, row 3)."""

import os

from support.escape.escape_stage import BOTH_BACKENDS, Stage


@BOTH_BACKENDS
def test_a_new_link_to_a_protected_file_cannot_be_made(stage: Stage, backend: str) -> None:
    git = stage.repository()
    attack = ["sh", "-c", "ln .git/config alias && echo '[core] fsmonitor = evil' >> alias"]
    assert stage.unconfined(attack).exit_code == 0
    (stage.repo / "alias").unlink()
    before = (git / "config").read_text()
    ran = stage.confined(attack, backend=backend)
    assert ran.exit_code != 0
    assert (git / "config").read_text() == before
    assert not (stage.repo / "alias").exists()


@BOTH_BACKENDS
def test_a_link_that_exists_already_is_closed_too(stage: Stage, backend: str) -> None:
    """Required: a read-only mount covers a path, not an inode."""
    git = stage.repository()
    (stage.repo / "deep").mkdir()
    os.link(git / "config", stage.repo / "deep" / "alias")
    stage.own()
    attack = ["sh", "-c", "echo '[core] fsmonitor = evil' >> deep/alias"]
    assert stage.unconfined(attack).exit_code == 0
    before = (git / "config").read_text()
    assert stage.confined(attack, backend=backend).exit_code != 0
    assert (git / "config").read_text() == before


@BOTH_BACKENDS
def test_a_file_outside_cannot_be_linked_into_the_workspace(stage: Stage, backend: str) -> None:
    (stage.outside / "file").write_text("original")
    stage.own()
    attack = ["sh", "-c", 'ln "$1" alias && echo evil > alias', "sh", str(stage.outside / "file")]
    assert stage.unconfined(attack).exit_code == 0
    (stage.repo / "alias").unlink()
    (stage.outside / "file").write_text("original")
    stage.confined(attack, backend=backend)
    assert (stage.outside / "file").read_text() == "original"
