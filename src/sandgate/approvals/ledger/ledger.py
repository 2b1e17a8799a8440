"""Open questions and their answers on the disk: what was asked outlives who asked it, and one answer counts.

A directory of small files, named by the id of the question: the question, its answer, and a mark that a caller has
used the answer. Each is written whole and once (`private_files`), so the first answer wins and one caller alone may act
on it, among any number of processes and across crashes. There is no lock and no index that could be out of step.
Confined commands can neither read nor write the directory (`sandbox.roots`), or they could approve themselves.
"""

from __future__ import annotations

import errno
import os
import time

from sandgate.approvals import private_files
from sandgate.approvals.ledger.pending import (
    ID_BYTES,
    ID_CHARS,
    UNANSWERED,
    Resolution,
    decoded,
    decoded_advice,
    decoded_resolution,
    encoded,
    encoded_advice,
    encoded_resolution,
    is_approval_id,
    misfit,
)
from sandgate.approvals.private_files import UNFINISHED
from sandgate.display import one_line, visible
from sandgate.errors import AlreadyDecided, ApprovalExpired, ApprovalsUnusable, RequestError, UnknownApproval
from sandgate.kernel.inotify import DirectoryWatch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sandgate.approvals.ledger.pending import AnsweredBy, PendingApproval

PENDING_MAX = 1024  # open questions in one directory; a few more when many ask at the same moment
FILES_MAX = 32_768  # in one directory, answered questions and their marks included
REASON_CHARS_MAX = 4096
PREFIX_CHARS_MIN = 4  # of an id; a shorter one may have come to mean another question since it was read
CANDIDATES_SHOWN = 8
USABLE_AFTER_S = 900  # an answer may be acted on this long after its question has ended
KEPT_S = 86_400  # records stay this long after the end of their question
SWEPT_MAX = 64  # questions that one sweep looks at, or opening the ledger would take noticeable time
UNFINISHED_KEPT_S = 3600  # a writer that takes longer was killed
LOOK_AGAIN_MS = 500  # where the kernel does not tell when the directory changes
KEY, KEY_BYTES = "digest.key", 32
QUESTION, ANSWER, USED = ".question", ".answer", ".used"
ADVICE = ".advice"  # words that came after the question was asked; no part of what an answer approves


