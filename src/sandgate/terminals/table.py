"""The live commands of one session, by the number a model knows them under.

There is room for so many. When it is full, one goes: one that is over if there is one, else the one that was used
longest ago, and never one of those used last, nor one that a call still waits for: rather there are more than there is
room for, until such a call has its answer. A command that ended between two calls is kept for a while, and after
that its number still answers once, with how it ended.
"""

from __future__ import annotations

import os
from _thread import allocate_lock
from time import monotonic_ns

from sandgate.errors import TerminalLimitReached, UnknownTerminal
from sandgate.protocol.commands import NS_PER_S
from sandgate.record import Record
from sandgate.terminals.awaiting import Awaiting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sandgate.terminals.limits import ExecLimits
    from sandgate.terminals.terminal import Terminal

EXITED_RETENTION_S = 600  # for a command that is over and was not asked about since; then only its end is kept
PINNED_MAX = 4_096  # live commands that programs hold; each costs two descriptors and some processes
TOMBSTONES_MAX = 256  # ends kept of commands that are gone
TOMBSTONE_BYTES = 16_384  # of the output that no call took, its last bytes
DRAWS_MAX = 1_000  # numbers drawn before a free one is looked for in order


class Tombstone(Record):
    """How a command ended that is not in the table any more."""

    terminal_id: int
    call_id: str
    exit_code: int
    output: bytes  # the end of what no call took
    omitted_bytes: int


class TerminalUse(Record):
    """What pruning looks at."""

    terminal_id: int
    last_used_ns: int
    exited: bool
    awaited: bool = False  # a call has not had its answer about it


def victim(standings: Iterable[TerminalUse], *, protected: int) -> int | None:
    """Which one makes room; None when all are awaited or among the `protected` that were used last."""
    by_use = sorted(standings, key=lambda each: each.last_used_ns)
    free = [each for each in by_use[: max(0, len(by_use) - protected)] if not each.awaited]
    return next((each.terminal_id for each in free if each.exited), free[0].terminal_id if free else None)


