"""posix_spawn with a directory and without foreign descriptors."""

from __future__ import annotations

import errno
import os
import signal
from pathlib import Path

from sandgate.kernel.spawn import Spawn, spawn_missing


def run(path: str, *argv: str, env: dict[str, str] | None = None, directory: str = "/") -> tuple[int, bytes]:
    reading, writing = os.pipe()
    silence = os.open("/dev/null", os.O_RDWR)
    where = os.open(directory, os.O_PATH)
    try:
        spawn = Spawn(path, argv, env or {}, stdio=(silence, writing, silence), directory=where)
        pid, error = spawn.run()
    finally:
        for fd in (writing, silence, where):
            os.close(fd)
    with os.fdopen(reading, "rb") as output:
        told = output.read()
    return (error or -os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), told)


def test_this_c_library_has_all_that_is_needed() -> None:
    assert spawn_missing() == ""


def test_words_and_environment_arrive_byte_for_byte(tmp_path: Path) -> None:
    status, told = run(
        "/bin/sh", "sh", "-c", 'printf "%s|" "$0" "$@" "$A" "$PWD"', "a b", "", "\udcff", env={"A": "\n"}
    )
    assert (status, told) == (0, b"a b||\xff|\n|/|")
    assert run("/bin/pwd", "pwd", directory=str(tmp_path)) == (0, os.fsencode(f"{tmp_path}\n"))


def test_the_child_leads_its_own_session_and_hears_broken_pipes() -> None:
    assert signal.getsignal(signal.SIGPIPE) == signal.SIG_IGN  # ours does not
    status, told = run("/bin/sh", "sh", "-c", "test $$ = $(ps -o sid= -p $$) && echo leads; kill -PIPE $$")
    assert (status, told) == (signal.SIGPIPE, b"leads\n")


def test_what_cannot_be_executed_is_an_errno_and_no_child() -> None:
    assert run("/no/such/file", "x") == (errno.ENOENT, b"")
