"""Makes ready what every launch of a passage needs, ahead of its plan."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.execution.head_start import HeadStart
    from sandgate.gate.confinement import Confinement
    from sandgate.gate.held_questions import HeldQuestions
    from sandgate.kernel.child import Child
    from sandgate.protocol.permissions import Grant
    from sandgate.sandbox.memory import LaterLook


class Readiness:
    """The part of a `gate.Launcher` that does not depend on how the command is attended."""

    __slots__ = ("_confinement", "_head_start", "_left")

    def __init__(self, confinement: Confinement) -> None:
        self._confinement = confinement
        self._head_start: HeadStart = confinement.head_start()
        self._left: Child | None = None  # of the last launch: over, and its supervisor on its way out

    def expect(self) -> None:
        """See `gate.Launcher`."""
        if self._confinement.has_chosen:
            self.get_ready(())

    def get_ready(self, grants: tuple[Grant, ...]) -> LaterLook | None:
        """See `gate.Launcher`."""
        self._see_off()  # what was lent to it is lent to the next
        network = self._confinement.namespace_network(grants)
        if network is not None and self._confinement.helper is not None:
            self._head_start.get_ready(self._confinement.helper, network=network)
        return self._head_start.later

    def when_held(self, _questions: HeldQuestions) -> bool:
        """See `gate.Launcher`."""
        return False

    def stand_down(self) -> None:
        """See `gate.Launcher`."""
        self._head_start.discard()
        self._see_off()

    def _leave(self, child: Child) -> None:
        """Its supervisor ends while we tell what happened; `stand_down`, or the next launch, waits for it."""
        self._left = child

    def _see_off(self) -> None:
        if self._left is not None:
            self._left.close()
            self._left = None
