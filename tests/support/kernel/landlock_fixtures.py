"""Fixtures of the tests that run commands under Landlock: who runs, where, and beside what."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.kernel.confined_runs import Account


@pytest.fixture
def shelf() -> Iterator[Path]:
    # Not tmp_path: its parents are closed to an ordinary user.
    path = Path(tempfile.mkdtemp(dir="/var/tmp", prefix="sandgate-test-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path)


ACCOUNTS = [pytest.param("root")]
if os.geteuid() == 0:  # otherwise whoever runs the tests is the ordinary user already
    ACCOUNTS.append(pytest.param("ordinary", marks=pytest.mark.slow))  # each run in a process of its own


@pytest.fixture(params=ACCOUNTS)
def account(request: pytest.FixtureRequest) -> Account:
    return Account(request.param)


@pytest.fixture
def workspace(shelf: Path, account: Account) -> Path:
    path = new_workspace(shelf)
    account.own(path)
    return path


@pytest.fixture
def my_workspace(shelf: Path) -> Path:
    return new_workspace(shelf)


def new_workspace(shelf: Path) -> Path:
    path = shelf / "work"
    (path / ".git" / "hooks").mkdir(parents=True)
    (path / ".git" / "config").write_text("[core]\n")
    (path / "src").mkdir()
    return path


@pytest.fixture
def outside(shelf: Path) -> Path:
    path = shelf / "outside"
    path.mkdir()
    (path / "file").write_text("before")
    (path / "file").chmod(0o644)
    if os.geteuid() == 0:  # whoever attacks, permission bits are not what stops them
        Account("ordinary").own(path)
    return path
