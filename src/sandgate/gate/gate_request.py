"""What is asked of the gate in one passage."""

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


class GateRequest(Record):
    """What is asked of the gate: a command, which says it all by itself, or a patch, which needs the rest."""

    command: CommandRequest
    verdict: Verdict | None = None  # None: the command is judged
    keys: tuple[ApprovalKey, ...] = ()  # what an answer for the session is about; empty: this very command
    changes: tuple[FileChange, ...] = ()
    call_id: str = ""  # what it is called in the trail; "": a fresh name
    assess: Callable[[DenialReport | None], RiskAssessment | None] | None = None  # None: as a command is
