"""Which project a session works for, and for how long it holds that one's directory."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

import pytest

from sandgate.config import TypedOverrides
from sandgate.config.settings import for_confinement
from sandgate.gate.project_directory import ProjectDirectory
from sandgate.runtime import Environment, open_runtime
from sandgate.sandbox import sweeping


def open_directories() -> list[str]:
    """What the descriptors of this process are open on, as far as these are directories."""
    found = []
    for number in os.listdir("/proc/self/fd"):
        with suppress(OSError):  # the listing's own is closed again
            if stat.S_ISDIR(os.stat(f"/proc/self/fd/{number}").st_mode):
                found.append(os.readlink(f"/proc/self/fd/{number}"))
    return found


@pytest.fixture(autouse=True)
def _nothing_beside(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sweep, which opens the directory as well, is over before a look at what is open."""
    monkeypatch.setattr(sweeping, "sweep_beside", sweeping.sweep)


def in_place(cwd: Path, home: Path) -> ProjectDirectory:
    environment = Environment(str(cwd), {"HOME": str(home), "PATH": "/usr/bin:/bin"}, typed=TypedOverrides())
    with open_runtime(environment) as runtime:
        return ProjectDirectory(for_confinement(runtime.settings, environment.environ), environment)


def test_it_is_held_from_the_first_use_until_the_end(tmp_path: Path) -> None:
    """Only this directory is looked for: what earlier tests left to the collector may go at any time."""
    own = in_place(tmp_path, tmp_path)
    assert own.held() is None
    held = os.path.dirname(own.taken())
    assert (own.last(), own.taken()) == (own.taken(), f"{held}/tmp")
    assert open_directories().count(held) == 1
    own.close()
    own.close()
    assert open_directories().count(held) == 0
    assert own.last() == f"{held}/tmp"  # taken again
    own.close()


def test_the_project_is_its_root_from_anywhere_below(tmp_path: Path) -> None:
    repo = tmp_path / "repo"
    (repo / ".git").mkdir(parents=True)
    (repo / "below").mkdir()
    (tmp_path / "repository").mkdir()
    assert in_place(repo / "below", tmp_path).project == str(repo)
    assert in_place(tmp_path / "repository", tmp_path).project == str(tmp_path / "repository")


def test_there_is_none_where_no_state_can_be_kept(tmp_path: Path) -> None:
    (tmp_path / ".local").write_text("")
    own = in_place(tmp_path, tmp_path)
    assert (own.taken(), own.last(), own.held()) == ("", "", None)
