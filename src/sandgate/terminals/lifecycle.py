"""What has to be done around a live command: before it starts, when something is refused, and when it is over."""

from __future__ import annotations

from _thread import allocate_lock

from sandgate.execution.placeholder import Placeholders
from sandgate.execution.planted_files import Planted
from sandgate.execution.post_run_checks import PostRunChecks
from sandgate.terminals.listeners import Deltas

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from sandgate.execution.drafts import Drafts
    from sandgate.execution.git_users import GitReaders
    from sandgate.protocol.confinement import AttemptOutcome, ConfinedCommand
    from sandgate.protocol.decisions import Attempt, HeldQuestion
    from sandgate.protocol.denials import Denial
    from sandgate.protocol.held_calls import PerformedCall
    from sandgate.sandbox.memory import Mark
    from sandgate.terminals.interfaces import Live
    from sandgate.terminals.leftover_processes import Remnants
    from sandgate.terminals.limits import ExecLimits
    from sandgate.terminals.listeners import Teller
    from sandgate.terminals.warden import Warden

    Marks = dict[str, Mark]

    class AboutItsCalls(Protocol):
        """What is needed of who asks about its held calls."""

        told: list[HeldQuestion]

        def ask_for(self, begin: Callable[[], None]) -> None: ...

    class LifecycleSession(Protocol):
        """What an attendance needs of the session."""

        limits: ExecLimits
        teller: Teller | None
        warden: Warden
        remnants: Remnants
        ends_on_network_denial: bool

        def warn(self, message: str) -> None: ...
        def quarantine(self, paths: tuple[str, ...]) -> None: ...
        def put_back(self, path: str, content: bytes | None, why: str) -> str: ...
        def served_instead(self, sought: tuple[str, ...], seeker: Live | None = None) -> str: ...
        def served_until_now(self, plan: ConfinedCommand) -> None: ...


NETWORK_DENIED = "Network access was denied by the Sandgate sandbox."
KEPT_BACK = "what it does in {} is kept until it ends; others see it then"
SESSION_BOUND = ("none", "landlock")  # backends whose commands outlive us unless we see to it


class Lifecycle:
    """One start of one live command. It is the terminal's watcher."""

    def __init__(
        self,
        session: LifecycleSession,
        call_id: str,
        plan: ConfinedCommand,
        checks: PostRunChecks,
        planted: Planted,
        drafts: Drafts | GitReaders | None = None,
        *,
        left: Callable[[], None] = lambda: None,
    ) -> None:
        self._session = session
        self._plan = plan
        self._checks = checks
        self._planted = planted
        self._drafts = drafts
        self._left = left  # to be called once, when nothing of it is left
        self._placeholders = Placeholders(plan)
        self._guard = allocate_lock()
        self._conclude: Callable[[AttemptOutcome], Attempt] | None = None
        self.deltas = Deltas(call_id, session.teller, session.limits) if session.teller is not None else None
        self.outcome: AttemptOutcome | None = None
        self.attempt: Attempt | None = None  # the run, as far as it is known; with its result once it is over
        self.questions: AboutItsCalls | None = None  # about its calls that wait
        self._told: set[str] = set()  # what was refused, as an answer had it; no more than the helper reports
        self._ports_told: set[int] = set()
        self._kept_told = False
        self._placeholders.__enter__()

    def untold(self, denials: tuple[Denial, ...]) -> tuple[Denial, ...]:
        """Those that were not given here before. Answers about one command take turns."""
        new = tuple([each for each in denials if each.words not in self._told])
        self._told.update([each.words for each in new])
        return new

    def unmet(self, terminal: Live, sought: tuple[str, ...]) -> str:
        """The sentence about addresses where the command met no server, of those not told of before."""
        said = self._session.served_instead(tuple([each for each in sought if each not in self._told]), terminal)
        self._told.update(sought if said else ())
        return said

    def unshown(self, ports: tuple[int, ...]) -> tuple[int, ...]:
        """Those that were not given here before."""
        new = tuple([each for each in ports if each not in self._ports_told])
        self._ports_told.update(new)
        return new

    def kept_back(self) -> str:
        """The sentence about what a command that runs has done in git directories; once."""
        places = () if self._drafts is None or self._kept_told else self._drafts.kept_back()
        if not places:
            return ""
        self._kept_told = True
        return KEPT_BACK.format(", ".join(f"`{each}`" for each in places))

    def begun(self, terminal: Live) -> None:
        """It runs. Told before anything else."""
        if self._plan.backend in SESSION_BOUND and terminal.pid:
            self._session.warden.add(terminal.pid)

    def refused(self, terminal: Live) -> None:
        if self._session.ends_on_network_denial and any(each.operation == "connect" for each in terminal.refused):
            terminal.fail(NETWORK_DENIED)

    def over(self, terminal: Live) -> None:
        try:
            self._tell_end(terminal)
        finally:
            self._left()

    def _tell_end(self, terminal: Live) -> None:
        outcome = terminal.outcome()
        if self._drafts is not None:
            outcome = self._drafts.settled(outcome)
        outcome = self._checks.settled(outcome, self._session.put_back)
        self._clear_up(terminal, outcome.performed)
        failed = outcome.result is not None and outcome.result.exit_code != 0
        unmet = self.unmet(terminal, outcome.unserved) if failed else ""
        if terminal.may_listen:
            self._session.served_until_now(self._plan)
        outcome = outcome.but(
            remarks=(*outcome.remarks, *filter(None, (self._planted.sentence(self._checks.created), unmet)))
        )
        if self._checks.created:
            outcome = outcome.but(created_protected=self._checks.created)
        self.questions = None  # they hold the terminal, too
        with self._guard:
            self.outcome = outcome
            conclude, self._conclude = self._conclude, None  # it holds the terminal, which holds us
        if conclude is not None:
            self.attempt = conclude(outcome)

    def hand_out(self, conclude: Callable[[AttemptOutcome], Attempt]) -> None:
        """It lives on; `conclude` makes the attempt of how it went, as soon as that is known."""
        with self._guard:
            outcome = self.outcome
            if outcome is None:
                self._conclude = conclude
        if outcome is not None:
            self.attempt = conclude(outcome)

    def abandon(self) -> None:
        """It was never started."""
        if self._drafts is not None:
            self._drafts.release()
        self._placeholders.__exit__()
        self._left()

    def _clear_up(self, terminal: Live, performed: tuple[PerformedCall, ...]) -> None:
        self._placeholders.__exit__()
        if terminal.failure is None:
            self._checks.look()
            self._planted.look()
        for line in self._checks.exchanged_lines(performed):
            self._session.warn(line)
        if self.deltas is not None:
            self.deltas.end()
        if self._plan.backend in SESSION_BOUND and terminal.pid:
            self._session.remnants.leader_ended(terminal.pid)
