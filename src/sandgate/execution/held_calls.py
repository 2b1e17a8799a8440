"""Puts what a running command is refused to somebody, while the loop that attends it goes on.

A call that is held waits in the kernel. The loop tells `look` about the command's child; one thread, started with the
first such call, asks about one call after the other and rings a bell with each answer, which the loop hands to the
child. So nothing of the child is touched by two threads, and output, the end and Ctrl-C are noticed while somebody
thinks. The end of the command, or of its loop, takes an open question back; that is no answer.
"""

from __future__ import annotations

import os
from _thread import allocate_lock, start_new_thread
from contextlib import suppress
from time import monotonic_ns

from sandgate.protocol.commands import NS_PER_MS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _thread import LockType
    from collections.abc import Callable

    from sandgate.execution.asking import AskedMeanwhile
    from sandgate.kernel.child import Child
    from sandgate.protocol.held_calls import HeldAnswer, HeldCall

    Ask = Callable[[HeldCall, AskedMeanwhile], HeldAnswer]
    Still = Callable[[bool], bool]

CALLS_MAX = 10_000  # held calls of one command that are taken up, made anew or not; then none is held any more
LINGER_MS = 200  # after an interrupted call: programs make it again at once, and then the same question stands
SCREEN_LIMIT_S = 2.0  # for the loop to keep everything away from the terminal
THREAD_END_LIMIT_S = 2.0  # for a question that was taken back; a reviewer that does not hear of it is left behind


