"""The state of the disk that the last answer of a passage was about, from the question to the start of the run.

The disk is looked at where a reviewer was asked, or an earlier answer is tied to what lay there; a command that policy
alone allows is not looked at.
"""

from __future__ import annotations

from sandgate.protocol.confinement import EXCHANGED, ExecFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.approvals.holding import Held
    from sandgate.protocol.bindings import Binding
    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.confinement import AttemptOutcome, ConfinedCommand
    from sandgate.protocol.decisions import Amendment
    from sandgate.protocol.permissions import Grant

JUDGED_AGAIN = "nothing ran yet, and the command is judged again, because something changed just before it: {changed}"
AT_START = "something of it was exchanged at the very moment of its start"


class Moved(Exception):
    """What was approved is not what would run; nothing ran. Its text says what changed."""


class ApprovalState:
    """Of one passage. `ties` is False for what is no command: a patch is written beneath what it holds itself."""

    def __init__(self, command: CommandRequest, *, ties: bool) -> None:
        self._command = command
        self._ties = ties
        self._held: Held | None = None

    @property
    def binding(self) -> Binding | None:
        """What is tied to the question that comes next; None for nothing."""
        return None if self._held is None else self._held.binding

    def take(self, grants: tuple[Grant, ...]) -> None:
        """From now on, what is asked or was remembered is about what is there now, with these grants."""
        self.let_go()
        if self._ties:
            from sandgate.approvals.holding import Held

            self._held = Held(self._command, grants)

    def make_roots(self) -> None:
        """Makes the directories that were approved to be made. Raises Moved when anything is not as it was."""
        changed = "" if self._held is None else self._held.make_roots()
        if changed:
            raise Moved(changed)

    def tied(self, plan: ConfinedCommand) -> ConfinedCommand:
        """The plan, tied to what was approved. Raises Moved when that is not there any more."""
        if self._held is None:
            return plan
        changed = self._held.changed()
        if changed:
            raise Moved(changed)
        return plan.but(bound=self._held.bound(plan))

    def tied_rule(self, rule: Amendment, *, confined: bool) -> Amendment | None:
        """The rule to offer; outside the sandbox only for what the files hold now, none where that is unsaid."""
        binding = self.binding
        if binding is None or not binding.files or (confined and rule.sandbox == "keep"):
            return rule
        from sandgate.approvals.holding import contents_of

        contents = contents_of(binding)
        return None if contents is None else rule.but(same_content=contents)

    def let_go(self) -> None:
        """Closes what is held open. May be repeated."""
        if self._held is not None:
            self._held.close()
            self._held = None


def check_place(plan: ConfinedCommand, outcome: AttemptOutcome) -> None:
    """Raises Moved when the helper that started the plan found something else in its place; nothing ran."""
    failure = outcome.failure
    if plan.bound is not None and isinstance(failure, ExecFailure) and failure.errno == EXCHANGED:
        raise Moved(AT_START)


def seeing(command: CommandRequest) -> Callable[[], Binding]:
    """Looks at what the command is about when it is first asked, and once."""
    found: list[Binding] = []

    def seen() -> Binding:
        if not found:
            from sandgate.approvals.holding import binding_of

            found.append(binding_of(command))
        return found[0]

    return seen
