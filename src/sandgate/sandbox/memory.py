"""Answers about the disk, used again for as long as what they rest on stands.

A walk over a workspace and a list of secrets ask the same few hundred names before every command, and nearly always
get the same answers. One look at each directory and file behind them tells whether they would.
"""

from __future__ import annotations

import os
import stat
from _operator import is_
from _thread import allocate_lock

from sandgate.sandbox.settled_roots import SettledRoots

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _thread import LockType
    from collections.abc import Callable, Hashable, Iterable
    from typing import Any, TypeVar

    from sandgate.sandbox.filesystems import Filesystems
    from sandgate.sandbox.grounds import Grounds
    from sandgate.sandbox.looking import Known, Look

    Answer = TypeVar("Answer")
    Mark = tuple[int, int, int]  # device, inode, change time in ns

RESTORED = "restored"  # the key of what another session found out
ANSWERS_MAX = 256  # one session asks some ten; the oldest go first
LISTINGS_MAX = 1 << 17  # directories; twice what one walk may read
AHEAD_WAIT_S = 5.0  # for a thread that looks into the same question; then one looks oneself


class _Told:
    """What one command is told: `answers` that rest on marks alone, and what was `concluded` from them."""

    __slots__ = ("answers", "concluded", "learned")

    def __init__(self) -> None:
        self.answers: list[tuple[Hashable, tuple[Any, Grounds]]] = []
        self.concluded: tuple[object, Any] | None = None
        self.learned = False  # whether the next command can begin with more than this one did


class _Together:
    """What one command was told, with all that it rests on in one row: mostly nothing has changed.

    Two marks of one path stand in it twice, and never both show. `concluded` is a question, and what follows from all.
    """

    __slots__ = ("_encoded", "answers", "concluded", "paths", "same", "unchanged")

    def __init__(
        self, told: Iterable[tuple[Hashable, tuple[Any, Grounds]]], concluded: tuple[object, Any] | None = None
    ) -> None:
        self.concluded = concluded
        told = tuple(told)  # another thread may still add to it
        self.answers = dict(told)
        grounds = [known[1] for _, known in told]
        self.unchanged = [*{entry: None for one in grounds for entry in one.unchanged}]
        known = {entry[:3] for entry in self.unchanged}  # a directory that has not changed is the same, too
        self.same = [*{entry: None for one in grounds for entry in one.same if entry[:3] not in known}]
        self.paths = [entry[0] for entry in (*self.unchanged, *self.same)]
        self._encoded = [*map(os.fsencode, self.paths)]

    def look(self) -> tuple[dict[str, os.stat_result | None], bool]:
        """What lies there now, and whether all of it shows its mark. Nothing is known where something is missing."""
        try:
            now = [*map(os.lstat, self._encoded)]
        except OSError:
            return {}, False
        found: dict[str, os.stat_result | None] = dict(zip(self.paths, now, strict=True))
        kinds = zip(self.paths[len(self.unchanged) :], now[len(self.unchanged) :], strict=True)
        marks = zip(self.paths, now[: len(self.unchanged)], strict=False)
        stands = [(path, at.st_dev, at.st_ino, at.st_ctime_ns) for path, at in marks] == self.unchanged
        return found, stands and [
            (path, at.st_dev, at.st_ino, stat.S_IFMT(at.st_mode)) for path, at in kinds
        ] == self.same


class LaterLook:
    """The look at the disk that a plan has left to whoever starts it, for one start at a time.

    A plan that is made of what the last one rested on can be sent before that look: the helper builds the sandbox
    meanwhile, and begins the command only when it is told that all of it stands.
    """

    __slots__ = ("_look",)

    def __init__(self) -> None:
        self._look: Callable[[], bool] | None = None

    @property
    def is_owed(self) -> bool:
        return self._look is not None

    def owe(self, look: Callable[[], bool] | None) -> None:
        """`look` says whether everything is as the plan has it; None takes back what was owed."""
        self._look = look

    def owe_also(self, look: Callable[[], bool]) -> None:
        """Another one, beside what is owed."""
        first = self._look
        self._look = look if first is None else lambda: first() and look()

    def stands(self) -> bool:
        """Looks, once. True where nothing is owed."""
        look, self._look = self._look, None
        return look is None or look()