class HeldCalls:
    """The calls of one command. All methods but those of the thread belong to the loop."""

    def __init__(self, ask: Ask, still: Still = lambda _still: True) -> None:
        """`still` stops everything that the command has started, and lets it go on; False: it cannot be stopped."""
        self._ask = ask
        self._still = still
        self._seen = 0  # held calls of the child that were taken up
        self._open: list[HeldCall] = []  # the one that is asked about, and those for the same that came since
        self._asking: AskedMeanwhile | None = None
        self._since_ns = 0  # since when nobody waits for the open one
        self._bell = -1  # the thread rings it
        self._wake = allocate_lock()  # taken while the thread has nothing to do
        self._ended = allocate_lock()  # taken while there is a thread
        self._guard = allocate_lock()
        self._answer: HeldAnswer | None = None
        self._problem: BaseException | None = None
        self._screen_wanted = False
        self._screen_seen_to = allocate_lock()  # taken while the loop has not looked after it
        self._screen_can = False
        self.screen_taken = False  # nothing of the command is to be shown, and it is to be given nothing typed
        self._over = False
        self._is_full = False  # it has had CALLS_MAX
        self._left = 0  # of the loop and the thread, how many need the bell no more

    @property
    def asks(self) -> bool:
        """Somebody is being asked."""
        return bool(self._open)

    @property
    def asked_about(self) -> HeldCall | None:
        """The call that waits. May be asked for on any thread."""
        calls = self._open
        return calls[0] if calls and not self._over else None

    @property
    def ended(self) -> bool:
        """It is over, and nothing is left of the thread."""
        return self._over and not self._ended.locked()

    def descriptors(self) -> tuple[int, ...]:
        return (self._bell,) if self._bell >= 0 and not self._over else ()

    def wait_ms(self, limit_ms: int | None) -> int | None:
        """How long may be waited before `look` is due, `limit_ms` at most."""
        if not self._since_ns or self._asking is None or self._asking.withdrawn:
            return limit_ms
        left_ms = max(0, LINGER_MS - (monotonic_ns() - self._since_ns) // NS_PER_MS)
        return left_ms if limit_ms is None else min(limit_ms, left_ms)

    def look(self, child: Child) -> HeldAnswer | None:
        """Takes up what is held, and hands out what was answered: then the answer. Raises what asking has raised."""
        if self._over:
            return None
        answered = self._take_answer(child)
        self._mind_screen()
        if len(child.held) >= CALLS_MAX and not self._is_full:
            self._is_full = True  # whoever tries for ever is not remembered for ever
            self.stop(child)
        if self._open:
            self._mind_interrupted(child)
        else:
            self._take_up(child)
        return answered

    def stop(self, child: Child, *, is_killed: bool = False) -> None:
        """Nobody is to be asked any more: the command is being ended, or has been held too often. What is killed gets
        no answer: until it is dead it would go on with that."""
        if not is_killed:
            child.stop_holding()
        if self._asking is not None:
            self._asking.withdraw()

    def end(self, wait_s: float = THREAD_END_LIMIT_S) -> None:
        """The command is over, or nobody attends it any more. Waits so long for the thread. May be repeated."""
        if self._over:
            return
        self._over = True
        if self._bell < 0:
            return
        if self._asking is not None:
            self._asking.withdraw()
        self._screen_can = False
        _release(self._screen_seen_to)
        _release(self._wake)
        if self._ended.acquire(timeout=wait_s):
            self._ended.release()
        self._leave_bell()
        if self.screen_taken:
            self.screen_taken = False
            self._still(False)

    # The loop's parts

    def _take_answer(self, child: Child) -> HeldAnswer | None:
        if self._bell >= 0:
            with suppress(BlockingIOError):
                os.eventfd_read(self._bell)
        with self._guard:
            answer, self._answer = self._answer, None
            problem, self._problem = self._problem, None
        if answer is None and problem is None:
            return None
        calls, self._open, self._asking, self._since_ns = self._open, [], None, 0
        grants, hosts = (answer.grants, answer.hosts) if answer is not None else ((), ())
        if answer is None or not answer.stop:
            for call in calls:
                child.answer(call.number, grants, hosts)
        if problem is not None:
            raise problem
        return answer

    def _mind_screen(self) -> None:
        if self._screen_wanted == self.screen_taken:
            return
        self.screen_taken = self._screen_wanted
        can = self._still(self.screen_taken)
        if self.screen_taken:
            self._screen_can = can
            _release(self._screen_seen_to)

    def _mind_interrupted(self, child: Child) -> None:
        """A question about a call that was interrupted stands until it is plain that it is not made again."""
        self._attach(child)
        if self.screen_taken:
            return  # it was stopped by us
        if any(call.number not in child.let_go for call in self._open):
            self._since_ns = 0
        elif not self._since_ns:
            self._since_ns = monotonic_ns()
        elif monotonic_ns() - self._since_ns >= LINGER_MS * NS_PER_MS and self._asking is not None:
            self._asking.withdraw()

    def _attach(self, child: Child) -> None:
        """The same calls, made by others or anew, belong to the open question."""
        while self._seen < len(child.held) and _same(child.held[self._seen], self._open[0]):
            self._open.append(child.held[self._seen])
            self._seen += 1

    def _take_up(self, child: Child) -> None:
        while self._seen < len(child.held) and not self._open:
            call = child.held[self._seen]
            self._seen += 1
            if call.number not in child.let_go:
                from sandgate.execution.asking import AskedMeanwhile

                self._open, self._asking = [call], AskedMeanwhile(self._screen)
                self._attach(child)
                self._begin()

    def _begin(self) -> None:
        if self._bell >= 0:
            _release(self._wake)
            return
        self._bell = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._ended.acquire()
        self._screen_seen_to.acquire()
        start_new_thread(self._work, ())

    # The thread's parts

    def _work(self) -> None:
        try:
            while True:
                self._wake.acquire()
                if self._over or self._asking is None:
                    return
                self._put(self._open[0], self._asking)
                os.eventfd_write(self._bell, 1)
        finally:
            self._leave_bell()
            self._ended.release()

    def _put(self, call: HeldCall, asking: AskedMeanwhile) -> None:
        try:
            with asking:
                answer = self._ask(call, asking)
        except BaseException as problem:  # also Ctrl-C at the question: it is for whoever attends the command
            with self._guard:
                self._problem = problem
            return
        with self._guard:
            self._answer = answer

    def _screen(self, wanted: bool) -> bool:
        """Whether the loop has seen to it."""
        self._screen_wanted = wanted
        if self._over:
            return False
        os.eventfd_write(self._bell, 1)
        return wanted and self._screen_seen_to.acquire(timeout=SCREEN_LIMIT_S) and self._screen_can

    # Of both

    def _leave_bell(self) -> None:
        """The second to leave closes it: the first may be gone long before a reviewer hears of it."""
        with self._guard:
            self._left += 1
            last = self._left == 2
        if last:
            os.close(self._bell)


def _release(lock: LockType) -> None:
    if lock.locked():
        lock.release()


def _same(one: HeldCall, other: HeldCall) -> bool:
    """Whether both want the same of the same."""
    first, second = one.refused, other.refused
    return (first.operation, first.path, first.address, one.other_path) == (
        second.operation,
        second.path,
        second.address,
        other.other_path,
    )
