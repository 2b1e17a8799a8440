"""What one passage through the gate is about."""

from __future__ import annotations

from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.decisions import ApprovalKey
    from sandgate.protocol.denials import DenialReport
    from sandgate.protocol.patches import FileChange
    from sandgate.protocol.risk import RiskAssessment
    from sandgate.protocol.verdicts import Verdict


class Matter(Record):
    """What one passage is about. By itself a command stands for what it says; a patch says it otherwise."""

    command: CommandRequest
    verdict: Verdict | None = None  # None: the command is judged
    keys: tuple[ApprovalKey, ...] = ()  # what an answer for the session is about; empty: this very command
    changes: tuple[FileChange, ...] = ()
    call_id: str = ""  # what it is called in the trail; "": a fresh name
    assess: Callable[[DenialReport | None], RiskAssessment | None] | None = None  # None: as a command is
