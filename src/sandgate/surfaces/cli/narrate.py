"""What Sandgate says to people while a command passes: one line a fact, nothing for a command that simply ran.

Denials are held back until it is clear that no prompt shows them.
"""

from __future__ import annotations

from errno import ENOSPC, EPIPE
from stat import S_ISREG

from sandgate.display import one_line, visible
from sandgate.places.run_later import ending_form
from sandgate.protocol.trace import (
    ApprovalAnswered,
    ApprovalRequested,
    AutoReview,
    CommandEnded,
    Notice,
    OutputLost,
    RefusedMeanwhile,
)
from sandgate.surfaces.cli import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandgate.protocol.decisions import Attempt, Decision
    from sandgate.protocol.denials import Denial
    from sandgate.protocol.permissions import EffectivePermissions, Grant
    from sandgate.protocol.trace import TraceRecord

DENIALS_SAID_MAX = 12  # lines about denials of one attempt
MEANWHILE_SAID_MAX = 3  # of these, while it still runs
UNWATCHED = "nothing watched; judged from the command's own message"
# Where every option would open more than the command wants; under this policy what was stopped is asked about.
MAKES_DIRECTORIES = ("mkdir", "mkdirat")
ONE_YES = "-a on-failure --answer approve"
NO_DIALOGUE = ", and without --tty: what was typed into a dialogue is not typed again"
WHY_SAID_CHARS = 300  # of a reason that came with a no
PLACES_SAID_MAX = 6  # named in one line


class Narrator:
    """Turns trace records into lines on stderr."""

    def __init__(self, *, asks_a_person: bool, verbose: bool, dialogue: bool = False) -> None:
        self._asks_a_person = asks_a_person
        self._dialogue = dialogue  # the command has a terminal of its own, so it runs once
        self._verbose = verbose
        self._held: list[str] = []
        self._told: set[str] = set()  # of the command that runs, about what was refused to it so far
        self.output_lost = False  # not all of it could be passed on, and nobody wanted that

    def __call__(self, record: TraceRecord) -> None:
        """Say what this record means, if anything."""
        match record:
            case CommandEnded():
                self._ended(record.attempt)
            case RefusedMeanwhile():
                self._meanwhile(record)
            case ApprovalRequested() if self._asks_a_person:
                self._held.clear()
            case ApprovalAnswered():
                self._answered(record.decision)
            case AutoReview() if record.status != "in_progress":
                say.fact(review_line(record))
            case OutputLost():
                self.output_lost = self.output_lost or _matters(record)
                say.fact(record.message)
            case Notice():
                say.fact(f"warning: {record.message}" if record.kind == "warning" else record.message)
            case _:
                return

    def finish(self) -> None:
        """Say what was held back."""
        for line in self._held:
            say.fact(line)
        self._held.clear()

    def _meanwhile(self, record: RefusedMeanwhile) -> None:
        lines = [line for line in _denied(record.denials, record.permissions, 0) if line not in self._told]
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
        return [line for line in denial_lines(attempt, verbose=self._verbose) if line not in told]

    def _ended(self, attempt: Attempt) -> None:
        self.finish()
        if self._verbose:
            layers = ", ".join(attempt.guarantees) or "no guarantees"
            say.fact(f"ran with backend {attempt.backend} ({layers}), allowed by {attempt.allowed_by}")
            if tmp := tmp_line(attempt.permissions):
                say.fact(tmp)
        self._held = self._untold(attempt)
        if self._dialogue:
            self._held = [line.replace(ONE_YES, ONE_YES + NO_DIALOGUE) for line in self._held]
        if attempt.final.timed_out:
            say.fact(f"the time limit ended it after {attempt.final.duration_ms / 1000:.1f} s")

    def _answered(self, decision: Decision) -> None:
        if decision.source == "user" and not self._verbose:
            return
        self.finish()
        if decision.source == "none":
            if decision.stage == "retry":  # before the first run, the refusal itself says so
                say.fact(f"not asked: {decision.reason}")
        else:
            given = ", ".join(map(grant_words, decision.grants)) if decision.approved else ""
            # Where nothing has run, the refusal itself says why.
            why = decision.reason if decision.stage == "retry" and not decision.approved else ""
            told = given or one_line(why, limit=WHY_SAID_CHARS)
            say.fact(f"{decision.decision.replace('_', ' ')} by {decision.source}{': ' + told if told else ''}")


def _matters(lost: OutputLost) -> bool:
    """A reader that left has had enough, and who closes stderr wants nothing of it. All other output is missed."""
    return lost.errno == ENOSPC if lost.stream == "stderr" else lost.errno != EPIPE


def review_line(review: AutoReview) -> str:
    """The end of an automatic review. A failure and a missed deadline are not told as a judgement of the command."""
    if not review.risk_level:
        return f"automatic review {review.status.replace('_', ' ')}: {review.rationale}"
    levels = f"risk {review.risk_level}, authorization {review.user_authorization}"
    return f"automatic review {review.status} ({levels}): {review.rationale}"


def denial_lines(attempt: Attempt, *, verbose: bool = False) -> list[str]:
    """`denied: …` lines of one attempt, and how to grant what was missing."""
    denials, permissions = attempt.denial.denials, attempt.permissions
    if attempt.final.exit_code == 0 and not verbose:
        # What programs ask for only to learn what there is.
        told = [each for each in denials if each.operation != "other" or each.path is not None]
        return _coped_with(told, permissions, attempt.denial.omitted)
    return refused_lines(denials, permissions, omitted=attempt.denial.omitted)