class Ledger:
    """The records in one directory. Processes and threads may share it.

    Raises ConfigError for a directory that is not ours alone to write. Every method raises ApprovalsUnusable
    where a record it needs is damaged or cannot be kept.
    """

    def __init__(self, directory: str, *, now: Callable[[], float] = time.time) -> None:
        self.directory = directory
        self._now = now
        self._fd = private_files.opened_directory(directory)
        self._key = b""

    @property
    def key(self) -> bytes:
        """Of this directory, for digests of what must not be guessed from them."""
        if not self._key:
            private_files.written_once(self._fd, KEY, os.urandom(KEY_BYTES))
            self._key = private_files.content(self._fd, KEY) or b""
        if len(self._key) != KEY_BYTES:
            raise ApprovalsUnusable(f"the key in `{visible(self.directory)}` is damaged", hint=f"remove `{KEY}` there")
        return self._key

    def close(self) -> None:
        """Nothing can be asked of it any more. May be repeated."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def watch(self) -> DirectoryWatch:
        """Tells of new questions, answers and marks. OSError where that is not to be had: look every LOOK_AGAIN_MS."""
        return DirectoryWatch(self.directory)

    def ask(self, approval: PendingApproval) -> None:
        """Keeps the question, for good. Raises RequestError over PENDING_MAX, or for an id that is taken."""
        data = encoded(approval)
        if len(data) > private_files.FILE_BYTES_MAX:
            raise RequestError(
                "cannot ask for this approval", why=f"it takes more than {private_files.FILE_BYTES_MAX} bytes"
            )
        self._require_room()
        if not private_files.written_once(self._fd, approval.approval_id + QUESTION, data):
            raise RequestError(f"there is a question `{approval.approval_id}` already")

    def resolve(
        self,
        approval_id: str,
        decision: str,
        *,
        by: AnsweredBy,
        digest: str,
        reason: str = "",
        until: str = "",
        uses: int = 0,
    ) -> Resolution:
        """The answer that stands, if it is this one; the first wins.

        Raises UnknownApproval, ApprovalExpired, AlreadyDecided for another answer that stands, and RequestError for a
        digest that is not the question's and a decision it does not offer.
        """
        approval = self._known(approval_id)
        if digest != approval.digest:
            raise RequestError(
                f"the question `{approval_id}` is not the one that was answered",
                why="its digest is another",
                hint="look at it again before deciding",
            )
        wanted = Resolution(decision, by, digest, float(self._now()), reason[:REASON_CHARS_MAX], until, uses)
        standing = self._standing(approval)
        if standing is None:
            _require_possible(approval, wanted)
            if private_files.written_once(self._fd, approval_id + ANSWER, encoded_resolution(wanted)):
                return wanted
            standing = self._standing(approval)
        if standing is None:
            raise _unknown(approval_id)  # swept in between
        if standing.decision != decision:
            raise _decided(approval, standing)
        return standing

    def get(self, approval_id: str) -> PendingApproval | None:
        """The question of that id, open or not."""
        if not is_approval_id(approval_id):
            return None
        data = private_files.content(self._fd, approval_id + QUESTION)
        if data is None:
            return None
        approval = decoded(data)
        if approval.approval_id != approval_id:
            raise ApprovalsUnusable(
                f"the question `{approval_id}` is damaged and does not count", why="it has another id"
            )
        return approval

    def find(self, prefix: str) -> PendingApproval:
        """The one question whose id begins like that, open or not. Raises UnknownApproval for none and for several."""
        wanted = prefix.lower()
        if len(wanted) < PREFIX_CHARS_MIN or not ID_CHARS.issuperset(wanted):
            raise UnknownApproval(
                f"`{visible(prefix, limit=CANDIDATES_SHOWN * ID_BYTES)}` is no id of a question",
                hint=f"give at least its first {PREFIX_CHARS_MIN} characters, as `sandgate approvals list` shows them",
            )
        found = sorted(name for name in self.survey()[0] if name.startswith(wanted))
        if len(found) > 1:
            more = "" if len(found) <= CANDIDATES_SHOWN else " and more"
            raise UnknownApproval(
                f"`{wanted}` is the beginning of {len(found)} ids", hint=f"{', '.join(found[:CANDIDATES_SHOWN])}{more}"
            )
        if not found:
            raise _unknown(wanted)
        return self._known(found[0])

    def resolution(self, approval_id: str) -> Resolution | None:
        """The answer that stands; None while there is none, and for an unknown question."""
        approval = self.get(approval_id)
        return None if approval is None else self._standing(approval)

    def advise(self, approval_id: str, lines: tuple[str, ...]) -> None:
        """Words for the reviewer, kept beside the question, which may come to be there only later. Once."""
        if not is_approval_id(approval_id):
            raise _unknown(approval_id)
        private_files.written_once(self._fd, approval_id + ADVICE, encoded_advice(lines))

    def advice(self, approval_id: str) -> tuple[str, ...]:
        """What `advise` was given; empty where nothing was, or nothing that can be read: it decides nothing."""
        try:
            data = private_files.content(self._fd, approval_id + ADVICE) if is_approval_id(approval_id) else None
            return () if data is None else decoded_advice(data)
        except ApprovalsUnusable:
            return ()

    def advised(self) -> frozenset[str]:
        """The ids that words were given for."""
        return _ids(self._names(), ADVICE)

    def pending(self) -> tuple[PendingApproval, ...]:
        """The questions that can still be answered, oldest first. Damaged ones are left out; see `damaged`."""
        return self._open_and_damaged()[0]

    def damaged(self) -> tuple[str, ...]:
        """A sentence for each question without an answer that cannot be read."""
        return self._open_and_damaged()[1]

    def survey(self) -> tuple[frozenset[str], frozenset[str]]:
        """The ids of all questions, and of those that have an answer."""
        names = self._names()
        asked, answered = _ids(names, QUESTION), _ids(names, ANSWER)
        return asked, asked & answered

    def consume(self, approval_id: str) -> bool:
        """True for exactly one caller ever, who may now run what was approved, once.

        False for all others, for a refusal, and for what is unknown, undecided, or over for longer than USABLE_AFTER_S.
        """
        approval = self.get(approval_id)
        standing = None if approval is None else self._standing(approval)
        if approval is None or standing is None or not standing.allows:
            return False
        if self._now() > approval.expires_at + USABLE_AFTER_S:
            return False
        return private_files.marked_once(self._fd, approval_id + USED)

    def sweep(self, now: float | None = None) -> int:
        """Removes what ended more than KEPT_S ago, among SWEPT_MAX questions from anywhere; how many it were.

        Answers go first and marks last, each for good before the next: whatever interrupts it, no answer outlives
        the mark that it was used.
        """
        at = self._now() if now is None else now
        names = self._names()
        self._remove(
            name for name in names if name.startswith(UNFINISHED) and self._is_older(name, at - UNFINISHED_KEPT_S)
        )
        ids = sorted(frozenset().union(*(_ids(names, suffix) for suffix in (QUESTION, ANSWER, USED, ADVICE))))
        start = int.from_bytes(os.urandom(4)) % len(ids) if len(ids) > SWEPT_MAX else 0
        over = [each for each in (ids[start:] + ids[:start])[:SWEPT_MAX] if self._is_over(each, at)]
        if over:
            self._remove(each + ADVICE for each in _ids(names, ADVICE).intersection(over))
            for suffix in (ANSWER, QUESTION, USED):
                self._remove(each + suffix for each in over)
                os.fsync(self._fd)
        return len(over)

    def _open_and_damaged(self) -> tuple[tuple[PendingApproval, ...], tuple[str, ...]]:
        asked, answered = self.survey()
        now = self._now()
        found: list[PendingApproval] = []
        wrong: list[str] = []
        for approval_id in sorted(asked - answered):
            try:
                approval = self.get(approval_id)
            except ApprovalsUnusable as problem:
                wrong.append(f"{approval_id}: {problem}")
                continue
            if approval is not None and approval.expires_at >= now:
                found.append(approval)
        return tuple(sorted(found, key=lambda approval: approval.asked_at)), tuple(wrong)

    def _known(self, approval_id: str) -> PendingApproval:
        approval = self.get(approval_id)
        if approval is None:
            raise _unknown(approval_id)
        return approval

    def _standing(self, approval: PendingApproval) -> Resolution | None:
        data = private_files.content(self._fd, approval.approval_id + ANSWER)
        return None if data is None else decoded_resolution(data, approval)

    def _require_room(self) -> None:
        names = self._names()
        # Counted by name first: reading a thousand questions for each new one would be the attack it stops.
        if len(_ids(names, QUESTION) - _ids(names, ANSWER)) >= PENDING_MAX and len(self.pending()) >= PENDING_MAX:
            raise RequestError(
                f"cannot ask: {PENDING_MAX} questions wait for an answer already",
                hint="answer some, or let them expire",
            )
        if len(names) >= FILES_MAX and not self.sweep():
            raise RequestError(
                f"cannot ask: there are {FILES_MAX} records already", hint="they go a day after their end"
            )

    def _names(self) -> list[str]:
        try:
            # A descriptor of its own: copies of one share their place in the listing, and threads list at once.
            directory = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=self._open_fd())
            try:
                return os.listdir(directory)
            finally:
                os.close(directory)
        except OSError as problem:
            raise ApprovalsUnusable(
                f"cannot look into `{visible(self.directory)}`", why=str(problem.strerror)
            ) from problem

    def _open_fd(self) -> int:
        if self._fd < 0:  # -1 would stand for the working directory
            raise OSError(errno.EBADF, "it was closed")
        return self._fd

    def _is_over(self, approval_id: str, at: float) -> bool:
        """What cannot be read does not say when it ends; it counts for nothing, and goes by its age."""
        try:
            approval = self.get(approval_id)
        except ApprovalsUnusable:
            approval = None
        if approval is not None:
            return approval.expires_at + KEPT_S < at
        return all(self._is_older(approval_id + suffix, at - KEPT_S) for suffix in (QUESTION, ANSWER, USED, ADVICE))

    def _is_older(self, name: str, than: float) -> bool:
        changed = private_files.changed_at(self._fd, name)
        return changed is None or changed < than

    def _remove(self, names: Iterable[str]) -> None:
        for name in names:
            private_files.removed(self._fd, name)


def _ids(names: list[str], suffix: str) -> frozenset[str]:
    found = (name.removesuffix(suffix) for name in names if name.endswith(suffix))
    return frozenset(filter(is_approval_id, found))


def _require_possible(approval: PendingApproval, wanted: Resolution) -> None:
    if wanted.by not in UNANSWERED and wanted.at > approval.expires_at:
        raise ApprovalExpired(
            f"the question `{approval.approval_id}` is over", why="nobody answered in time", hint="have it asked again"
        )
    why = misfit(approval, wanted)
    if why:
        offered = ", ".join(visible(name) for name, _label in approval.choices)
        raise RequestError(
            f"`{visible(wanted.decision, limit=64)}` cannot answer the question `{approval.approval_id}`",
            why=why,
            hint=f"it offers: {offered}",
        )


def _decided(approval: PendingApproval, standing: Resolution) -> AlreadyDecided:
    reason = f" ({one_line(standing.reason, limit=200)})" if standing.reason else ""
    return AlreadyDecided(
        f"the question `{approval.approval_id}` is decided already",
        why=f"the answer that stands is `{visible(standing.decision)}`, by {standing.by}{reason}",
    )


def _unknown(approval_id: str) -> UnknownApproval:
    return UnknownApproval(
        f"there is no question `{visible(approval_id, limit=64)}`",
        why="it was never asked here, or it is long over",
        hint="`sandgate approvals list` shows the open ones",
    )
