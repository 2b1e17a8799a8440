"""Events reach a listener in order, and nobody waits for it."""

from __future__ import annotations

import sys
import threading
from _thread import _count
from time import monotonic

import pytest

from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.trace import OutputArrived, TerminalBegan, TerminalEnded, TerminalInput
from sandgate.terminals.limits import DEFAULT_LIMITS
from sandgate.terminals.listeners import QUEUED_MAX, Deltas, Teller
from support.process.waiting import LIMIT_S, wait_until

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from sandgate.protocol.trace import TraceRecord

BEGAN = TerminalBegan("call", 1_000, CommandRequest(("cat",), "/", {}), True)
ENDED = TerminalEnded("call", 1_000, 0, b"", 0, 0, 0, 0, "completed")


class Listener:
    """Remembers what it is told; while `held`, the one event it is at takes for ever."""

    def __init__(self) -> None:
        self.told: list[TraceRecord] = []
        self.threads: set[int] = set()
        self.reached = threading.Event()
        self._open = threading.Event()
        self._open.set()

    def hold(self) -> None:
        self._open.clear()

    def let_go(self) -> None:
        self._open.set()

    def __call__(self, event: TraceRecord) -> None:
        self.reached.set()
        assert self._open.wait(LIMIT_S)
        self.threads.add(threading.get_ident())
        self.told.append(event)


@pytest.fixture
def listener() -> Iterator[Listener]:
    made = Listener()
    yield made
    made.let_go()


def piece(number: int) -> OutputArrived:
    return OutputArrived("call", "stdout", b"%d" % number)


def held_teller(listener: Listener) -> Teller:
    """One whose listener is busy with a first event."""
    teller = Teller(listener)
    listener.hold()
    teller.tell(TerminalInput("call", 1_000, "first"))
    assert listener.reached.wait(LIMIT_S)
    return teller


def test_events_are_told_in_order_on_a_thread_of_their_own(listener: Listener) -> None:
    teller = Teller(listener)
    events: list[TraceRecord] = [BEGAN, *map(piece, range(500)), TerminalInput("call", 1_000, "x"), ENDED]
    for event in events:
        if isinstance(event, OutputArrived):
            assert teller.tell_output(event)
        else:
            teller.tell(event)
    teller.flush()
    assert listener.told == events
    assert threading.get_ident() not in listener.threads


def test_a_listener_that_hangs_keeps_nobody_waiting_and_loses_output_only(listener: Listener) -> None:
    """Required: beginnings, ends and inputs are never lost; output is, and whoever told it knows."""
    teller = held_teller(listener)
    began_s = monotonic()
    kept = [teller.tell_output(piece(number)) for number in range(QUEUED_MAX + 100)]
    ends = [ENDED.but(process_id=number) for number in range(50)]
    for end in ends:
        teller.tell(end)
    assert monotonic() - began_s < LIMIT_S / 2
    assert (kept.count(True), kept.count(False)) == (QUEUED_MAX, 100)
    listener.let_go()
    teller.flush()
    assert listener.told[1:] == [*map(piece, range(QUEUED_MAX)), *ends]


def test_after_a_jam_output_is_told_again(listener: Listener) -> None:
    teller = held_teller(listener)
    while teller.tell_output(piece(0)):
        continue
    listener.let_go()
    teller.flush()
    assert teller.tell_output(piece(7))
    teller.flush()
    assert listener.told[-1] == piece(7)


def test_flushing_does_not_wait_for_ever(listener: Listener) -> None:
    teller = held_teller(listener)
    before = monotonic()
    teller.flush(0.02)
    assert 0.02 <= monotonic() - before < LIMIT_S
    listener.let_go()
    teller.flush()
    assert len(listener.told) == 1


def test_flushing_with_nothing_to_tell_returns_at_once(listener: Listener) -> None:
    teller = Teller(listener)
    teller.flush()
    teller.tell(ENDED)
    teller.flush()
    teller.flush()
    assert listener.told == [ENDED]


def test_a_listeners_mistake_is_reported_and_the_next_event_told(monkeypatch: pytest.MonkeyPatch) -> None:
    complaints: list[str] = []
    monkeypatch.setattr(sys, "excepthook", lambda _kind, problem, _where: complaints.append(str(problem)))
    told: list[TraceRecord] = []

    def listen(event: TraceRecord) -> None:
        if event == BEGAN:
            raise ValueError("the listener's mistake")
        told.append(event)

    teller = Teller(listen)
    teller.tell(BEGAN)
    teller.tell(ENDED)
    teller.flush()
    assert (told, complaints) == ([ENDED], ["the listener's mistake"])


def test_the_thread_is_there_only_while_there_is_something_to_tell(listener: Listener) -> None:
    teller = Teller(listener)
    before = _count()  # threads without a Thread object are counted, as ours is
    for _ in range(20):
        teller.tell(ENDED)
        teller.flush()
    assert wait_until(lambda: _count() <= before)
    assert len(listener.told) == 20


def test_many_threads_may_tell_and_each_ones_order_is_kept(listener: Listener) -> None:
    teller = Teller(listener)

    def tell(who: int) -> None:
        for number in range(200):
            teller.tell(ENDED.but(process_id=who, exit_code=number))

    threads = [threading.Thread(target=tell, args=(who,)) for who in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    teller.flush()
    by_thread = [[e for e in listener.told if isinstance(e, TerminalEnded) and e.process_id == who] for who in range(4)]
    assert [[e.exit_code for e in told] for told in by_thread] == [list(range(200))] * 4


# Output of one command


def joined(listener: Listener) -> bytes:
    return b"".join(event.chunk for event in listener.told if isinstance(event, OutputArrived))


def test_the_pieces_of_one_command_are_its_output_in_whole_characters(listener: Listener) -> None:
    teller = Teller(listener)
    deltas = Deltas("call", teller, DEFAULT_LIMITS.but(delta_max_bytes=8))
    data = "zwölf Boxkämpfer €𝄞".encode()
    for number in range(0, len(data), 3):
        deltas(data[number : number + 3])
    deltas.end()
    teller.flush()
    assert joined(listener) == data
    assert (deltas.told, deltas.omitted_bytes) == (len(listener.told), 0)
    assert all(event.chunk.decode() for event in listener.told if isinstance(event, OutputArrived))


def test_what_was_held_back_is_told_at_the_end(listener: Listener) -> None:
    teller = Teller(listener)
    deltas = Deltas("call", teller, DEFAULT_LIMITS)
    deltas(b"ab\xe2\x82")
    teller.flush()
    assert joined(listener) == b"ab"
    deltas.end()
    teller.flush()
    assert joined(listener) == b"ab\xe2\x82"


def test_beyond_its_share_a_commands_output_is_counted(listener: Listener) -> None:
    """Required: MAX_DELTAS."""
    teller = Teller(listener)
    deltas = Deltas("call", teller, DEFAULT_LIMITS.but(max_deltas=3))
    for _ in range(5):
        deltas(b"1234")
    teller.flush()
    assert (joined(listener), deltas.told, deltas.omitted_bytes) == (b"1234" * 3, 3, 8)


def test_what_a_slow_listener_misses_is_counted_to_the_byte(listener: Listener) -> None:
    teller = held_teller(listener)
    deltas = Deltas("call", teller, DEFAULT_LIMITS.but(max_deltas=QUEUED_MAX * 2))
    printed = QUEUED_MAX + 10
    for _ in range(printed):
        deltas(b"12345")
    listener.let_go()
    teller.flush()
    assert deltas.told == QUEUED_MAX
    assert len(joined(listener)) + deltas.omitted_bytes == printed * 5
