"""Every configuration test gets a machine of its own."""

from pathlib import Path

import pytest

from support.config.config_machine import Machine


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)