def refused_lines(denials: Sequence[Denial], permissions: EffectivePermissions, *, omitted: int = 0) -> list[str]:
    """What these permissions refuse and why, and the options that would open it; `omitted`: of more, the number."""
    hints = dict.fromkeys(hint for denial in denials if (hint := grant_hint(denial, permissions)))
    allowing = [f"grant it once with: {hint}" for hint in list(hints)[:DENIALS_SAID_MAX]]
    return _denied(denials, permissions, omitted) + allowing


def _coped_with(denials: Sequence[Denial], permissions: EffectivePermissions, omitted: int) -> list[str]:
    """One line at most: it went well without all of these, and nothing needs to be opened for it."""
    more = len(denials) - 1 + omitted
    if more < 1 or not denials:
        return _denied(denials, permissions, omitted)
    return [f"denied: {_object(denials[0])} and {more} more, which it could do without (-v shows them)"]


def _denied(denials: Sequence[Denial], permissions: EffectivePermissions, omitted: int) -> list[str]:
    lines = [f"denied: {_object(denial)} ({_why(denial, permissions)})" for denial in denials[:DENIALS_SAID_MAX]]
    more = len(denials) - len(lines) + omitted
    return [*lines, f"denied: {more} more"] if more > 0 else lines


def grant_hint(denial: Denial, permissions: EffectivePermissions) -> str:
    """The option that gives this grant on the next run; empty when there is none."""
    grant = denial.grant
    if grant is None:
        return _directory_hint(denial, permissions)
    if any(_is_or_below(grant.value, name) for name in permissions.absent):
        return ONE_YES  # protected by its name, which no option opens
    match grant.kind:
        case "write_root" | "write_path" if not permissions.writable:
            return "-s workspace-write"
        case "write_root" if permissions.may_write(grant.value):
            return ""  # it is open already; something else stands in the way
        case _:
            from sandgate.surfaces.cli.allowing import git_options, option

            if together := git_options(denial, workspaces=permissions.writable):
                return together
            is_new = denial.operation == "create" and grant.value == denial.path
            if is_new and any(_is_or_below(grant.value, place) for place in permissions.hidden):
                return ONE_YES  # an option would open the closed directory around it
            return option(grant, new=is_new, workspaces=permissions.writable) or ONE_YES


def _directory_hint(denial: Denial, permissions: EffectivePermissions) -> str:
    """For a directory that was to be made in a closed one: that alone can be opened once it is there."""
    path = denial.path or ""
    closed = [place for place in permissions.hidden if _is_or_below(path, place)]
    if denial.operation != "create" or denial.syscall not in MAKES_DIRECTORIES or not closed:
        return ""
    if any(_is_or_below(path, place) for place in (*permissions.sealed, *permissions.own)) or not permissions.writable:
        return ""
    from sandgate.commandline.words import quoted

    return f"--add-dir {quoted(path + '/')}"


def _object(denial: Denial) -> str:
    doubt = "" if denial.certain else " (likely)"
    return f"{denial.words}{doubt}"


def _why(denial: Denial, permissions: EffectivePermissions) -> str:
    path = denial.path
    if denial.why:
        return denial.why
    if denial.address is not None:
        closed = permissions.network != "off" or denial.address.startswith("unix:")
        return "this socket is closed to the sandbox" if closed else "the network is off"
    if path is None:
        return _answer(denial) if denial.certain else UNWATCHED
    if denial.operation == "read" and any(_is_or_below(path, place) for place in permissions.sealed):
        return "Sandgate's own files stay its own, whatever is granted"
    if denial.operation == "read":
        return "closed: a secret, or not known to be harmless"
    if ending_form(path) in permissions.absent or any(
        _is_or_below(path, name) for name in (*permissions.read_only, *permissions.absent)
    ):
        what = "it, or what it is another name of," if _has_other_names(path) else "it"
        return f"protected: {what} can run code outside the sandbox later"
    if permissions.may_write(path):
        return _answer(denial)
    if not permissions.writable:
        return "the sandbox is read-only"
    return f"outside the writable roots: {listed(permissions.open_places)}"


def _answer(denial: Denial) -> str:
    return f"the sandbox answered {denial.errno or 'no'}"


def _has_other_names(path: str) -> bool:
    from os import lstat

    try:
        about = lstat(path)
    except OSError:
        return False
    return about.st_nlink > 1 and S_ISREG(about.st_mode)


def listed(places: tuple[str, ...]) -> str:
    """A handful of them, and how many more there are."""
    more = len(places) - PLACES_SAID_MAX
    return ", ".join(places if more <= 0 else (*places[:PLACES_SAID_MAX], f"and {more} more"))


def _is_or_below(path: str, root: str) -> bool:
    return path == root or path.startswith(root.rstrip("/") + "/")


def grant_words(grant: Grant) -> str:
    """What an approval gave or would give, in a few words."""
    return f"{grant.kind.replace('_', ' ')} {grant.value}".strip()


def tmp_line(permissions: EffectivePermissions) -> str:
    """Where on this machine that lies which the command had for scratch files; nothing where /tmp is the host's."""
    words = scratch_words(permissions)
    return words and f"its {words}"


def scratch_words(permissions: EffectivePermissions) -> str:
    """The place for scratch files as a command calls it, and where it lies; "" where /tmp is the host's."""
    if permissions.scratch:
        return f"$TMPDIR: {visible(permissions.scratch)}"
    tmp = permissions.private_tmp
    return "" if tmp is None else f"{tmp.at}: {visible(tmp.source) or 'in memory, gone with the command'}"


def home_line(closed: Sequence[str]) -> str:
    """What commands see of the home, and how to open more. `closed` are the entries closed now."""
    now = f"{len(closed)} {'entry is' if len(closed) == 1 else 'entries are'} closed now"
    return f'home: closed unless known to be harmless; {now} (to open one: secrets.opened = ["~/.NAME"])'
