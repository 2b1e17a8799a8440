"""Patches through the gate: verified, judged by the files they touch, shown, and applied exactly as shown.

A patch is a command that says beforehand what it will do. It takes the same way as any other: verdict, question, run,
denial, retry with the smallest grant. Its run happens in this process, held to the same permissions by the kernel
(`patch/directories.py`), so that it costs a fraction of a start.
"""

from __future__ import annotations

import os
from time import monotonic_ns

from sandgate.commandline.words import quoted
from sandgate.errors import CommandRefused, PatchDoesNotFit, PatchFailed
from sandgate.gate.escalation import COMMAND_REJECTED
from sandgate.gate.gate_request import GateRequest
from sandgate.patch.apply import UndoRecord, apply_plan, first_missing, operation_of, undo
from sandgate.patch.describe import described as described
from sandgate.patch.disk_lookup import Tree
from sandgate.patch.journal import recover
from sandgate.patch.parse import parse_partial, parse_patch
from sandgate.patch.plan import EMPTY as EMPTY
from sandgate.patch.plan import plan_patch
from sandgate.patch.report import success_text
from sandgate.policy.patches import blocked_directories, needed_grants, patch_verdict
from sandgate.protocol.commands import NS_PER_MS, CommandRequest, CommandResult
from sandgate.protocol.confinement import PATCH, AttemptOutcome
from sandgate.protocol.decisions import ApprovalKey, Passage
from sandgate.protocol.denials import Denial, Refused
from sandgate.protocol.permissions import Grant
from sandgate.protocol.trace import Notice, PatchBegan, PatchEnded
from sandgate.protocol.verdicts import Ask, Forbid
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from sandgate.gate.confinement import Confinement
    from sandgate.gate.gate import Gate
    from sandgate.gate.policies import Policies
    from sandgate.patch.hunks import Patch
    from sandgate.patch.plan import PatchPlan
    from sandgate.protocol.confinement import ConfinedCommand
    from sandgate.protocol.denials import DenialReport, Operation
    from sandgate.protocol.patches import FileChange
    from sandgate.protocol.permissions import EffectivePermissions
    from sandgate.protocol.risk import RiskAssessment
    from sandgate.protocol.trace import Recorder, TerminalStatus
    from sandgate.protocol.verdicts import Verdict

PATCH_REJECTED = "patch rejected by user"
JOURNALS_NAME = "patches"  # in Sandgate's own state directory
UNDO_BYTES_MAX = 64 << 20  # of both texts of all their files; a patch that is larger by itself cannot be taken back
UNDO_MAX = 64  # patches of a session that can be taken back; the oldest go first
NOT_ALLOWED = "Permission denied"


class PatchOutcome(Record):
    """What became of a patch: applied, impossible, refused, or it did not get as far (`unfit_patch`)."""

    call_id: str
    exit_code: int | None  # 0 or 1; None: refused
    output: str  # the text of success, failure or refusal
    changes: tuple[FileChange, ...]
    warnings: tuple[str, ...]
    duration_ms: int
    passage: Passage
    closed: tuple[Denial, ...] = ()  # where that is why nobody let it pass: what lies where nothing may be written


def unfit_patch(text: str, why: str, *, cwd: str, call_id: str) -> PatchOutcome:
    """The answer to what is no patch, or does not fit the files: no reviewer was asked, and nothing was tried."""
    passage = Passage(CommandRequest(argv=(PATCH, text), cwd=cwd, env={}), Forbid(why, ()))
    return PatchOutcome(call_id, 1, why, (), (), 0, passage)


