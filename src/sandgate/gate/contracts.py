"""What the gate needs of its surroundings, and is handed in."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from sandgate.gate.held_questions import HeldQuestions
    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.confinement import AttemptOutcome, ConfinedCommand, SetupFailure
    from sandgate.protocol.decisions import ApprovalRequest, Decision
    from sandgate.protocol.denials import DenialReport
    from sandgate.protocol.permissions import EffectivePermissions, Grant, RuleGrant
    from sandgate.protocol.risk import RiskAssessment
    from sandgate.sandbox.memory import LaterLook

    # What rules about places give a command.
    GivenByRules = Callable[[CommandRequest, "Surroundings"], tuple[RuleGrant, ...]]
    WriteDown = Callable[[ApprovalRequest, Decision], Decision]
    Assessor = Callable[[CommandRequest, DenialReport | None], RiskAssessment | None]

    class Launcher(Protocol):
        """Starts the runs of one passage."""

        def expect(self) -> None:
            """A run without grants is likely. What cannot be made ready yet is no error yet."""
            ...

        def get_ready(self, grants: tuple[Grant, ...]) -> LaterLook | None:
            """A run with these grants is certain; its plan comes next, if it can be made. What that may leave to the
            launch, which then looks before the command begins."""
            ...

        def when_held(self, questions: HeldQuestions, /) -> bool:
            """The next run holds its calls, and `questions` is put them. False: nobody can be asked about it."""
            ...

        def __call__(self, call_id: str, plan: ConfinedCommand, /) -> AttemptOutcome: ...

        def stand_down(self) -> None:
            """Nothing will be launched with what was made ready. May be repeated."""
            ...

    class Surroundings(Protocol):
        """Where the commands of a session run."""

        def permissions(self) -> EffectivePermissions: ...
        def say_once(self, note: str) -> None: ...

    class Confining(Protocol):
        """Makes plans, and looks after what goes wrong with them."""

        def plan(
            self, command: CommandRequest, grants: tuple[Grant, ...], *, reads: bool, later: LaterLook | None
        ) -> ConfinedCommand: ...
        def fall_back(self, plan: ConfinedCommand, failure: SetupFailure) -> bool: ...
        def quarantine(self, paths: tuple[str, ...]) -> list[str]: ...

    class Pausing(Protocol):
        """Waits elsewhere in the session whose time does not run while a question is open."""

        def hold(self) -> None: ...
        def release(self) -> None: ...
