"""What Sandgate says to people while a command passes: one line a fact, nothing for a command that simply ran.

Denials are held back until it is clear that no prompt shows them.
"""

from __future__ import annotations

from errno import ENOSPC, EPIPE

from sandgate.protocol.trace import (
    ApprovalAnswered,
    ApprovalRequested,
    AutoReview,
    CommandBegan,
    CommandEnded,
    Notice,
    OutputLost,
    RefusedMeanwhile,
)
from sandgate.surfaces.cli import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.decisions import Attempt, Decision
    from sandgate.protocol.permissions import Grant
    from sandgate.protocol.trace import TraceRecord

MEANWHILE_SAID_MAX = 3  # of these, while it still runs
KEPT_MAX = 64  # lines about a command in a terminal of its own, until it has ended
WHY_SAID_CHARS = 300  # of a reason that came with a no


class Narrator:
    """Turns trace records into lines on stderr."""

    def __init__(self, *, asks_a_person: bool, verbose: bool, dialogue: bool = False) -> None:
        self._asks_a_person = asks_a_person
        self._dialogue = dialogue  # the command has a terminal of its own, so it runs once
        self._verbose = verbose
        self._held: list[str] = []
        self._kept: list[str] = []  # what came up while the command had the terminal
        self._runs = False
        self._told: set[str] = set()  # of the command that runs, about what was refused to it so far
        self._warned = False  # about the command that runs, or has just ended
        self._coped = False  # it ended well
        self._not_asked: set[str] = set()  # reasons that were told
        self.output_lost = False  # not all of it reached a reader that wanted it

    def __call__(self, record: TraceRecord) -> None:
        """Say what this record means, if anything."""
        match record:
            case CommandBegan():
                self._warned, self._runs = False, True
            case CommandEnded():
                self._runs = False
                self._ended(record.attempt)
            case RefusedMeanwhile():
                self._meanwhile(record)
            case ApprovalRequested() if self._asks_a_person:
                self._held.clear()
            case ApprovalAnswered():
                self._answered(record.decision)
            case AutoReview() if record.status != "in_progress":
                self._say(review_line(record))
            case OutputLost():
                self.output_lost = self.output_lost or _matters(record)
                self._say(record.message)
            case Notice():
                self._warned = self._warned or record.kind == "warning"
                self._say(f"warning: {record.message}" if record.kind == "warning" else record.message)
            case _:
                return

    def finish(self) -> None:
        """Say what was held back; of a command that ended well one line is enough, and a warning was one."""
        kept, self._kept = self._kept, []
        for line in kept if self._coped and self._warned else [*kept, *self._held]:
            self._say(line)
        self._held.clear()

    def forget(self) -> None:
        """Drop what was held back: it is said in other words."""
        self._held.clear()

    def _say(self, line: str) -> None:
        """At once; after its end where the command has the terminal: there it would stand in its picture."""
        if not self._dialogue or not self._runs:
            say.fact(line)
        elif len(self._kept) < KEPT_MAX:
            self._kept.append(line)

    def _meanwhile(self, record: RefusedMeanwhile) -> None:
        from sandgate.surfaces.cli.denied_lines import denied

        lines = [line for line in denied(record.denials, record.permissions, 0) if line not in self._told]
        lines = lines[: MEANWHILE_SAID_MAX - len(self._told)]
        if lines and record.inside_line:
            say.write(say.STDERR, "\n")
        for line in lines:
            say.fact(line)
        self._told.update(lines)

    def _untold(self, attempt: Attempt) -> list[str]:
        told, self._told = self._told, set()
        if told and attempt.final.exit_code == 0 and not self._verbose:
            return []  # it did without them, and one line about that would be one too many
        if not attempt.denial.denials and not attempt.denial.omitted:
            return []
        from sandgate.surfaces.cli.denied_lines import denial_lines

        return [line for line in denial_lines(attempt, verbose=self._verbose) if line not in told]

    def _ended(self, attempt: Attempt) -> None:
        self.finish()
        if self._verbose:
            layers = ", ".join(attempt.guarantees) or "no guarantees"
            say.fact(f"ran with backend {attempt.backend} ({layers}), allowed by {attempt.allowed_by}")
            from sandgate.surfaces.cli.place_lines import tmp_line

            if tmp := tmp_line(attempt.permissions):
                say.fact(tmp)
            from sandgate.display import visible

            for ruled in attempt.by_rules:
                say.fact(f"given: {ruled.grant.kind} {visible(ruled.grant.value)} ({visible(ruled.rule)})")
            for each in attempt.denial.did_without:
                say.fact(f"did without: {visible(each.words)}")
        self._held = self._untold(attempt)
        self._coped = attempt.final.exit_code == 0 and not self._verbose
        if self._held and self._dialogue:
            from sandgate.surfaces.cli.denied_lines import NO_DIALOGUE, ONE_YES

            self._held = [line.replace(ONE_YES, ONE_YES + NO_DIALOGUE) for line in self._held]
        if attempt.final.timed_out:
            say.fact(f"the time limit ended it after {attempt.final.duration_ms / 1000:.1f} s")

    def _answered(self, decision: Decision) -> None:
        if decision.source == "user" and not self._verbose:
            return
        self.finish()
        if decision.source == "none":
            # Before the first run, the refusal itself says so; in the middle of one there may be many.
            if decision.stage == "retry" or (decision.stage == "held" and decision.reason not in self._not_asked):
                self._not_asked.add(decision.reason)
                self._say(f"not asked: {decision.reason}")
        else:
            given = ", ".join(map(grant_words, decision.grants)) if decision.approved else ""
            # Where nothing has run, the refusal itself says why.
            why = decision.reason if decision.stage != "initial" and not decision.approved else ""
            from sandgate.display import one_line

            told = given or one_line(why, limit=WHY_SAID_CHARS)
            self._say(f"{decision.decision.replace('_', ' ')} by {decision.source}{': ' + told if told else ''}")


def _matters(lost: OutputLost) -> bool:
    """A reader that left has had enough, and a closed stderr is not wanted at all. All other output is missed."""
    return lost.errno == ENOSPC if lost.stream == "stderr" else lost.errno != EPIPE


def review_line(review: AutoReview) -> str:
    """The end of an automatic review. A failure and a missed deadline are not told as a judgement of the command."""
    if not review.risk_level:
        return f"automatic review {review.status.replace('_', ' ')}: {review.rationale}"
    levels = f"risk {review.risk_level}, authorization {review.user_authorization}"
    return f"automatic review {review.status} ({levels}): {review.rationale}"


def grant_words(grant: Grant) -> str:
    """What an approval gave or would give, in a few words."""
    return f"{grant.kind.replace('_', ' ')} {grant.value}".strip()
