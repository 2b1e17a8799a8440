"""What SIGTERM and SIGHUP to the program mean: end the running command as a cancellation, then end ourselves.

Only the namespace sandbox dies with us by itself, so the signals are passed on: the command is asked to stop, gets the
configured grace, and its tree is gone before the program ends by the same signal. Where no command runs they act as
always.
"""

from __future__ import annotations

import os

from sandgate.protocol.trace import CommandBegan, CommandEnded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from signal import SIG_DFL, SIG_IGN, SIGHUP, SIGTERM, getsignal, signal

    from sandgate.protocol.trace import Recorder, TraceRecord

else:  # the wrapper brings `enum`, which costs more than everything here
    from _signal import SIG_DFL, SIG_IGN, SIGHUP, SIGTERM, getsignal, signal

PASSED_ON = (SIGTERM, SIGHUP)


class Terminations:
    """A recorder in front of another one: it learns from the trail whether a command runs.

    `descriptor` becomes readable when one of the signals arrives meanwhile.
    """

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self.descriptor, self._bell = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self._number: int | None = None

    def __call__(self, record: TraceRecord) -> None:
        """Pass the record on, and listen exactly while an attempt runs."""
        if isinstance(record, CommandBegan):
            for number in PASSED_ON:
                if getsignal(number) != SIG_IGN:  # nohup means it
                    signal(number, self._heard)
        elif isinstance(record, CommandEnded):
            for number in PASSED_ON:
                if getsignal(number) == self._heard:
                    signal(number, SIG_DFL)
        self._recorder(record)

    def end_if_heard(self) -> None:
        """Let the program end by the signal that stopped its command."""
        if self._number is not None:
            signal(self._number, SIG_DFL)
            os.kill(os.getpid(), self._number)

    def _heard(self, number: int, _frame: object) -> None:
        self._number = number
        os.write(self._bell, b"\0")
