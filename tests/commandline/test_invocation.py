"""Which programs really run."""

from __future__ import annotations

from time import process_time

import pytest

from sandgate.commandline import segments
from sandgate.commandline.invocation import COMMANDS_MAX, WORDS_MAX, everything_run, inner_place, without_git_globals
from sandgate.commandline.words import split
from support.suite.rows import every

SOON_S = 2  # of processor time
TARGET = ("rm", "-rf", "x")

DISGUISES = [
    "env rm -rf x",
    "env -i A=1 B=2 rm -rf x",
    "env -u HOME -C /tmp rm -rf x",
    "env -S 'rm -rf x'",
    "env -S 'rm -rf' x",
    "env --split-string='rm -rf x'",
    "sudo rm -rf x",
    "sudo -u root -E rm -rf x",
    "sudo -n A=1 rm -rf x",
    "sudo -s rm -rf x",
    "sudo -- rm -rf x",
    "doas -u root rm -rf x",
    "nice rm -rf x",
    "nice -n 5 rm -rf x",
    "nice -10 rm -rf x",
    "nohup rm -rf x",
    "timeout 5 rm -rf x",
    "timeout -s KILL -k 1 5s rm -rf x",
    "time rm -rf x",
    "/usr/bin/time -v -o log rm -rf x",
    "stdbuf -oL rm -rf x",
    "setsid -w rm -rf x",
    "ionice -c 2 -n 7 rm -rf x",
    "chrt -f 10 rm -rf x",
    "taskset -c 0 rm -rf x",
    "xargs rm -rf x",
    "xargs -0 -n 1 -I{} rm -rf x",
    "command rm -rf x",
    "command -p rm -rf x",
    "builtin rm -rf x",
    "exec rm -rf x",
    "exec -a name rm -rf x",
    "eval rm -rf x",
    "eval 'rm -rf x'",
    "trap 'rm -rf x' EXIT",
    "busybox rm -rf x",
    "busybox sh -c 'rm -rf x'",
    "chroot /mnt rm -rf x",
    "flock /tmp/l rm -rf x",
    "flock /tmp/l -c 'rm -rf x'",
    "watch rm -rf x",
    "su -c 'rm -rf x' root",
    "su root -c 'rm -rf x'",
    "script -c 'rm -rf x' /dev/null",
    "strace -f -o log rm -rf x",
    "unshare -r rm -rf x",
    "systemd-run --user --wait rm -rf x",
    "parallel rm -rf x",
    "bash -c 'rm -rf x'",
    "bash -lc 'cd y && rm -rf x'",
    "bash -euo pipefail -c 'rm -rf x'",
    "bash --norc -c 'rm -rf x' name arg",
    "bash -O extglob -c 'rm -rf x'",
    "dash -c 'rm -rf x'",
    "zsh -fc 'rm -rf x'",
    "/bin/sh -xc 'rm -rf x'",
    "find . -exec rm -rf x ;",
    "find . -name a -execdir rm -rf x + -print",
    "sudo env A=1 timeout 5 nice bash -c 'eval \"rm -rf x\"'",
    "sudo --future-option rm -rf x",
    "timeout --future-option 5 rm -rf x",
    "coproc rm -rf x",
    "coproc { rm -rf x",
    "noglob rm -rf x",
    "ssh localhost rm -rf x",
    "ssh localhost 'cd y && rm -rf x'",
    "ssh -p 22 -o BatchMode=yes me@localhost -v -- rm -rf x",
    "ssh -o 'ProxyCommand=rm -rf x' host",
    "ssh -oLocalCommand='rm -rf x' host",
    "ssh --future-option host 'rm -rf x'",
    "bash -c 'r\\\nm -rf x'",
    "bash -c '\"r\\\nm\" -rf x'",
]


@every("line", DISGUISES)
def test_a_wrapped_command_is_seen(line: str) -> None:
    argv = split(line)
    assert argv is not None
    assert TARGET in everything_run(segments(argv)).commands


@every("line", DISGUISES)
def test_a_wrapped_command_is_seen_inside_a_script_too(line: str) -> None:
    inside = line.replace(" ;", " \\;")
    script = f"cd y; ({inside}) 2>/dev/null"
    assert TARGET in everything_run(segments(("bash", "-lc", script))).commands


def test_git_is_seen_without_the_options_before_its_command() -> None:
    argv = ("git", "-C", "dir", "-c", "a=b", "--no-pager", "push", "-f")
    assert without_git_globals(argv) == ("git", "push", "-f")
    assert without_git_globals(("git", "push", "-C", "x")) == ("git", "push", "-C", "x")
    assert ("git", "push", "-f") in everything_run(segments(argv)).commands


def test_a_bomb_of_nested_shells_is_cut_off_and_said_to_be_incomplete() -> None:
    script = ";".join(f"x{number}" for number in range(COMMANDS_MAX + 10))
    assert everything_run(segments(("bash", "-lc", script))).incomplete
    assert not everything_run(segments(("bash", "-lc", "ls"))).incomplete


def test_continued_lines_are_joined_once_however_many_backslashes_there_are() -> None:
    script = "r\\\nm x; echo " + "\\" * 3_000 + "\n" * 3_000
    assert len(everything_run(segments(("bash", "-c", script))).scripts) == 2
    assert ("rm", "x") in everything_run(segments(("bash", "-c", script))).commands
    assert len(everything_run(segments(("bash", "-c", "echo a\\\\\nrm x"))).scripts) == 1


def test_a_script_that_wraps_itself_ends() -> None:
    argv: tuple[str, ...] = ("rm", "-rf", "x")
    for _ in range(30):
        argv = ("env", "sudo", *argv)
    assert TARGET in everything_run(segments(argv)).commands


def test_wrappers_of_wrappers_are_followed_until_their_words_are_too_many() -> None:
    """Required: what is left out is said, so that nobody takes it for harmless; the work is bounded."""
    everything = everything_run(segments(("env",) * 5_000 + ("rm", "-rf", "/")))
    assert everything.incomplete
    assert sum(map(len, everything.commands)) <= WORDS_MAX + 5_003


def test_here_documents_that_never_end_are_not_read_again_and_again() -> None:
    """Each one holds all that follow, and the grammar takes long for a script that leaves many of them open."""
    text = "bash\n" + "<<a\n" * 500 + "a\n" * 500
    before = process_time()
    assert everything_run(segments(("bash", "-lc", text))).incomplete
    assert process_time() - before < SOON_S


@pytest.mark.parametrize("program", ["npx", "env"])
def test_what_is_nested_too_deeply_has_its_place_behind_the_last_word(program: str) -> None:
    """Required: no beginning allows it, and the search is bounded."""
    argv = (program,) * 20_000
    before = process_time()
    assert inner_place(argv) == len(argv)
    assert process_time() - before < SOON_S


@pytest.mark.parametrize("body", ["{ rm -rf x; }", "if rm -rf x; then :; fi", "while rm -rf x; do :; done"])
def test_a_coprocess_with_a_name_runs_its_body(body: str) -> None:
    assert TARGET in everything_run(segments(("bash", "-lc", f"coproc NAME {body}"))).commands
