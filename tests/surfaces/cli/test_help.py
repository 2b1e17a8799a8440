"""Help for people."""

from pathlib import Path

from sandgate.config import for_run
from sandgate.protocol.permissions import WorkspaceWrite
from sandgate.surfaces.cli.help import COLUMN, command_help, overview
from sandgate.surfaces.cli.options import COMMANDS, Command, Option
from support.config.config_machine import Machine

SAMPLE = Command(
    "sample",
    "do one thing",
    (
        Option(("-q", "--quiet"), "quiet", "say less"),
        Option(("--colour-of-the-long-line",), "colour", "paint", "COLOUR", ("red", "blue")),
    ),
    "sample",
    words=("now",),
)


def test_a_page_is_made_from_the_table() -> None:
    assert command_help(SAMPLE) == (
        "Usage: sandgate sample now [OPTIONS]\n"
        "\n"
        "Do one thing.\n"
        "\n"
        "Options:\n"
        "  -q, --quiet                     say less\n"
        "  --colour-of-the-long-line COLOUR\n"
        "                                  paint (red | blue)\n"
    )


def test_every_form_is_named() -> None:
    page = command_help(SAMPLE.but(words=(), forms=("now", "later WHEN")))
    assert page.startswith("Usage: sandgate sample now | later WHEN [OPTIONS]\n")


def test_who_takes_a_command_explains_the_exit_codes() -> None:
    page = command_help(SAMPLE.but(takes_command=True))
    assert page.startswith("Usage: sandgate sample now [OPTIONS] -- CMD [ARG…]\n")
    assert "77 refused" in page


def test_a_command_with_exit_codes_of_its_own_explains_them() -> None:
    assert command_help(SAMPLE.but(codes="Exit codes: 0 always.")).endswith("\n\nExit codes: 0 always.\n")
    agent = next(command for command in COMMANDS if command.name == "agent")
    assert "124 a limit was reached" in command_help(agent)


def test_explanations_start_in_one_column() -> None:
    for page in (overview(), *map(command_help, COMMANDS)):
        rows = [line for line in page.splitlines() if line.startswith("  -") and "  " in line.strip()]
        assert all(line[COLUMN - 1] == " " and line[COLUMN] != " " for line in rows)


def option(command: str, key: str) -> Option:
    known = next(each for each in COMMANDS if each.name == command)
    return next(each for each in known.options if each.key == key)


def test_a_default_is_named_behind_the_choices() -> None:
    number = Option(("--level",), "level", "how much", "N", default="3")
    page = command_help(SAMPLE.but(options=(number, SAMPLE.options[1].but(default="red"))))
    assert "how much (default: 3)\n" in page
    assert "paint (red | blue; default: red)\n" in page


def test_the_defaults_of_run_are_those_that_hold(tmp_path: Path) -> None:
    """Required: what help says is what the configuration comes to where nobody wrote any."""
    settings = Machine(tmp_path).load().settings
    with_somebody, without = (for_run(settings, person_present=present) for present in (True, False))
    said = f"{with_somebody.approval} with somebody to ask, {without.approval} without"
    assert option("run", "approval").default == said
    assert (option("run", "sandbox").default, with_somebody.sandbox) == ("workspace-write", WorkspaceWrite())
    assert option("run", "network").default.startswith("off")
    assert (option("run", "backend").default, settings.backend) == ("auto", "auto")
    assert (option("run", "timeout").default, settings.timeout_ms) == ("none", None)


def test_a_default_is_one_of_the_choices_or_says_more() -> None:
    for command in COMMANDS:
        for each in command.options:
            assert not each.default or not each.choices or each.default.split(",")[0].split()[0] in each.choices
            assert not each.default or each.metavar, "a switch is off"
