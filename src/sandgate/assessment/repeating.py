"""Remembers calls that were judged, so that a script of a thousand similar lines is not judged a thousand times.

A call says the same again when everything its judge may look at is the same: program, arguments, directory, and for
programs with a judge of their own what flows in. Findings of a repetition add nothing, as an assessment names each
once; what a call passes on is passed on again. A call that changed the circumstances (directory, variables, downloads,
files written, further calls) is never remembered.
"""

from __future__ import annotations

from sandgate.assessment.judges import JUDGES
from sandgate.assessment.knowledge import ENTRIES
from sandgate.assessment.program import OTHER_NAMES
from sandgate.commandline.launcher_rows import DIRECT_RUNNERS, RUNNERS
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.assessment.expansion import Arg
    from sandgate.assessment.inquiry import Call, Inquiry

    Key = tuple[object, ...]


def _by_table_alone(program: str) -> bool:
    """Whether what judges it looks at nothing but the arguments."""
    if program in JUDGES or program in RUNNERS or program in OTHER_NAMES or program in DIRECT_RUNNERS:
        return False
    return program in ENTRIES


class _Outcome(Record):
    """How a judge left a call. The arguments it was given are kept alive, because keys name them by identity."""

    program: str
    args: tuple[Arg, ...]
    outflow: tuple[tuple[str, str], ...]
    given: tuple[Arg, ...]


class JudgedCalls:
    """The calls of one inquiry that may come again."""

    __slots__ = ("_inquiry", "_known", "_serials")

    def __init__(self, inquiry: Inquiry) -> None:
        self._inquiry = inquiry
        self._known: dict[Key, _Outcome] = {}
        self._serials: dict[Key, int] = {}

    def key(self, call: Call, functions: frozenset[str]) -> Key | None:
        """What the judge of `call` goes by; None when that cannot be said."""
        inquiry = self._inquiry
        if inquiry.downloads or call.function or call.outflow:
            return None
        program = call.program
        if _by_table_alone(program) and not program[-1].isdigit():
            return (program, (call.remote, call.contained), call.shell.cwd, *map(id, call.args))
        if call.shell.variables or inquiry.written or call.stdin_text is not None or call.looped or call.background:
            return None
        feeder = call.feeder
        if feeder is not None and not feeder.serial:
            return None
        known = (program, (call.remote, call.contained), call.shell.cwd, *map(id, call.args))
        return (*known, functions, feeder.serial if feeder is not None else 0, *call.upstream.items())

    def repeat(self, call: Call, key: Key) -> bool:
        """Whether such a call was judged; then `call` is left as its judge would leave it."""
        outcome = self._known.get(key)
        if outcome is None:
            return False
        call.program, call.args = outcome.program, outcome.args
        for tag, target in outcome.outflow:
            call.carry(tag, target)  # type: ignore[arg-type]  # a tag that was carried before
        return True

    def remember(self, call: Call, key: Key, before: tuple[Arg, ...]) -> None:
        """`call`, whose arguments were `before`, has just been judged by what `key` says."""
        inquiry, shell = self._inquiry, call.shell
        alone = _by_table_alone(str(key[0]))
        if inquiry.pending or inquiry.downloads or shell.cwd != key[2]:
            return
        if alone or not (shell.variables or inquiry.written):
            self._known[key] = _Outcome(call.program, call.args, tuple(call.outflow.items()), before)

    def number(self, call: Call, key: Key | None) -> None:
        """Gives calls that would feed the next one of a pipeline alike the same number."""
        feeder = call.feeder
        if key is None or key not in self._known or call.stdin_text is not None or (feeder and not feeder.serial):
            return
        same = (key, feeder.serial if feeder is not None else 0, *call.upstream.items())
        call.serial = self._serials.setdefault(same, len(self._serials) + 1)
