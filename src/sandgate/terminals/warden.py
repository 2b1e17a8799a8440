"""Ends the sessions of commands that nothing else ties to us, should we be killed. setsid(2), proc(5)

A confined command dies with the socket of its helper. One without a sandbox, or under Landlock alone, does not: after a
SIGKILL of Sandgate it would run on. So while there is such a command, a small shell waits at the other end of a pipe.
It is told which sessions are ours, and when the pipe closes, for whatever reason, it kills what is left of them, and
whatever carries our mark in its environment: daemons that left their session. It needs nothing but `/bin/sh`, `grep`
and `/proc`.
"""

from __future__ import annotations

import os
from _thread import allocate_lock
from contextlib import suppress

from sandgate.execution.streams import clear_of_standard
from sandgate.kernel.plain import inheritable_descriptors

SHELL = "/bin/sh"
PATHS = {"PATH": "/usr/bin:/bin"}
PASSES = 8  # over /proc: what forks while it is being killed needs more than one

# Reads `+N` and `-N` until the end of input; a line cannot be torn, as it is shorter than a pipe's unit.
SCRIPT = f"""
ours=" "
while read -r line; do
    case $line in
    +*) ours="$ours${{line#+}} " ;;
    -*) ours="${{ours%% ${{line#-}} *}} ${{ours#* ${{line#-}} }}" ;;
    esac
done
pass=0 mark=$1
while [ $pass -lt {PASSES} ]; do
    pass=$((pass + 1)) found=
    for marked in $(grep -lsF -e "$mark" /proc/[0-9]*/environ); do
        pid=${{marked#/proc/}}
        kill -9 "${{pid%/environ}}" && found=1
    done
    for stat in /proc/[0-9]*/stat; do
        read -r line <"$stat" || continue
        pid=${{line%% *}} rest=${{line##*) }}
        set -- $rest
        case $1$ours in Z*|X*) continue ;; esac
        case $ours in *" $4 "*) kill -9 "$pid" && found=1 ;; esac
    done
    [ -n "$found" ] || break
done
"""


class Warden:
    """The shell, while it is needed."""

    def __init__(self, mark: str) -> None:
        """`mark` is a variable, `NAME=value`, that only our commands are started with."""
        self._mark = mark
        self._guard = allocate_lock()
        self._watched: set[int] = set()
        self._pid = 0
        self._pipe = -1

    def add(self, session: int) -> None:
        """From now on this session ends with us. The session's leader must not be reaped yet."""
        with self._guard:
            if not self._pid:
                self._start()
            self._watched.add(session)
            if not self._say(f"+{session}\n"):
                self._replace()

    def drop(self, session: int) -> None:
        """No process is left of it."""
        with self._guard:
            if session in self._watched:
                self._watched.discard(session)
                self._say(f"-{session}\n")

    @property
    def is_needed(self) -> bool:
        """There was a command that nothing else would end."""
        return bool(self._pid)

    def close(self) -> None:
        """Whatever is left is killed now. May be repeated."""
        with self._guard:
            self._watched.clear()
            self._end()

    def _start(self) -> None:
        read_end, write_end = os.pipe()
        read_end, write_end = clear_of_standard(read_end), clear_of_standard(write_end)
        try:
            actions: list[tuple[int, ...]] = [(os.POSIX_SPAWN_DUP2, read_end, 0)]
            nowhere = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
            try:
                actions += [(os.POSIX_SPAWN_DUP2, nowhere, slot) for slot in (1, 2)]
                actions += [(os.POSIX_SPAWN_CLOSE, fd) for fd in inheritable_descriptors()]
                # A session of its own: a Ctrl-C meant for us must not take it along.
                self._pid = os.posix_spawn(
                    SHELL, ("sh", "-c", SCRIPT, "sandgate-warden", self._mark), PATHS, file_actions=actions, setsid=True
                )
            finally:
                os.close(nowhere)
        except BaseException:
            os.close(write_end)
            raise
        finally:
            os.close(read_end)
        self._pipe = write_end

    def _replace(self) -> None:
        """It was killed; the next one has to know of all sessions."""
        self._end()
        self._start()
        for session in self._watched:
            self._say(f"+{session}\n")

    def _say(self, line: str) -> bool:
        try:
            return os.write(self._pipe, line.encode()) > 0
        except OSError:
            return False

    def _end(self) -> None:
        if self._pid:
            os.close(self._pipe)
            with suppress(ChildProcessError):  # another part of this process reaped it
                os.waitpid(self._pid, 0)
            self._pid, self._pipe = 0, -1