class Memory:
    """What one session knows. Threads may share it."""

    __slots__ = (
        "_asked", "_given", "_last", "_marks", "_together", "answers", "derived", "expects_more", "listings",
        "looking", "roots", "unsaved",
    )  # fmt: skip

    def __init__(self) -> None:
        self.expects_more = False  # whether a second command is likely
        self.looking: dict[Hashable, LockType] = {}  # questions that a thread looks into, which then keeps the answer
        self.answers: dict[Hashable, tuple[Any, Grounds]] = {}
        self.derived: dict[Hashable, tuple[tuple[object, ...], Any]] = {}
        self._given: dict[Hashable, Any] = {}
        self.listings: dict[str, Known] = {}
        self._asked = 0
        self._last: _Told | None = None
        self._together = _Together(())
        self._marks: dict[str, Mark] | None = None
        self.roots = SettledRoots()
        self.unsaved: tuple[str, Any, Any, Moment] | None = None  # file, question, answer: for the next session

    @property
    def is_new(self) -> bool:
        """Whether this is about the first command."""
        return self._asked <= 1

    def restored(self, grounds: Grounds, concluded: tuple[object, Any]) -> bool:
        """The first command begins with what another session concluded, if that still stands; else False."""
        together = _Together(((RESTORED, (None, grounds)),), concluded)
        _found, stands = together.look()
        if stands:
            self._together = together
            self.keep(RESTORED, None, grounds)
        return stands

    def now(self, later: LaterLook | None = None) -> Moment:
        """For one command. The first keeps no answers unless more are expected: keeping takes time, too. Whoever
        passes `later` looks before the command begins, where the moment leaves that to it."""
        self._asked += 1
        if later is not None:
            later.owe(None)  # by an earlier plan that was never started
        if len(self.listings) > LISTINGS_MAX:
            self.listings = {}
        last = self._last
        if last is not None and last.learned:
            self._together = _Together(last.answers, last.concluded)
        moment = Moment(self, self._together, keeps=self.expects_more or self._asked > 1, later=later)
        self._last = moment.told
        return moment

    def still_stands(self, together: _Together) -> bool:
        """Whether all that `together` rests on shows its mark now; otherwise nothing is concluded from it any more."""
        _found, stands = together.look()
        if not stands and self._together is together:
            self._together, self._last = _Together(()), None
        return stands

    def marks(self) -> dict[str, Mark]:
        """Directories and files that are known, and what shows that they have not changed since."""
        marks = self._marks
        if marks is None:
            kept = list(self.answers.values())
            marks = {path: (device, inode, ns) for _, grounds in kept for path, device, inode, ns in grounds.unchanged}
            self._marks = marks
        return marks

    def same(self, key: Hashable, answer: Answer) -> Answer:
        """What was said to `key` the last time, where that says the same: what was derived from it is right still, also
        where it could not be kept as something had just changed."""
        before: Answer | None = self._given.get(key)
        if before is not None and before == answer:
            return before
        self._given.pop(key, None)
        self._given[key] = answer
        while len(self._given) > ANSWERS_MAX:
            self._given.pop(next(iter(self._given)), None)
        return answer

    def keep(self, key: Hashable, answer: object, grounds: Grounds | None) -> None:
        """Or forget, when there are no grounds to keep it on."""
        self.answers.pop(key, None)
        if grounds is not None:
            self.answers[key] = (answer, grounds)
            while len(self.answers) > ANSWERS_MAX:
                self.answers.pop(next(iter(self.answers)), None)
        self._marks = None