class PatchGate:
    """Applies patches for one session."""

    def __init__(
        self,
        gate: Gate,
        policies: Policies,
        confinement: Confinement,
        record: Recorder,
        new_id: Callable[[], str],
        environ: Mapping[str, str],
    ) -> None:
        self._gate = gate
        self.policies = policies
        self._confinement = confinement
        self._record = record
        self._new_id = new_id
        self._environ = environ
        self._undo: dict[str, UndoRecord] = {}

    def plan(self, text: str, *, cwd: str, strict_unique: bool = False) -> PatchPlan:
        """What the patch would do; a file that may not be read is one that does not fit.

        Raises PatchError when it is not written in the patch language, PatchDoesNotFit when it and the files disagree.
        """
        return self._planned(parse_patch(text), self._confinement.permissions(), cwd=cwd, strict_unique=strict_unique)

    def so_far(self, text: str) -> Patch:
        """What a patch that is still being written says so far; for display. Raises PatchError."""
        return parse_partial(text)

    def apply(self, text: str, *, cwd: str, strict_unique: bool = False, call_id: str = "") -> PatchOutcome:
        """Verifies, asks if need be, applies. Raises what `plan` raises."""
        self._put_right()
        return self._pass(text, parse_patch(text), cwd, call_id, strict_unique=strict_unique)

    def apply_in_order(self, text: str, *, cwd: str) -> tuple[PatchOutcome, ...]:
        """Each hunk by itself, as tools do that are not all or nothing: the first that fails is the last.

        Raises what `plan` raises; what came before stays applied.
        """
        self._put_right()
        answers: list[PatchOutcome] = []
        patch = parse_patch(text)
        for hunk in patch.hunks:
            answers.append(self._pass(text, patch.but(hunks=(hunk,)), cwd))
            if answers[-1].exit_code != 0:
                break
        return tuple(answers)

    def undo(self, call_id: str, *, approved: bool = False) -> bool:
        """Takes an applied patch back; False when it is not known (any more). `approved`: a yes was given for it.

        Raises PatchDoesNotFit when a file was changed since, CommandRefused when it may not be written any more.
        """
        record = self._undo.get(call_id)
        if record is None:
            return False
        done = undo(record, self._confinement.permissions(), journal_directory=self._journals)
        if done.denied and approved:
            given = tuple(Grant("write_path", path) for _operation, path in done.denied)
            done = undo(record, self._confinement.permissions(given), journal_directory=self._journals)
        if done.denied:
            places = sorted({os.path.dirname(path) for _operation, path in done.denied})
            allowed = " ".join(f"--add-dir {quoted(place)}" for place in places)
            raise CommandRefused(
                f"patch not taken back: {_sentence(done.denied)}", hint=f"allow writing there again: `{allowed}`"
            )
        del self._undo[call_id]
        return True

    def undo_of(self, call_id: str) -> UndoRecord | None:
        """What takes that patch back, while it is known."""
        return self._undo.get(call_id)

    def know(self, call_id: str, record: UndoRecord) -> None:
        """A patch that was applied before this session went on can be taken back, too."""
        self._remember(call_id, record)

    def is_applied(self, call_id: str) -> bool:
        """Whether a patch of this call was applied, and can be taken back."""
        return call_id in self._undo

    def combined(self, call_ids: Sequence[str]) -> str:
        """What these patches have changed together, as far as they are known."""
        from sandgate.patch.combined import combined_diff

        known = [self._undo[call_id] for call_id in call_ids if call_id in self._undo]
        return combined_diff(write for record in known for write in record.done)

    def carry_out(
        self, call_id: str, plan: PatchPlan, confined: ConfinedCommand, grants: tuple[Grant, ...]
    ) -> AttemptOutcome:
        """One attempt at writing, within the permissions of `confined`, which was just made with these grants."""
        permissions = confined.permissions if confined.confined else None
        try:
            applied = apply_plan(
                plan,
                permissions,
                journal_directory=self._journals,
                others=self._confinement.permissions() if grants else confined.permissions,
            )
        except (PatchDoesNotFit, PatchFailed) as problem:
            return _outcome(1, str(problem))
        if applied.denied:
            refused = tuple(_refused(operation, path) for operation, path in applied.denied)
            return _outcome(1, _sentence(applied.denied)).but(refused=refused)
        self._confinement.approved_names.update(plan.touched)
        if applied.undo is not None:
            self._remember(call_id, applied.undo)
        return _outcome(0, success_text(plan))

    def _planned(
        self, patch: Patch, permissions: EffectivePermissions, *, cwd: str, strict_unique: bool = False
    ) -> PatchPlan:
        return plan_patch(patch, cwd=cwd, tree=Tree(permissions), strict_unique=strict_unique)

    def _put_right(self) -> None:
        for repaired in recover(self._journals):
            self._record(Notice("warning", repaired))

    def _pass(
        self, text: str, patch: Patch, cwd: str, call_id: str = "", *, strict_unique: bool = False
    ) -> PatchOutcome:
        """One look at the disk for what is judged, and one, after the answer to a question, for what is written."""
        permissions = self._confinement.permissions()
        plan = self._planned(patch, permissions, cwd=cwd, strict_unique=strict_unique)
        started_ns = monotonic_ns()
        call_id = call_id or self._new_id()
        command = CommandRequest(argv=(PATCH, text), cwd=cwd, env={})
        gate_request = self._gate_request(command, plan, permissions).but(call_id=call_id)
        passage = self._gate.pass_through(gate_request, _PatchRun(self, plan))
        self._tell(call_id, plan, passage)
        result = passage.result
        return PatchOutcome(
            call_id=call_id,
            exit_code=None if result is None else result.exit_code,
            output=_said(passage),
            changes=plan.changes,
            warnings=plan.warnings if result is not None and result.exit_code == 0 else (),
            duration_ms=(monotonic_ns() - started_ns) // NS_PER_MS,
            passage=passage,
            closed=self._closed(plan) if self._is_closed_out(passage) else (),
        )

    def foreseen(self, plan: PatchPlan) -> tuple[Verdict, tuple[Denial, ...]]:
        """What policy says of a plan now, and what of it lies where nothing may be written. No reviewer is asked."""
        return self._verdict(plan, self._confinement.permissions()), self._closed(plan)

    def _is_closed_out(self, passage: Passage) -> bool:
        """Whether its places alone are why it was refused: by policy, or because nobody was there to be asked."""
        if passage.refusal is None or passage.refusal.by == "policy":
            return passage.refusal is not None
        unanswered = any(decision.source == "none" for decision in passage.decisions)
        return unanswered and self.policies.approval != "untrusted"

    def _closed(self, plan: PatchPlan) -> tuple[Denial, ...]:
        permissions = self._confinement.permissions()
        grants = needed_grants(plan.changes, permissions, _leading(plan, permissions))
        operations = {write.path: operation_of(write) for write in plan.writes}
        first = {path: first_missing(path) if operations.get(path) == "create" else path for path in grants}
        return tuple(dict.fromkeys(
            Denial(operations.get(path, "write"), path, grant=grant) if first[path] == path
            else Denial("create", first[path], grant=Grant("write_path", first[path]))
            for path, grant in grants.items()
        ))  # fmt: skip

    @property
    def _journals(self) -> str:
        return f"{self._confinement.state_directory}/{JOURNALS_NAME}"

    def _gate_request(self, command: CommandRequest, plan: PatchPlan, permissions: EffectivePermissions) -> GateRequest:
        nowhere: frozenset[tuple[str, str]] = frozenset()
        places = _elsewhere(plan, command.cwd, permissions)
        keys = tuple(
            ApprovalKey(PATCH, (path, *filter(None, (places.get(path),))), "", nowhere, "use_default", False)
            for path in plan.touched
        )
        changes = tuple(_with_links(change, places) for change in plan.changes)

        def assess(denial: DenialReport | None) -> RiskAssessment:
            from sandgate.gate.risk import patch_assessed

            return patch_assessed(changes, command, denial, self._confinement, self._environ)

        return GateRequest(command, verdict=self._verdict(plan, permissions), keys=keys, changes=changes, assess=assess)

    def _verdict(self, plan: PatchPlan, permissions: EffectivePermissions) -> Verdict:
        policies = self.policies
        verdict = patch_verdict(
            plan.changes,
            approval=policies.approval,
            sandbox=policies.sandbox,
            permissions=permissions,
            backend_available=True,  # it is this process that is held back, by openat2
            resolved=_leading(plan, permissions),
        )
        if isinstance(verdict, Ask):
            grants: tuple[Grant, ...] = blocked_directories(plan.changes, permissions)
            return verdict.but(grants=grants)
        return verdict

    def _remember(self, call_id: str, record: UndoRecord) -> None:
        self._undo[call_id] = record
        while len(self._undo) > UNDO_MAX or (
            self._undo and sum(map(record_bytes, self._undo.values())) > UNDO_BYTES_MAX
        ):
            del self._undo[next(iter(self._undo))]

    def _tell(self, call_id: str, plan: PatchPlan, passage: Passage) -> None:
        status: TerminalStatus = "declined"
        stdout = stderr = ""
        if passage.attempts:
            result = passage.attempts[-1].final
            status = "completed" if result.exit_code == 0 else "failed"
            stdout, stderr = result.stdout.decode("utf-8", "replace"), result.stderr.decode("utf-8", "replace")
        elif passage.refusal is not None:
            stderr = passage.refusal.why
        asked = any(decision.source != "cache" for decision in passage.decisions)
        self._record(PatchBegan(call_id, plan.changes, auto_approved=not asked))
        self._record(PatchEnded(call_id, plan.changes, stdout, stderr, status))


