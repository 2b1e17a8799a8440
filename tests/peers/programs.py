"""Programs that are no packages of ours and speak to our server: where they are, if they are."""

from __future__ import annotations

import os
import shutil

import pytest

from support.machine.host_features import PEERS


def place_of(variable: str, name: str) -> str | None:
    """What the variable names, else what PATH does, else what was installed beside the other peers; None: nowhere."""
    return os.environ.get(variable) or shutil.which(name) or shutil.which(name, path=PEERS / "node_modules" / ".bin")


def program(variable: str, name: str) -> str:
    """The same; the test is skipped where there is none."""
    found = place_of(variable, name)
    if found is None:
        pytest.skip(f"no {name}: neither {variable}, PATH nor .peers has one")
    return found
