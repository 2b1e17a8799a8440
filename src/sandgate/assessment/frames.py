"""Where a walk through a command line stands: in which scripts, in which of their pipelines, in which shells."""

from __future__ import annotations

from sandgate.assessment.judges.loops import loops_of
from sandgate.assessment.traps import traps_last

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.assessment.expansion import Shell
    from sandgate.assessment.inquiry import Call, Flow
    from sandgate.assessment.judges.loops import Loops
    from sandgate.commandline.script import SimpleCommand

    State = tuple[str | None, int, int]


class Pipeline:
    """What flows along one pipeline, up to the stage that is being judged."""

    __slots__ = ("before", "current", "feeder", "last", "position")

    def __init__(self) -> None:
        self.position = -1
        self.before: Flow = {}
        self.current: Flow = {}
        self.feeder: Call | None = None
        self.last: Call | None = None

    def enter(self, position: int) -> None:
        if position > self.position:
            self.before = {**self.before, **self.current}
            self.current = {}
            self.feeder, self.position = self.last, position


class Frame:
    """A script being walked: its commands, the shells they run in, what flows between them."""

    __slots__ = (
        "caller", "commands", "functions", "index", "inflow", "kinds", "known_loops", "pipelines", "said", "shells",
    )  # fmt: skip

    def __init__(
        self, commands: tuple[SimpleCommand, ...], caller: Call, kinds: tuple[tuple[int, int], ...] = ()
    ) -> None:
        self.commands = commands if kinds else traps_last(commands)
        self.index = 0
        self.caller = caller
        self.functions = frozenset(each.function for each in commands if each.function)
        self.shells: dict[int, Shell] = {}
        self.inflow: dict[int, Flow] = {}
        self.kinds = iter(kinds)  # of the pipelines still to come
        self.said: dict[int, tuple[State, int]] = {}  # kind of a pipeline → in which state it was judged, steps it took
        self.pipelines: dict[int, Pipeline] = {}
        self.known_loops: Loops | None = None

    def loops(self) -> Loops:
        if self.known_loops is None:
            self.known_loops = loops_of(self.commands)
        return self.known_loops

    def shell_of(self, command: SimpleCommand) -> Shell:
        """The shell a command runs in; a subshell starts as a copy of the one around it."""
        current = self.caller.shell
        for number in command.subshells:
            if number not in self.shells:
                self.shells[number] = current.copy()
            current = self.shells[number]
        return current
