"""posix_spawn(3) with everything Python leaves out: a directory, no foreign descriptors, and no GIL held.

Needs glibc 2.34 or musl 1.2.5 for the two `_np` actions; without them `spawn_missing()` says which one.
The call releases the GIL (ctypes does, `os.posix_spawn` does not): the half-born child of a restricted thread
may be held by seccomp until another thread answers, and with the GIL held none could.
"""

from __future__ import annotations

import ctypes
import os

from sandgate.kernel.session_tree import PYTHON_IGNORES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

POSIX_SPAWN_SETSIGDEF = 0x04
POSIX_SPAWN_SETSIGMASK = 0x08
POSIX_SPAWN_SETSID = 0x80  # <spawn.h> of glibc (2.26) and musl
ATTRIBUTE_BYTES = 512  # more than sizeof(posix_spawnattr_t) (336) in both
ACTIONS_BYTES = 128  # more than sizeof(posix_spawn_file_actions_t) (80) in both
SIGSET_BYTES = 128  # sizeof(sigset_t)

_libc = ctypes.CDLL(None, use_errno=True)


def spawn_missing() -> str:
    """The C library function this needs and does not find; "" when all are there."""
    needed = ("posix_spawn_file_actions_addfchdir_np", "posix_spawn_file_actions_addclosefrom_np")
    return next((name for name in needed if not hasattr(_libc, name)), "")


class Spawn:
    """A prepared call: `run` allocates nothing, so that a restricted thread does nothing but the call."""

    def __init__(
        self,
        path: str,
        argv: Sequence[str],
        env: Mapping[str, str],
        *,
        stdio: tuple[int, int, int],  # none of them in a slot below 3 other than its own
        directory: int,  # where the child starts; a descriptor above 2
        terminal: str | None = None,  # opened as stdin after setsid, which makes it the controlling terminal
    ) -> None:
        self._path = os.fsencode(path)
        self._argv = _strings([os.fsencode(word) for word in argv])
        self._env = _strings([os.fsencode(name) + b"=" + os.fsencode(value) for name, value in env.items()])
        self._actions = _actions(stdio, directory, terminal)
        self._attributes = _attributes()
        self._pid = ctypes.c_int(0)
        self._call: Any = _libc.posix_spawn
        self._arguments = (
            ctypes.byref(self._pid),
            ctypes.c_char_p(self._path),
            self._actions,
            self._attributes,
            self._argv,
            self._env,
        )

    def run(self) -> tuple[int, int]:
        """(pid, 0) or (0, errno); the errno of exec itself included."""
        error: int = self._call(*self._arguments)
        return (0, error) if error else (self._pid.value, 0)

    def __del__(self) -> None:
        _libc.posix_spawn_file_actions_destroy(self._actions)
        _libc.posix_spawnattr_destroy(self._attributes)


def _strings(words: list[bytes]) -> Any:
    return (ctypes.c_char_p * (len(words) + 1))(*words, None)


def _actions(stdio: tuple[int, int, int], directory: int, terminal: str | None) -> Any:
    actions = ctypes.create_string_buffer(ACTIONS_BYTES)
    _check(_libc.posix_spawn_file_actions_init(actions))
    for slot, source in enumerate(stdio):
        if slot == 0 and terminal is not None:
            name = os.fsencode(terminal)
            _check(_libc.posix_spawn_file_actions_addopen(actions, 0, name, os.O_RDWR, 0))
        else:
            _check(_libc.posix_spawn_file_actions_adddup2(actions, source, slot))
    _check(_libc.posix_spawn_file_actions_addfchdir_np(actions, directory))
    _check(_libc.posix_spawn_file_actions_addclosefrom_np(actions, 3))
    return actions


def _attributes() -> Any:
    attributes = ctypes.create_string_buffer(ATTRIBUTE_BYTES)
    _check(_libc.posix_spawnattr_init(attributes))
    flags = POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
    _check(_libc.posix_spawnattr_setflags(attributes, ctypes.c_short(flags)))
    none = ctypes.create_string_buffer(SIGSET_BYTES)
    _libc.sigemptyset(none)
    _check(_libc.posix_spawnattr_setsigmask(attributes, none))  # what this thread blocks would survive the exec
    reset = ctypes.create_string_buffer(SIGSET_BYTES)
    _libc.sigemptyset(reset)
    for number in PYTHON_IGNORES:
        _libc.sigaddset(reset, number)
    _check(_libc.posix_spawnattr_setsigdefault(attributes, reset))
    return attributes


def _check(error: int) -> None:
    if error:
        raise OSError(error, os.strerror(error))
