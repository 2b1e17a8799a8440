"""Writes that programs try and do without, by name."""

from __future__ import annotations

import pytest

from sandgate.places.dispensable import is_dispensable


@pytest.mark.parametrize(
    "path",
    [
        "/srv/venv/lib/python3.11/site-packages/x/__pycache__/m.cpython-311.pyc.140212226660656",
        "/srv/old/m.pyc",
        "/srv/other/.pytest_cache/v/cache/lastfailed",
        "/srv/other/.mypy_cache",
        "/srv/other/src/a.gcda",
        "/h/.npm/_logs/2026-01-01T00_00_00_000Z-debug-0.log",
        "/h/.npm/_update-notifier-last-checked",
        "/h/.python_history",
        "/h/.python_history-00123",
        "/h/.viminfz.tmp",
        "/h/.local/share/recently-used.xbel.A1B2C3",
        "/proc/24302/coredump_filter",  # a Java runtime, of itself
    ],
)
def test_programs_do_without_these(path: str) -> None:
    assert is_dispensable(path, "/h", "npm test")


@pytest.mark.parametrize(
    "path",
    [
        "/h/.npm/_cacache/tmp/x",
        "/h/.npmrc",
        "/h/.bashrc",
        "/h/project/pyc",
        "/other/.python_history",  # of another home: no program of this one keeps it there
        "/srv/__pycache",
        "/srv/m.pyc.txt",
        "/srv/coredump_filter",
        "/proc/24302/oom_score_adj",
        "/srv/m.pyc.12x",
    ],
)
def test_programs_need_the_others(path: str) -> None:
    assert not is_dispensable(path, "/h", "npm test")


@pytest.mark.parametrize(
    ("command", "path"),
    [
        ("touch /srv/x/__pycache__/a", "/srv/x/__pycache__/a"),
        ("python -m compileall /srv/x", "/srv/x/__pycache__/a.pyc"),
        ("py_compile a.py", "/srv/x/a.pyc"),
        ("pytest --cache-clear", "/srv/x/.pytest_cache/v"),
        ("sh -c 'echo x >> ~/.bash_history'", "/h/.bash_history"),
        ("rm -r ~/.npm/_logs", "/h/.npm/_logs/a"),
    ],
)
def test_a_command_that_speaks_of_it_wants_it(command: str, path: str) -> None:
    assert not is_dispensable(path, "/h", command)


def test_without_a_home_only_names_count() -> None:
    assert not is_dispensable("/.python_history", "", "python")
