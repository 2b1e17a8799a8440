"""Calls that the sandbox refused and that wait in the kernel while somebody decides, and what was carried out for one.

A number belongs to one command and counts from 1. What waits is refused for good when nobody answers; what an answer
covers is carried out by the supervisor, from outside the sandbox, and not by the command.
"""

from __future__ import annotations

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.denials import Operation, Refused
    from sandgate.protocol.permissions import Grant

WITHIN_EARLIER = 0  # as the number of a call: nobody was asked about it, an earlier answer covered it


class HeldCall(Record):
    """A call of a command that waits for an answer."""

    number: int
    refused: Refused  # what would be recorded if the answer is no
    other_path: str = ""  # the new name of a rename or link, whose old name is `refused.path`

    @property
    def words(self) -> str:
        """What is wanted and of what: `create /srv/new`. Not made safe for a terminal."""
        refused = self.refused
        return f"{refused.what or refused.operation} {refused.path or refused.address or 'something'}"


class FoundHost(Record):
    """A name that was given, with what it stands for. No addresses: there is no such name."""

    name: str
    addresses: tuple[str, ...]  # numeric
    closed: tuple[str, ...] = ()  # those of them that the name alone does not open


class HeldAnswer(Record):
    """What becomes of a held call. No grants: it fails as if it had not been held."""

    grants: tuple[Grant, ...] = ()
    stop: bool = False  # the reviewer wants everything to stop
    hosts: tuple[FoundHost, ...] = ()  # of the names in `grants` that could be looked up
    said: str = ""  # for the person, where nobody was asked who could have been


class PerformedCall(Record):
    """A call that the supervisor carried out on the word of a grant; `number` may be `WITHIN_EARLIER`.

    Those within an earlier answer are told once for each grant and operation, and counted otherwise.
    """

    number: int
    operation: Operation
    path: str
    other_path: str = ""
    error: int = 0  # what the caller got; 0: it was done
    asked: bool = False  # somebody was asked about this very call
    allowed_by: str = ""  # on whose word, as `Attempt.allowed_by`; "": a setting or an option, or nobody can be named
    beside: str = ""  # the granted new file whose name this one's goes on from; "": it is what was granted, or below
