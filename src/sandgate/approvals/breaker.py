"""Stops a turn that a reviewer keeps refusing: an agent that only tries variations should hear a person.

Only a reviewer's own no counts. A yes ends a row of them; a review that was late, failed or was cancelled says nothing
about the agent, so it ends the row as well and adds nothing. The caller does not tell where its turns begin, so
a turn lasts until it is stopped, and the next one is counted from nothing.
"""

from __future__ import annotations

from _thread import allocate_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Ended = Literal["allowed", "denied", "neither"]

IN_A_ROW_MAX = 3  # denials without anything else between them
DENIALS_MAX = 10  # of one turn


class CircuitBreaker:
    """Counts the reviews of one turn. Opens at its end."""

    def __init__(self) -> None:
        self._guard = allocate_lock()
        self._in_a_row = 0
        self._denials = 0

    def count(self, ended: Ended) -> bool:
        """Note the end of a review; True when the turn must stop now, and with the next review another one begins."""
        with self._guard:
            if ended != "denied":
                self._in_a_row = 0
                return False
            self._in_a_row += 1
            self._denials += 1
            if self._in_a_row < IN_A_ROW_MAX and self._denials < DENIALS_MAX:
                return False
            self._in_a_row = self._denials = 0
            return True
