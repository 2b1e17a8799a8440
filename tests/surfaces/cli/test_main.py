"""The program's door."""

from __future__ import annotations

import pytest

from sandgate import __version__
from sandgate.errors import (
    BackendUnavailable,
    ConfigError,
    DirectoryMissing,
    MissingKey,
    ProgramNotFound,
    RequestError,
    RuleError,
    SandgateError,
)
from sandgate.surfaces.cli import features
from sandgate.surfaces.cli.help import command_help, overview
from sandgate.surfaces.cli.main import exit_code, main
from sandgate.surfaces.cli.options import command_named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ConfigError("x"), 78),
        (MissingKey("x"), 78),
        (RuleError("x"), 78),
        (RequestError("x"), 2),
        (ProgramNotFound("x"), 127),
        (DirectoryMissing("x"), 126),
        (BackendUnavailable("x"), 125),
        (SandgateError("x"), 125),
    ],
)
def test_every_error_has_its_code(error: SandgateError, code: int) -> None:
    assert exit_code(error) == code


@pytest.mark.parametrize("flag", ["-h", "--help", "help"])
def test_help_goes_to_stdout(program: Any, flag: str) -> None:
    assert (program(flag), program.out, program.err) == (0, overview(), "")


def test_help_can_be_asked_for_by_the_name_of_a_command(program: Any) -> None:
    agent = command_named("agent")
    assert agent is not None
    assert (program("help", "agent"), program.out) == (0, command_help(agent))
    assert program("help", "nonsense") == 2
    assert "no command `nonsense`" in program.err
    assert (program("help", "--help"), program.out) == (0, overview())


def test_help_of_one_command_runs_nothing(program: Any) -> None:
    run = command_named("run")
    assert run is not None
    assert (program("run", "--help", "--", "touch", "made"), program.out) == (0, command_help(run))
    assert list(program.repo.iterdir()) == []


def test_the_version_is_one_line(program: Any) -> None:
    assert (program("--version"), program.out) == (0, f"sandgate {__version__}\n")


def test_nothing_asked_is_bad_usage_with_the_overview(program: Any) -> None:
    assert (program(), program.out) == (2, overview())


def test_an_error_is_one_line_and_a_hint(program: Any) -> None:
    assert program("features", "lsit") == 2
    assert program.err.splitlines() == [
        "sandgate: `sandgate features` takes the word `list`",
        "sandgate: hint: sandgate features list",
    ]


def failing(problem: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_parsed: object) -> int:
        raise problem

    monkeypatch.setattr(features, "main", fail)


def test_a_bug_is_one_line(program: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    failing(ZeroDivisionError("division by zero"), monkeypatch)
    assert program("features", "list") == 125
    said = "sandgate: internal error: ZeroDivisionError: division by zero (SANDGATE_DEBUG=1 shows where)\n"
    assert program.err == said


@pytest.mark.usefixtures("program")
def test_a_bug_shows_its_place_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    failing(ZeroDivisionError(), monkeypatch)
    monkeypatch.setenv("SANDGATE_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        main(["features", "list"])


def test_an_interrupt_is_told_by_its_code(program: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    failing(KeyboardInterrupt(), monkeypatch)
    assert (program("features", "list"), program.err) == (130, "sandgate: interrupted\n")
