"""The program's arguments, good and bad."""

from __future__ import annotations

import pytest

from sandgate.errors import RequestError
from sandgate.surfaces.cli.help import command_help, overview
from sandgate.surfaces.cli.options import COMMANDS
from sandgate.surfaces.cli.parse import parse
from support.suite.rows import every


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


@every(
    "arguments, says",
    [
        (["rnu"], "no command `rnu`"),
        (["rnu"], "did you mean `sandgate run`?"),
        (["--verson"], "did you mean `sandgate --version`?"),
        (["nonsense"], "no command `nonsense` the commands are: "),
        (["run", "--jsno", "--", "x"], "did you mean `--json`"),
        (["patch", "--unod"], "did you mean `--undo`?"),
        (["patch", "--nothing-like-it"], "see `sandgate patch --help`"),
        (["check", "--attack", "--", "x"], "`--attack` is an option of `sandgate doctor`"),
        (["agent", "--undo"], "did you mean `sandgate agent undo`?"),
        (["rules", "lst"], "does not take `lst` sandgate rules list"),
        (["rules", "remove", "make", "x"], "sandgate rules remove -- make x"),
        (["run", "ls"], "missing `--`"),
        (["run", "--"], "is empty"),
        (["rules", "add", "git", "push"], "missing `--`"),
        (["rules", "add", "git", "push"], "sandgate rules add -- git push"),
        (["rules", "add"], "sandgate rules add -- PREFIX…"),
        (["run", "--shell", "echo a; rm -rf ~"], "sandgate run --shell -- 'echo a; rm -rf ~'"),
        (["check", "-a", "never", "ls", "&&", "id"], "sandgate check -a never -- ls '&&' id"),
        (["rules", "check", "ls"], "sandgate rules check -- ls"),
        (["run", "--timeout"], "needs a value"),
        (["run", "--timeout", "--", "x"], "needs a value"),
        (["run", "-s", "readonly", "--", "x"], "read-only, workspace-write, danger-full-access"),
        (["run", "--json=yes", "--", "x"], "takes no value"),
        (
            ["run", "--answer", "yes", "--", "x"],
            "approve, approve-session, approve-session-changing, approve-always, deny, abort",
        ),
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


@pytest.mark.parametrize(
    ("arguments", "form", "words"),
    [
        (["agent"], "[PROMPT]", ()),
        (["agent", "-"], "[PROMPT]", ("-",)),
        (["agent", "fix it"], "[PROMPT]", ("fix it",)),
        (["agent", "--", "-x is wrong"], "[PROMPT]", ("-x is wrong",)),
        (["agent", "--", "resume"], "[PROMPT]", ("resume",)),
        (["agent", "resume"], "resume [SESSION] [PROMPT]", ("resume",)),
        (["agent", "--json", "resume", "id", "--", "-x"], "resume [SESSION] [PROMPT]", ("resume", "id", "-x")),
        (["agent", "fork", "id"], "fork [SESSION] [PROMPT]", ("fork", "id")),
    ],
)
def test_what_may_be_left_out_is_known_by_the_form(arguments: list[str], form: str, words: tuple[str, ...]) -> None:
    parsed = parse(arguments)
    assert (parsed.form, parsed.words) == (form, words)


def test_a_prompt_of_several_words_has_to_be_one() -> None:
    with pytest.raises(RequestError) as caught:
        parse(["agent", "fix", "it"])
    assert "does not take `fix it`" in str(caught.value)
    assert caught.value.hint.startswith("a prompt is one word for the shell: put it in quotes\n")


def test_a_deed_that_lacks_a_word_shows_its_own_form_alone() -> None:
    with pytest.raises(RequestError) as caught:
        parse(["sessions", "show"])
    assert caught.value.hint == "sandgate sessions show SESSION"


@pytest.mark.parametrize("command", ["config", "doctor", "features", "rules"])
def test_features_can_be_switched_both_ways_wherever_settings_count(command: str) -> None:
    words = ["list"] if command == "rules" else []
    parsed = parse([command, *words, "--enable", "a", "--disable", "b"])
    assert (parsed.texts("enable"), parsed.texts("disable")) == (("a",), ("b",))


@pytest.mark.parametrize("command", ["config", "features"])
def test_the_only_word_of_a_command_may_be_left_out(command: str) -> None:
    assert parse([command]).command.name == command


def test_rule_files_are_checked_by_name_and_commands_behind_the_dashes() -> None:
    assert parse(["rules", "check", "a.toml", "b.rules"]).form == "check RULES…"
    assert parse(["rules", "check", "--", "a.toml"]).form == "check -- CMD…"


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