def record_bytes(record: UndoRecord) -> int:
    """How many bytes of files a record keeps."""
    states = (state for write in record.writes for state in (write.before, write.after))
    return sum(len(state.content) for state in states if state is not None)


def _leading(plan: PatchPlan, permissions: EffectivePermissions) -> dict[str, str]:
    """Where each path of a patch leads, as commands see it."""
    tmp = permissions.private_tmp
    return {write.path: write.place if tmp is None else tmp.inside(write.place) for write in plan.writes}


def _elsewhere(plan: PatchPlan, cwd: str, permissions: EffectivePermissions) -> dict[str, str]:
    """The paths that a link makes lead elsewhere, and where. A link above the working directory is the person's own."""
    real, below = os.path.realpath(cwd).rstrip("/"), cwd.rstrip("/") + "/"
    leading = _leading(plan, permissions)
    meant = {path: f"{real}/{path.removeprefix(below)}" if path.startswith(below) else path for path in leading}
    return {path: place for path, place in leading.items() if place not in (path, meant[path])}


def _with_links(change: FileChange, places: Mapping[str, str]) -> FileChange:
    links = tuple((path, places[path]) for path in (change.path, change.move_path) if path and path in places)
    return change.but(links=links) if links else change


class _PatchRun:
    """A `gate.Launcher` that writes instead of starting anything."""

    def __init__(self, gate: PatchGate, plan: PatchPlan) -> None:
        self._gate = gate
        self._plan = plan
        self._grants: tuple[Grant, ...] = ()  # of the plan that comes next

    def expect(self) -> None:
        return

    def get_ready(self, grants: tuple[Grant, ...]) -> None:  # nothing can be left to it
        self._grants = grants  # no name has to exist before it is written

    def when_held(self, _ask: object, /) -> bool:
        return False  # it makes no calls

    def stand_down(self) -> None:
        return

    def __call__(self, call_id: str, plan: ConfinedCommand) -> AttemptOutcome:
        return self._gate.carry_out(call_id, self._plan, plan, self._grants)


def _said(passage: Passage) -> str:
    if passage.result is not None:
        return passage.result.aggregated.decode("utf-8", "surrogateescape")
    why = passage.refusal.why if passage.refusal is not None else ""
    return PATCH_REJECTED if why == COMMAND_REJECTED else f"patch rejected: {why}"


def _outcome(exit_code: int, text: str) -> AttemptOutcome:
    said = text.encode("utf-8", "surrogateescape")
    stdout, stderr = (said, b"") if exit_code == 0 else (b"", said)
    result = CommandResult(exit_code, None, "exited", stdout, stderr, said)
    return AttemptOutcome(result=result, reported=True, layers=("openat2",))


def _refused(operation: Operation, path: str) -> Refused:
    return Refused(operation, "openat2", path=path, errno="EACCES", layer="mount", program=PATCH)


def _sentence(denied: tuple[tuple[Operation, str], ...]) -> str:
    return "\n".join(f"Failed to {operation} {path}: {NOT_ALLOWED}" for operation, path in denied)
