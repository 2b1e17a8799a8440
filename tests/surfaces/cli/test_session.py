"""From options to a runtime and a request."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sandgate.errors import RequestError
from sandgate.protocol.permissions import ReadOnly
from sandgate.surfaces.cli import session
from sandgate.surfaces.cli.parse import parse
from sandgate.surfaces.cli.session import colour_wanted, opened, requested

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.protocol.commands import CommandRequest


def request_of(*arguments: str) -> CommandRequest:
    parsed = parse(["run", *arguments])
    return requested(parsed, opened(parsed))


def test_the_options_reach_the_request(program: Any) -> None:
    command = request_of(
        "--timeout", "1.5", "--tty", "--escalate", "--justification", "because", "--env=A=b=c", "--", "ls"
    )
    assert (command.argv, command.cwd, command.timeout_ms) == (("ls",), str(program.repo), 1500)
    assert (command.tty, command.wish, command.justification) == (True, "require_escalated", "because")
    assert (command.env["A"], command.env["HOME"]) == ("b=c", str(program.home))


@pytest.mark.usefixtures("program")
def test_the_options_reach_the_settings() -> None:
    settings = opened(parse(["run", "-s", "read-only", "--backend", "landlock", "--", "ls"])).settings
    assert (settings.sandbox, settings.backend) == (ReadOnly(), "landlock")


def test_the_directory_is_the_real_one(program: Any, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(program.repo)
    assert opened(parse(["run", "-C", "../link", "--", "ls"])).directory == str(program.repo)


@pytest.mark.usefixtures("program")
def test_a_script_runs_in_a_shell() -> None:
    argv = request_of("--shell", "--", "ls | wc -l").argv
    assert (len(argv), argv[1:]) == (3, ("-c", "ls | wc -l"))


@pytest.mark.usefixtures("program")
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--shell", "--", "ls", "-l"], "`--shell` takes the script as one word"),
        (["--timeout", "0", "--", "ls"], "`--timeout 0` is not a time"),
        (["--timeout", "-1", "--", "ls"], "`--timeout -1` is not a time"),
        (["--timeout", "nan", "--", "ls"], "`--timeout nan` is not a time"),
        (["--timeout", "inf", "--", "ls"], "`--timeout inf` is not a time"),
        (["--env", "A", "--", "ls"], "`--env A` sets nothing"),
        (["--env", "=b", "--", "ls"], "`--env =b` sets nothing"),
        (["-C", "/etc/passwd", "--", "ls"], "cannot work in the directory `/etc/passwd`"),
        (["-C", "", "--", "ls"], "cannot work in the directory"),
    ],
)
def test_what_cannot_be_meant_is_refused(arguments: list[str], says: str) -> None:
    with pytest.raises(RequestError) as caught:
        request_of(*arguments)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "environ", "terminal", "wanted"),
    [
        ([], {}, True, True),
        ([], {}, False, False),
        ([], {"NO_COLOR": "1"}, True, False),
        ([], {"NO_COLOR": ""}, True, True),
        (["--color", "always"], {"NO_COLOR": "1"}, False, True),
        (["--color", "never"], {}, True, False),
    ],
)
def test_colour_follows_the_option_then_the_environment_then_the_terminal(
    arguments: list[str], environ: dict[str, str], terminal: bool, wanted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "isatty", lambda _fd: terminal)
    assert colour_wanted(parse(["run", *arguments, "--", "ls"]), environ) is wanted


def test_a_person_is_there_when_our_messages_go_to_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "isatty", lambda fd: fd == 2)
    assert session.person_present()
    monkeypatch.setattr(os, "isatty", lambda fd: fd != 2)
    assert not session.person_present()
