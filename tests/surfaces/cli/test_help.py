"""Help for people."""

from sandgate.surfaces.cli.help import COLUMN, command_help, overview
from sandgate.surfaces.cli.options import COMMANDS, Command, Option

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
