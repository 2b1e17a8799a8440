"""Slash commands, and prompts that are kept in files."""

from __future__ import annotations

import pytest
from acp.exceptions import RequestError as Refused

from sandgate.protocol.events import CustomPrompt
from sandgate.protocol.operations import (
    Compact,
    ContextChange,
    Review,
    RunUserShellCommand,
    TextInput,
    Undo,
    UserInput,
)
from sandgate.surfaces.acp.commands import PROMPT_CHARS_MAX, expanded, meant, offered_commands

PROMPT = CustomPrompt("greet", "/p/greet.md", "Say hello to $1.", "Greets", "NAME")


@pytest.mark.parametrize(
    ("said", "op"),
    [
        ("/compact", Compact()),
        ("/undo", Undo()),
        ("/review the parser", Review("the parser", "the parser")),
        ("/shell make  test", RunUserShellCommand("make  test")),
        ("/model other", ContextChange(model="other")),
        ("/greet Ann", UserInput((TextInput("Say hello to Ann."),))),
        ("/usr/bin/env is a path", UserInput((TextInput("/usr/bin/env is a path"),))),
        ("/", UserInput((TextInput("/"),))),
        (" /compact", UserInput((TextInput(" /compact"),))),
    ],
)
def test_a_message_means(said: str, op: object) -> None:
    assert meant((TextInput(said),), (PROMPT,)) == op


@pytest.mark.parametrize("said", ["/shell", "/shell  ", "/model"])
def test_a_command_that_lacks_something_says_what(said: str) -> None:
    with pytest.raises(Refused, match="usage: /"):
        meant((TextInput(said),), ())


@pytest.mark.parametrize(
    ("content", "rest", "text"),
    [
        ("all: $ARGUMENTS", "a b", "all: a b"),
        ("$2 $1 $3.", "a b", "b a ."),
        ("for $$5", "", "for $5"),
        ("plain\n", "and more", "plain\n\nand more"),
        ("$1", "$2 x", "$2"),
    ],
)
def test_a_prompt_takes_what_was_said_behind_its_name(content: str, rest: str, text: str) -> None:
    assert expanded(content, rest) == text


def test_a_prompt_that_would_be_too_long_is_refused() -> None:
    with pytest.raises(Refused, match="characters"):
        expanded("$1" * 1000, "x" * (PROMPT_CHARS_MAX // 1000 + 1))


def test_prompts_are_offered_beside_our_own_which_they_cannot_replace() -> None:
    names = [each.name for each in offered_commands((PROMPT, CustomPrompt("undo", "/p/undo.md", "x")))]
    assert names == ["compact", "review", "undo", "shell", "model", "greet"]
    assert offered_commands((PROMPT,))[-1].input.root.hint == "NAME"  # type: ignore[union-attr]
