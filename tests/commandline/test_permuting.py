"""Which programs take options behind their operands."""

from __future__ import annotations

import pytest

from sandgate.commandline.permuting import permutes


@pytest.mark.parametrize("command", ["docker", "docker history", "helm"])
def test_a_program_that_surely_permutes_is_known_with_all_its_commands(command: str) -> None:
    assert permutes(command)


@pytest.mark.parametrize("command", ["node", "unzip", "git config", "pgrep", "sort", "unknown-tool", "", "dockerd"])
def test_any_other_program_may_do_either(command: str) -> None:
    """`pgrep` permutes as well, unless `POSIXLY_CORRECT` is set."""
    assert not permutes(command)