class Moment:
    """What is true for one command: each path is asked for once, however many answers rest on it."""

    __slots__ = (
        "_filesystems", "_found", "_keeps", "_known", "_later", "_loose", "_memory", "_passed", "_standing",
        "_together", "told",
    )  # fmt: skip

    def __init__(self, memory: Memory, together: _Together, *, keeps: bool, later: LaterLook | None = None) -> None:
        self._memory = memory
        self._keeps = keeps
        self._together = together
        self._later = later if together.concluded is not None else None
        self._found: dict[str, os.stat_result | None] = {}
        self._standing: dict[Hashable, tuple[Any, Grounds]] = {}
        self._known = together.concluded
        if self._later is None:
            self._look_together()
        self._loose = False  # whether an answer rests on more than marks
        self._filesystems: Filesystems | None = None
        self._passed: list[Look] = []  # for answers that are not kept
        self.told = _Told()

    def _look_together(self) -> None:
        self._later = None
        self._found, stands = self._together.look()
        self._standing = self._together.answers if stands else {}
        self._known = self._together.concluded if stands else None

    def recall(self, key: Hashable, ask: Callable[[Look], Answer]) -> Answer:
        """The answer to `key`, by `ask` unless it is known and still true. What `ask` raises is not remembered.

        `key` says everything the answer depends on beside the disk.
        """
        if self._later is not None:
            self._look_together()
        known = self._standing.get(key)
        if known is None:
            known = self._memory.answers.get(key)
            if known is None or not self._stand(known[1]):
                return self._in_turn(key, known, ask) if self._keeps else self._passing(ask)
            self._learn(key, known)
        else:
            self.told.answers.append((key, known))
        answer: Answer = known[0]
        return answer

    def conclusion(self, asked: object) -> Any:
        """What `conclude` was told for the same question, where all that it rests on stands; or None."""
        known, later = self._known, self._later
        same = known is not None and known[0] == asked
        if later is not None and same:
            memory, together = self._memory, self._together
            later.owe(lambda: memory.still_stands(together))
        elif later is not None:
            self._look_together()
        return known[1] if known is not None and same else None

    def conclude(self, asked: object, answer: object) -> None:
        """`answer` follows from the question and from what this moment has recalled, and from nothing else."""
        if not self._loose:
            self.told.learned, self.told.concluded = True, (asked, answer)

    def _in_turn(self, key: Hashable, before: tuple[Any, Grounds] | None, ask: Callable[[Look], Answer]) -> Answer:
        """One thread looks; one that asks the same meanwhile waits, and uses what was kept where that stands."""
        looking, own = self._memory.looking, allocate_lock()
        with own:
            ahead = looking.setdefault(key, own)
            try:
                if ahead is not own and ahead.acquire(timeout=AHEAD_WAIT_S):
                    ahead.release()
                known = self._memory.answers.get(key)
                if known is not None and known is not before:
                    self._found = {}  # what was seen before the wait is too old for an answer that is newer
                    if self._stand(known[1]):
                        self._learn(key, known)
                        answer: Answer = known[0]
                        return answer
                look = self._look()
                answer = ask(look)
                answer = self._memory.same(key, answer)
                grounds = look.grounds()
                self._memory.keep(key, answer, grounds)
                if grounds is None:
                    self._loose = True
                else:
                    self._learn(key, (answer, grounds))
                return answer
            finally:
                if ahead is own:
                    looking.pop(key, None)

    def _passing(self, ask: Callable[[Look], Answer]) -> Answer:
        self._loose = True
        look = self._look(self._passed[-1] if self._passed else None)
        self._passed.append(look)
        return ask(look)

    def grounds(self) -> Grounds | None:
        """What all answers of this moment rest on together; None where nothing would tell whether that still stands."""
        from sandgate.sandbox.grounds import Grounds
        from sandgate.sandbox.looking import grounds_of_all

        if self._passed:
            return grounds_of_all(self._passed)
        if self._loose:
            return None
        together = _Together(self.told.answers)
        return Grounds(tuple(together.same), tuple(together.unchanged), ())

    def _learn(self, key: Hashable, known: tuple[Any, Grounds]) -> None:
        if known[1].texts:
            self._loose = True
        else:
            self.told.learned = True
            self.told.answers.append((key, known))

    def _look(self, before: Look | None = None) -> Look:
        from sandgate.sandbox.looking import Look

        look = Look(self._memory.listings, self._filesystems, before=before)
        self._filesystems = look.filesystems
        return look

    def derive(self, key: Hashable, answers: tuple[object, ...], make: Callable[[], Answer]) -> Answer:
        """What follows from `answers` alone: made anew when one of them is another object than it was the last time."""
        known = self._memory.derived.get(key)
        if known is None or len(known[0]) != len(answers) or not all(map(is_, known[0], answers)):
            known = self._memory.derived[key] = (answers, make())
        made: Answer = known[1]
        return made

    def _stand(self, grounds: Grounds) -> bool:
        from sandgate.sandbox.grounds import marks_stand

        stand = marks_stand(grounds.same, grounds.unchanged, self._seen)
        return stand and (not grounds.texts or _are_the_same(grounds.texts))

    def _seen(self, path: str) -> os.stat_result | None:
        """What lies there; None for nothing. Each is looked at once."""
        found = self._found
        if path not in found:
            try:
                found[path] = os.lstat(path)
            except OSError:
                found[path] = None
        return found[path]


def _are_the_same(texts: tuple[tuple[str, int, bool, bytes | None], ...]) -> bool:
    from sandgate.sandbox.file_bytes import read_bytes

    return all(read_bytes(path, limit, follows=follows) == text for path, limit, follows, text in texts)
