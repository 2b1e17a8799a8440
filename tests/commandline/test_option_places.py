"""Where programs take options."""

from __future__ import annotations

import pytest

from sandgate.commandline.option_places import heeds_end, permutes


@pytest.mark.parametrize("command", ["docker", "docker history", "helm"])
def test_a_program_that_surely_permutes_is_known_with_all_its_commands(command: str) -> None:
    assert permutes(command)


@pytest.mark.parametrize("command", ["node", "unzip", "git config", "pgrep", "sort", "unknown-tool", "", "dockerd"])
def test_any_other_program_may_do_either(command: str) -> None:
    """`pgrep` permutes as well, unless `POSIXLY_CORRECT` is set."""
    assert not permutes(command)


@pytest.mark.parametrize("command", ["rg", "git log"])
def test_a_program_that_surely_heeds_the_end_of_options_is_known(command: str) -> None:
    assert heeds_end(command)


@pytest.mark.parametrize("command", ["mkvinfo", "mediainfo", "ag", "unknown-tool", ""])
def test_behind_any_other_end_of_options_may_stand_options(command: str) -> None:
    assert not heeds_end(command)
