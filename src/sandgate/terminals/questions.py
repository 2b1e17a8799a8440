"""Puts the calls of one live command that wait to somebody, while the pump moves its bytes.

Everything of the command is touched on the pump's thread; a thread of its own asks (`execution/held_calls.py`), and its
bell is one of the descriptors that the pump waits for. So a question may stand long after the call that started the
command was answered. The end of the command takes it back.
"""

from __future__ import annotations

from time import monotonic

from sandgate.errors import SandgateError
from sandgate.execution.held_calls import THREAD_END_LIMIT_S, HeldCalls

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from sandgate.execution.held_calls import Ask
    from sandgate.kernel.child import Child
    from sandgate.protocol.held_calls import HeldAnswer, HeldCall
    from sandgate.terminals.changes import Changes
    from sandgate.terminals.pump import Pump

    class AskedAbout(Protocol):
        """What is needed of the command."""

        changes: Changes

        def fail(self, message: str) -> None: ...
        def terminate(self) -> None: ...


END_LOOK_S = 0.005  # between two looks whether the thread of a question that was taken back has ended


class Questions:
    """All its methods are for the pump's thread; `asked_about` may be looked at from any."""

    def __init__(self, ask: Ask, command: AskedAbout, child: Child, pump: Pump) -> None:
        self._held = HeldCalls(ask)
        self._command = command
        self._child = child
        self._pump = pump
        self._bells: tuple[int, ...] = ()  # that the pump waits for
        self._shown: HeldCall | None = None
        self._coming_back = False
        self._end_by_s = 0.0  # until then is waited for the thread; 0 as long as the command lives

    @property
    def asked_about(self) -> HeldCall | None:
        """The call that waits."""
        return self._held.asked_about

    def look(self) -> None:
        """Takes up what is held, and hands out what was answered."""
        try:
            answer = self._held.look(self._child)
        except BaseException as problem:  # of the thread that asked; without an answer nothing goes on
            self._command.fail(_sentence(problem))
            answer = None
        self._wait_for_bell()
        self._come_back()
        self._tell_change()
        self._obey(answer)

    def stop(self) -> None:
        """The command is being ended: nobody is asked any more."""
        if not self._end_by_s:
            self._held.stop(self._child)

    def end(self) -> None:
        """The command is over: an open question is taken back. May be repeated."""
        if self._end_by_s:
            return
        self._end_by_s = monotonic() + THREAD_END_LIMIT_S
        for fd in self._bells:
            self._pump.forget(fd)
        self._held.end(wait_s=0.0)
        self._tell_change()

    def ended(self, again: Callable[[], None]) -> bool:
        """Whether nothing more is said about its questions; if not, `again` is called soon."""
        self.end()
        if self._held.ended or monotonic() >= self._end_by_s:
            return True
        self._pump.at(monotonic() + END_LOOK_S, again)
        return False

    def _wait_for_bell(self) -> None:
        if self._bells or self._end_by_s:
            return
        self._bells = self._held.descriptors()
        for fd in self._bells:
            self._pump.watch(fd, lambda _events: self.look())

    def _come_back(self) -> None:
        """What was interrupted is made again soon, or not at all."""
        wait_ms = self._held.wait_ms(None)
        if wait_ms is not None and not self._coming_back:
            self._coming_back = True
            self._pump.at(monotonic() + wait_ms / 1000, self._back)

    def _back(self) -> None:
        self._coming_back = False
        if not self._end_by_s:
            self.look()

    def _tell_change(self) -> None:
        if self.asked_about is not self._shown:
            self._shown = self.asked_about
            self._command.changes.happened()

    def _obey(self, answer: HeldAnswer | None) -> None:
        if answer is not None and answer.stop:
            self._command.terminate()


def _sentence(problem: BaseException) -> str:
    return problem.sentence if isinstance(problem, SandgateError) else f"asking about a call failed: {problem!r}"
