"""Which requests count as the same command."""

import pytest

from sandgate.approvals.keys import canonical, key_of
from sandgate.protocol.commands import CommandRequest

LISTING = CommandRequest(("ls", "-a"), "/repo", {"PATH": "/usr/bin"})


@pytest.mark.parametrize(
    "argv",
    [("bash", "-c", "ls -a"), ("/bin/bash", "-c", "ls '-a'"), ("sh", "-c", "  ls   -a  ")],
)
def test_spellings_of_one_simple_shell_command_share_a_key(argv: tuple[str, ...]) -> None:
    assert key_of(LISTING.but(argv=argv)) == key_of(LISTING.but(argv=("bash", "-c", "ls -a")))


def test_a_shell_that_reads_login_files_is_another_command() -> None:
    assert canonical(("bash", "-lc", "ls")) != canonical(("bash", "-c", "ls"))


@pytest.mark.parametrize("script", ["ls && rm x", "ls > file", "ls $(date)", "for f in *; do ls; done"])
def test_a_script_keeps_its_exact_text(script: str) -> None:
    """Required: an approval of one script never covers another."""
    assert canonical(("bash", "-c", script))[1:] == ("bash", "-c", script)


def test_what_follows_a_script_is_part_of_it() -> None:
    assert canonical(("bash", "-c", 'rm "$1"; ls', "_", "a")) != canonical(("bash", "-c", 'rm "$1"; ls', "_", "b"))


@pytest.mark.parametrize(
    "other",
    [
        LISTING.but(argv=("ls",)),
        LISTING.but(cwd="/"),
        LISTING.but(env={"PATH": "/repo/bin:/usr/bin"}),
        LISTING.but(tty=True),
        LISTING.but(wish="require_escalated"),
    ],
)
def test_anything_that_changes_what_runs_changes_the_key(other: CommandRequest) -> None:
    assert key_of(other) != key_of(LISTING)


def test_what_does_not_change_what_runs_does_not_change_the_key() -> None:
    assert key_of(LISTING.but(justification="please", timeout_ms=5)) == key_of(LISTING)


def test_an_approval_of_one_kind_of_tool_is_none_of_another() -> None:
    assert key_of(LISTING, family="patch") != key_of(LISTING)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("bash", "-c", "rm '*'"), ("bash", "-c", "rm *")),
        (("bash", "-c", "make"), ("./bash", "-c", "make")),
        (("bash", "-c", "make"), ("-c", "make")),
        (("bash", "-c", "ls; make"), ("shell script", "-c", "ls; make")),
        (("bash", "-c", "cat '~/x'"), ("bash", "-c", "cat ~/x")),
    ],
)
def test_what_differs_for_the_shell_differs_for_approvals(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    """An attacker ran another program under the approval of the first."""
    assert canonical(one) != canonical(other)
