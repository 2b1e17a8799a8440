"""Programs that confine us are never taken from where a command could put them (threat table, row 32)."""

import os
from pathlib import Path

import pytest

from sandgate.kernel.build import helper_path
from sandgate.sandbox.probe import find_bubblewrap
from support.escape.escape_stage import Stage


def plant(directory: Path, name: str) -> None:
    directory.mkdir(exist_ok=True)
    (directory / name).write_text("#!/bin/sh\nexec env\n")
    (directory / name).chmod(0o755)


def test_a_planted_bubblewrap_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(tmp_path / "bin", "bwrap")
    monkeypatch.setenv("PATH", f"{tmp_path}/bin")
    assert find_bubblewrap(untrusted=()) == str(tmp_path / "bin" / "bwrap")
    assert find_bubblewrap(untrusted=(str(tmp_path),)) is None


@pytest.mark.host("namespace")
def test_a_planted_helper_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = helper_path()
    plant(tmp_path / "bin", "sandgate-exec")
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path / "bin")
    assert helper_path() == real


@pytest.mark.host("namespace")
def test_the_helper_and_the_package_cannot_be_changed_from_inside(stage: Stage) -> None:
    """Required: also when Sandgate itself lies in the workspace, as in a project's virtual environment."""
    if stage.account is None:
        return  # the tests' own source is the package then; the copy of the ordinary user shows the same
    package = stage.account.source / "sandgate"
    target = package / "_native" / "sandgate-exec"
    before = target.read_bytes()
    attack = ["sh", "-c", 'echo evil > "$1"; mv "$2" "$2.moved"', "sh", str(target), str(package)]
    os.chown(target, stage.uid, -1)
    os.chown(package, stage.uid, -1)
    os.chown(package.parent, stage.uid, -1)
    stage.confined(attack, roots=[package.parent])
    assert target.read_bytes() == before