class TerminalTable:
    """Numbers, and who has them. Safe to use from any thread."""

    def __init__(self, limits: ExecLimits, *, draw: Callable[[int], int] | None = None) -> None:
        self._limits = limits
        self._draw = draw or _below
        self._guard = allocate_lock()
        self._taken: set[int] = set()  # reserved or in use
        self._terminals: dict[int, Terminal] = {}
        self._pinned: set[int] = set()
        self._tombstones: dict[int, Tombstone] = {}

    @property
    def unpinned(self) -> int:
        """How many there are that count."""
        return len(self._terminals) - len(self._pinned)

    def reserve(self) -> int:
        """A number that no command has, to be kept by `add` or given back by `release`."""
        first, size = self._limits.min_process_id, self._limits.end_process_id - self._limits.min_process_id
        with self._guard:
            drawn = (first + self._draw(size) for _ in range(DRAWS_MAX))
            number = next((each for each in drawn if self._is_free(each)), None)
            if number is None:
                number = next((each for each in range(first, first + size) if self._is_free(each)), None)
            if number is None and self._tombstones:
                number = next(iter(self._tombstones))
                del self._tombstones[number]
            if number is None:
                raise TerminalLimitReached("no number is left for one more command", hint="close terminals")
            self._taken.add(number)
            return number

    def release(self, terminal_id: int) -> None:
        """Nothing came of it. Does nothing for a number in use."""
        with self._guard:
            if terminal_id not in self._terminals:
                self._taken.discard(terminal_id)

    def add(self, terminal: Terminal, *, pinned: bool = False) -> Terminal | None:
        """Keeps a live command under the number reserved for it; the one that made room for it, to be ended.

        A `pinned` one belongs to a program that holds it and ends it itself: it takes no other's room and never goes to
        make some. Raises TerminalLimitReached when there are PINNED_MAX of them.
        """
        number = terminal.identity.terminal_id
        with self._guard:
            if pinned and len(self._pinned) >= PINNED_MAX:
                raise TerminalLimitReached(f"{PINNED_MAX} live commands are open", hint="close some")
            removed = None if pinned else self._make_room(self._limits.max_processes - 1)
            self._taken.add(number)
            self._terminals[number] = terminal
            if pinned:
                self._pinned.add(number)
        return removed

    def prune(self) -> tuple[Terminal, ...]:
        """Takes out what was kept beyond the limit because calls waited for it; to be ended."""
        removed: list[Terminal] = []
        with self._guard:
            while (one := self._make_room(self._limits.max_processes)) is not None:
                removed.append(one)
        return tuple(removed)

    def wait_on(self, terminal_id: int) -> tuple[Terminal, Awaiting]:
        """From now on a call waits for this command, which so cannot go. Raises UnknownTerminal."""
        with self._guard:
            terminal = self._used(terminal_id)
            return terminal, Awaiting(terminal)

    def get(self, terminal_id: int) -> Terminal:
        """The live command of this number, which counts as used now. Raises UnknownTerminal."""
        with self._guard:
            return self._used(terminal_id)

    def tombstone(self, terminal_id: int) -> Tombstone | None:
        """How the command of this number ended, told once."""
        with self._guard:
            return self._tombstones.pop(terminal_id, None)

    def remove(self, terminal_id: int) -> Terminal | None:
        """Forgets a command; its number is free again."""
        with self._guard:
            self._taken.discard(terminal_id)
            self._pinned.discard(terminal_id)
            return self._terminals.pop(terminal_id, None)

    def terminals(self) -> tuple[Terminal, ...]:
        """All of them, oldest first."""
        with self._guard:
            return tuple(self._terminals.values())

    def sweep(self) -> None:
        """Replaces what has been over for long by its end."""
        with self._guard:
            self._bury(monotonic_ns() - EXITED_RETENTION_S * NS_PER_S)

    def _is_free(self, number: int) -> bool:
        return number not in self._taken and number not in self._tombstones

    def _used(self, number: int) -> Terminal:
        terminal = self._terminals.get(number)
        if terminal is None:
            raise UnknownTerminal(f"Unknown process id {number}")
        terminal.last_used_ns = monotonic_ns()
        return terminal

    def _make_room(self, count: int) -> Terminal | None:
        """Takes one out where there are more than `count`."""
        if self.unpinned <= count:
            return None
        counted = [pair for pair in self._terminals.items() if pair[0] not in self._pinned]
        standings = [
            TerminalUse(number, each.last_used_ns, each.over, bool(len(each.awaiting))) for number, each in counted
        ]
        number = victim(standings, protected=self._limits.protected_recent)
        if number is None:
            return None
        removed = self._terminals.pop(number)
        self._taken.discard(number)
        if removed.over:
            self._keep_end(number, removed)
        return removed

    def _bury(self, before_ns: int) -> None:
        for number, each in tuple(self._terminals.items()):
            if number in self._pinned or not each.over or len(each.awaiting):
                continue
            if max(each.ended_ns, each.last_used_ns) < before_ns:
                del self._terminals[number]
                self._taken.discard(number)
                self._keep_end(number, each)

    def _keep_end(self, number: int, terminal: Terminal) -> None:
        left = terminal.output.take()
        kept = left.joined()[-TOMBSTONE_BYTES:]
        code = -1 if terminal.exit_code is None else terminal.exit_code
        while len(self._tombstones) >= TOMBSTONES_MAX:
            del self._tombstones[next(iter(self._tombstones))]
        self._tombstones[number] = Tombstone(
            number, terminal.identity.call_id, code, kept, left.total_bytes - len(kept)
        )


def _below(size: int) -> int:
    """A number from 0 that no command can foresee, close enough to even: `size` is far below 2**64."""
    return int.from_bytes(os.urandom(8), "little") % size
