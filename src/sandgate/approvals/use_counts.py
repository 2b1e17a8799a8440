"""How often rules that hold so many times were used, by all sessions of this user together.

One small file a rule, named by a digest of the rule, holding a number. A process that counts holds the file's lock from
reading to writing, and the number is on disk before the command runs: two processes never run more than the rule says,
whatever interrupts them. What cannot be read counts as used up. Confined commands cannot reach the directory.
"""

from __future__ import annotations

import errno
import os
import stat
import time

from sandgate.approvals.private_files import made_directory
from sandgate.errors import SandgateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sandgate.policy.rules import Rule

NAME = "rule-uses"  # of the directory
SUFFIX = ".count"
LOCK_WAIT_MS = 2_000  # for another process, which holds it as long as writing a few bytes takes
LOCK_LOOK_MS = 5
NUMBER_BYTES = 20  # of a count, padded: it is overwritten in one piece
USED_UP = int("9" * NUMBER_BYTES)
_OPEN = os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


class RuleUses:
    """Counts in a directory below `state()`, which is asked for when the first rule is counted."""

    def __init__(self, state: Callable[[], str]) -> None:
        self._state = state
        self._directory = ""

    def used(self, rules: tuple[Rule, ...]) -> Mapping[str, int]:
        """How often each was used, by its identity."""
        return {rule.identity: self._look(rule) for rule in rules}

    def take(self, rule: Rule, times: int = 1) -> bool:
        """Counts so many uses; False, and none is, when fewer are left, or they cannot be counted for good."""
        try:
            counter = self._opened(rule, os.O_CREAT)
            try:
                if not _locked(counter):
                    return False
                count = _number(counter)
                if rule.uses is None or count + times > rule.uses:
                    return False
                os.pwrite(counter, str(count + times).rjust(NUMBER_BYTES).encode(), 0)
                os.fsync(counter)
                return True
            finally:
                os.close(counter)
        except (OSError, SandgateError):
            return False

    def _look(self, rule: Rule) -> int:
        try:
            counter = self._opened(rule)
        except FileNotFoundError:
            return 0
        except (OSError, SandgateError):
            return USED_UP
        try:
            return _number(counter)
        finally:
            os.close(counter)

    def _opened(self, rule: Rule, how: int = 0) -> int:
        from hashlib import sha256

        name = sha256(rule.identity.encode("utf-8", "surrogatepass")).hexdigest() + SUFFIX
        if not self._directory:
            self._directory = os.path.join(self._state(), NAME)
        directory = made_directory(self._directory)
        try:
            counter = os.open(name, _OPEN | how, 0o600, dir_fd=directory)
            if how:
                os.fsync(directory)
        finally:
            os.close(directory)
        found = os.fstat(counter)
        if stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & _OTHERS_WRITE:
            return counter
        os.close(counter)
        raise OSError(errno.EPERM, "it is not ours alone")


def _number(counter: int) -> int:
    """What the file says; used up, when it says something else. A new file is empty."""
    found = os.pread(counter, NUMBER_BYTES + 1, 0)
    if not found:
        return 0
    text = found.decode("ascii", "replace").strip()
    return int(text) if len(found) == NUMBER_BYTES and text.isdecimal() else USED_UP


def _locked(counter: int) -> bool:
    import fcntl

    end = time.monotonic_ns() + LOCK_WAIT_MS * 1_000_000
    while True:
        try:
            fcntl.flock(counter, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic_ns() >= end:
                return False
            time.sleep(LOCK_LOOK_MS / 1000)
