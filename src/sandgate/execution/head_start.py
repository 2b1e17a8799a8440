"""Starts the helper while its plan is still being made.

Building namespaces takes about as long as planning, and most hosts have a second processor. A head start is a guess
about the plan to come; a guess that turns out wrong costs a discarded helper, never another sandbox than the plan's.
One object serves one command at a time, from the decision that it may run until its start.
"""

from __future__ import annotations

from sandgate.execution.start import start_child
from sandgate.protocol.confinement import SetupFailure
from sandgate.sandbox.memory import LaterLook

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.kernel.child import Child
    from sandgate.kernel.helper import Prepared
    from sandgate.kernel.layer_mounts import LayerLoan, LayerMounts
    from sandgate.kernel.networks import EmptyNetworks
    from sandgate.protocol.confinement import ConfinedCommand, Mount
    from sandgate.protocol.permissions import NetworkMode


# Of a plan that was made of what the last one rested on: it is made anew.
CHANGED = SetupFailure("the plan: what it rests on has changed since it was made", "ESTALE")


class Habit:
    """What the plans of one session have in common: the next one mostly hides the same, and uses the same caches."""

    __slots__ = ("_layers", "_mounts", "covers", "is_lone")

    def __init__(self) -> None:
        self._mounts: tuple[Mount, ...] = ()
        self._layers: LayerMounts | None = None  # made for the first plan with layers
        self.covers = 0  # as `covers_of` counts
        self.is_lone = False  # one command, which mounts its own

    def note(self, mounts: tuple[Mount, ...]) -> None:
        if mounts is not self._mounts:
            from sandgate.kernel.plan_codec import covers_of

            self._mounts, self.covers = mounts, covers_of(mounts)

    def lend_layers(self, helper: str, plan: ConfinedCommand) -> LayerLoan | None:
        """Mounts that the session keeps of the plan's layers, where it has some."""
        if self.is_lone or not any(overlay.lasting for overlay in plan.overlays):
            return None
        if self._layers is None:
            from sandgate.kernel.layer_mounts import LayerMounts

            self._layers = LayerMounts()
        return self._layers.lend(helper, plan.overlays, plan.mounts)

    def close(self) -> None:
        """Nothing is kept mounted; a later command has it mounted again."""
        if self._layers is not None:
            self._layers.close()


class HeadStart:
    """A helper that may be ready before its plan. `start` is a `Starter` that uses it. A plan may leave a look at the
    disk to `later`: `start` takes it while the helper builds the sandbox, before the command begins."""

    __slots__ = ("_habit", "_networks", "_prepared", "later")

    def __init__(self, networks: EmptyNetworks | None = None, habit: Habit | None = None) -> None:
        self._networks = networks
        self._habit = habit or Habit()
        self._prepared: Prepared | None = None
        self.later = LaterLook()

    def get_ready(self, helper: str, *, network: NetworkMode) -> None:
        """Starts the helper for a plan with this network mode, unless it is there."""
        from sandgate.kernel.helper import prepare

        ready = self._prepared
        if ready is not None and (ready.helper, ready.network) == (helper, network):
            return
        self.discard()
        try:
            self._prepared = prepare(helper, network=network, networks=self._networks, covers=self._habit.covers)
        except OSError:
            return  # the start meets the same, and says so

    def start(self, plan: ConfinedCommand, *, stdin: int, stdout: int, stderr: int, helper: str | None) -> Child:
        """As `start_child`, with what is ready when it is what the plan needs. A child whose plan does not hold any
        more has failed with CHANGED, and nothing ran."""
        prepared = self._prepared
        self._habit.note(plan.mounts)
        fits = prepared is not None and plan.backend == "namespace" and plan.permissions.network == prepared.network
        if prepared is None or not fits or helper != prepared.helper:
            self.discard()
            if not self.later.is_owed or helper is None:
                return start_child(plan, stdin=stdin, stdout=stdout, stderr=stderr, helper=helper)
            from sandgate.kernel.helper import prepare

            prepared = prepare(helper, network=plan.permissions.network)
        self._prepared = None
        layers = self._habit.lend_layers(helper, plan)
        if layers is not None:
            plan = plan.but(overlays=layers.overlays)
        if not self.later.is_owed:
            return prepared.start(plan, stdin=stdin, stdout=stdout, stderr=stderr, layers=layers)
        child = prepared.start(plan, stdin=stdin, stdout=stdout, stderr=stderr, waits=True, layers=layers)
        if self.later.stands():
            child.begin()
        else:
            child.give_up(CHANGED)
        return child

    def discard(self) -> None:
        """Nothing will be started with what is ready. May be repeated."""
        if self._prepared is not None:
            self._prepared.discard()
            self._prepared = None
