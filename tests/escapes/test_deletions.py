"""A clean build asks nobody, whoever runs it and whatever confines it; what nobody could make again stays."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from support.escape.escape_stage import BOTH_BACKENDS, Stage

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="makes a repository")


def put(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x")


@BOTH_BACKENDS
def test_a_clean_build_needs_nobody_and_notes_need_somebody(stage: Stage, backend: str) -> None:
    """Required: with nobody attached, through the program itself."""
    repo = stage.repo
    for words in (("init", "-q", "."), ("config", "user.name", "n"), ("config", "user.email", "e")):
        assert stage.unconfined(["git", *words]).exit_code == 0
    (repo / ".gitignore").write_text("build/\n*.o\n")
    for name in ("build/deep/a", "a.o", "notes"):
        put(repo / name)
    stage.own()

    def runs(*argv: str) -> int | None:
        return stage.sandgate("run", "--backend", backend, "--", *argv).exit_code

    assert (
        runs("rm", "-rf", "build/deep", ".", "build") == runs("sh", "-c", "rm -rf *") == runs("rm", "notes", "-f") == 77
    )
    assert (repo / "notes").exists()
    assert (repo / "build/deep/a").exists()
    assert runs("sh", "-c", "rm -rf build/* && rm -f *.o") == 0
    assert not (repo / "a.o").exists()
    assert not (repo / "build/deep").exists()
