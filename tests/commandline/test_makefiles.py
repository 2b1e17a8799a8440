"""The commands in a makefile that stands in a command line."""

from __future__ import annotations

import pytest

from sandgate.commandline.makefiles import recipes, shell_calls


@pytest.mark.parametrize("text", ["x:; ls -l", "x:\n\t@ls -l", "x: ; -@ls -l", "y != ls -l", "y := $(shell ls -l)",
                                  "y := ${shell ls -l}"])  # fmt: skip
def test_recipes_and_calls_of_the_shell_are_found(text: str) -> None:
    assert "ls -l" in list(recipes(text))


def test_a_call_of_the_shell_ends_with_its_bracket() -> None:
    assert list(shell_calls("a $(shell echo $(x) b) c")) == ["echo $(x) b"]
    assert list(shell_calls("$(info shell)")) == []
