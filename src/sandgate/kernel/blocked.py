"""Tells which descriptors a thread is blocked to read from, at this moment.  proc(5): /proc/<pid>/task/<tid>/syscall

The kernel shows the number and the registers of the call a sleeping thread is in. For read(2) and its kind one
register is the descriptor; for select(2) and poll(2) a register is the address of a list in the thread's memory; for
epoll(7) the list is in fdinfo. Nothing is guessed: a running thread, a call not named here, a machine without a table,
memory or files that are closed to us all give "none". A wait with a time limit is a wait. Two waits are not seen:
io_uring, and a poll(2) that was stopped and continued, which the kernel then calls restart_syscall(2).
"""

from __future__ import annotations

from struct import iter_unpack

from sandgate.kernel.syscalls import NUMBERS, machine, number_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.kernel.process import Process

    Awaited = Callable[[Process, int, list[int]], tuple[int, ...]]

WATCHED_MAX = 1_024  # descriptors of one select, poll or epoll that are looked at
CALL_BYTES_MAX = 512  # nine numbers
FDINFO_BYTES_MAX = 65_536  # what an epoll descriptor watches, a hundred bytes each

_POLLFD, _POLLFD_BYTES = "=ihh", 8  # descriptor, wanted events, events that came; struct pollfd
_READABLE = 0x0001 | 0x0040  # POLLIN | POLLRDNORM, and the same bits of epoll
_WORDS = 9  # number, six registers, stack, instruction


def awaited(process: Process, thread: int) -> tuple[int, ...]:
    """Descriptors of `thread` whose input would wake it; none when it waits for no input, or cannot be looked into."""
    try:
        words = process.read(f"task/{thread}/syscall", CALL_BYTES_MAX).split()
        if len(words) != _WORDS:
            return ()
        call = _calls().get(int(words[0]))
        return () if call is None else call(process, thread, [int(word, 16) for word in words[1:7]])
    except (OSError, ValueError):
        return ()


def _first(_process: Process, _thread: int, registers: list[int]) -> tuple[int, ...]:
    return (registers[0] & 0xFFFFFFFF,)  # the kernel takes an `int`: whatever is above it is noise


def _selected(process: Process, _thread: int, registers: list[int]) -> tuple[int, ...]:
    """The read set: one bit a descriptor, in words of the machine; both machines put the lowest byte first."""
    count = min(registers[0] & 0xFFFFFFFF, WATCHED_MAX)
    if not registers[1] or not count:
        return ()
    bits = int.from_bytes(process.memory(registers[1], (count + 7) // 8), "little")
    return tuple(fd for fd in range(count) if bits >> fd & 1)


def _polled(process: Process, _thread: int, registers: list[int]) -> tuple[int, ...]:
    count = min(registers[1] & 0xFFFFFFFF, WATCHED_MAX)
    if not count:
        return ()
    entries = process.memory(registers[0], count * _POLLFD_BYTES)
    whole = entries[: len(entries) - len(entries) % _POLLFD_BYTES]
    return tuple(fd for fd, events, _ in iter_unpack(_POLLFD, whole) if fd >= 0 and events & _READABLE)


def _epolled(process: Process, thread: int, registers: list[int]) -> tuple[int, ...]:
    lines = process.read(f"task/{thread}/fdinfo/{registers[0] & 0xFFFFFFFF}", FDINFO_BYTES_MAX).split(b"\n")
    watched = []
    for line in lines[:WATCHED_MAX]:
        words = line.split()
        if words[:1] == [b"tfd:"] and words[2:3] == [b"events:"] and int(words[3], 16) & _READABLE:
            watched.append(int(words[1]))
    return tuple(watched)


_NAMED: dict[str, Awaited] = {
    "read": _first,
    "readv": _first,
    "preadv2": _first,
    "splice": _first,
    "select": _selected,
    "pselect6": _selected,
    "poll": _polled,
    "ppoll": _polled,
    "epoll_wait": _epolled,
    "epoll_pwait": _epolled,
    "epoll_pwait2": _epolled,
}
_by_number: dict[int, Awaited] | None = None


def calls_on(name: str) -> dict[int, Awaited]:
    """The calls by their numbers on the machine of that name; none on one we have no table for."""
    if name not in NUMBERS:
        return {}
    numbered = ((number_of(call, machine=name), what) for call, what in _NAMED.items())
    return {number: what for number, what in numbered if number is not None}


def _calls() -> dict[int, Awaited]:
    global _by_number
    if _by_number is None:
        _by_number = calls_on(machine())
    return _by_number
