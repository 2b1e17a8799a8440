"""The program's arguments, good and bad."""

from __future__ import annotations

import pytest

from sandgate.errors import RequestError
from sandgate.surfaces.cli.help import command_help, overview
from sandgate.surfaces.cli.options import COMMANDS
from sandgate.surfaces.cli.parse import parse


def test_everything_after_the_dashes_belongs_to_the_command() -> None:
    parsed = parse(["run", "-s", "read-only", "--", "ls", "--json", "--", "-x"])
    assert parsed.argv == ("ls", "--json", "--", "-x")
    assert parsed.values == {"sandbox": "read-only"}


def test_values_come_as_next_word_after_an_equals_sign_or_glued_to_a_short_flag() -> None:
    parsed = parse(["run", "--timeout=1.5", "-C/repo", "--answer", "approve", "--answer=deny", "-v", "--", "x"])
    assert parsed.values == {"timeout": "1.5", "cd": "/repo", "answer": ("approve", "deny"), "verbose": True}
    assert (parsed.text("timeout"), parsed.texts("answer"), parsed.on("verbose")) == ("1.5", ("approve", "deny"), True)


def test_an_equals_sign_inside_a_value_stays() -> None:
    assert parse(["run", "-c", "a.b=c=d", "--env=X=1=2", "--", "x"]).values == {
        "config": ("a.b=c=d",),
        "env": ("X=1=2",),
    }


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["rnu"], "no command `rnu`"),
        (["run", "--jsno", "--", "x"], "did you mean `--json`"),
        (["run", "ls"], "missing `--`"),
        (["run", "--"], "is empty"),
        (["run", "--timeout"], "needs a value"),
        (["run", "--timeout", "--", "x"], "needs a value"),
        (["run", "-s", "readonly", "--", "x"], "read-only, workspace-write, danger-full-access"),
        (["run", "--json=yes", "--", "x"], "takes no value"),
        (["run", "--answer", "yes", "--", "x"], "approve, approve-session, approve-always, deny, abort"),
        (["config", "list"], "takes the word `show`"),
        (["approvals"], "sandgate approvals resolve ID DECISION"),
        (["approvals", "list", "all"], "does not take `list all`"),
        (["approvals", "RESOLVE", "id", "x"], "does not take"),
    ],
)
def test_bad_usage_gets_one_clear_line(arguments: list[str], says: str) -> None:
    with pytest.raises(RequestError) as caught:
        parse(arguments)
    assert says in f"{caught.value} {caught.value.hint}"


def test_words_in_one_of_the_forms_are_kept_in_order() -> None:
    parsed = parse(["approvals", "resolve", "00c0ffee", "--reason", "fine", "list"])
    assert (parsed.words, parsed.text("reason")) == (("resolve", "00c0ffee", "list"), "fine")
    assert parse(["approvals", "--json", "watch"]).words == ("watch",)


def test_undecodable_bytes_in_arguments_survive() -> None:
    assert parse(["run", "--", "cat", "\udcff\n"]).argv == ("cat", "\udcff\n")


def test_help_names_every_command_and_every_option() -> None:
    text = overview()
    assert all(command.name in text for command in COMMANDS)
    for command in COMMANDS:
        page = command_help(command)
        assert all(flag in page for option in command.options for flag in option.flags)


def test_no_flag_stands_for_two_options_of_one_command() -> None:
    for command in COMMANDS:
        flags = [flag for option in command.options for flag in option.flags]
        assert len(flags) == len(set(flags)), command.name
