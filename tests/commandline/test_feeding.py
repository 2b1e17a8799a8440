"""What programs run of their input, each in its own form."""

from __future__ import annotations

import pytest

from sandgate.commandline.feeding import fed, takes_input


@pytest.mark.parametrize(
    ("argv", "text", "script"),
    [
        (("at", "now"), "ls\n", "ls\n"),
        (("crontab", "-"), "0 1 * * * ls -l", "ls -l"),
        (("crontab",), "@reboot ls -l", "ls -l"),
        (("make", "-f", "-"), "all:; ls -l", "ls -l"),
        (("make", "-f", "-"), "all:\n\tls -l", "ls -l"),
        (("ed", "f"), "!ls -l", "ls -l"),
    ],
)
def test_the_commands_in_its_input_are_found(argv: tuple[str, ...], text: str, script: str) -> None:
    assert script in list(fed(argv, text))


@pytest.mark.parametrize("argv", [("crontab", "-l"), ("make", "-f", "x.mk"), ("make",)])
def test_what_reads_no_commands_runs_none(argv: tuple[str, ...]) -> None:
    assert not takes_input(argv)
    assert list(fed(argv, "all:; ls")) == []
