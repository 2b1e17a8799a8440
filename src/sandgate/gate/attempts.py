"""What one run came to: what the sandbox says about it, whether it failed, and why it never started."""

from __future__ import annotations

from sandgate.display import visible
from sandgate.errors import DirectoryMissing, ProgramNotExecutable, ProgramNotFound, SetupFailed
from sandgate.gate.approval_state import check_place
from sandgate.protocol.confinement import ExecFailure, SetupFailure
from sandgate.protocol.denials import DenialReport

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.policy.rules import NetworkRule
    from sandgate.protocol.commands import CommandRequest, CommandResult
    from sandgate.protocol.confinement import AttemptOutcome, ConfinedCommand
    from sandgate.protocol.decisions import Attempt, Decision, DecisionSource, HeldQuestion
    from sandgate.protocol.permissions import Grant

    Closed = Callable[[Grant], str]  # the rule that forbids it; "": none
    HeldBefore = tuple[HeldQuestion, ...]

# Whose no it is; a cache passes on what a person said to the same question.
NO_WORDS: dict[DecisionSource, str] = {
    "user": "the user",
    "cache": "the user",
    "script": "the prepared answer",
    "automated_reviewer": "the automatic reviewer",
}
CLOSED = "the {} forbids it"
LOCKED_SHOWN_MAX = 3  # names of locked files in one line
ERRNO_WORDS = {
    "EACCES": "permission denied, or it is a directory",
    "EISDIR": "it is a directory",
    "ENOEXEC": "the kernel does not know its format",
    "ENOENT": "it does not exist",
    "ENOTDIR": "a part of the path is no directory",
}


def explained(plan: ConfinedCommand, outcome: AttemptOutcome) -> DenialReport:
    """What the sandbox says about an attempt. Silence of a layer that watched to the end needs no looking into."""
    clean = outcome.reported and not outcome.refused and not outcome.refused_omitted
    if clean and outcome.result is not None and outcome.result.exit_code == 0:
        return DenialReport("not_denied")
    if outcome.result is None and not outcome.refused:
        return DenialReport("not_denied")
    from sandgate.sandbox.denial import explain

    return explain(plan, outcome)


def locked_outside(paths: tuple[str, ...]) -> str:
    """What is told about locks that were not refused."""
    shown = ", ".join([f"`{visible(path)}`" for path in paths[:LOCKED_SHOWN_MAX]])
    more = f" and {len(paths) - LOCKED_SHOWN_MAX} more" if len(paths) > LOCKED_SHOWN_MAX else ""
    return f"it locked {shown}{more} outside the writable places; a process that wanted one had to wait for the command"


def closed_to_it(plan: ConfinedCommand, report: DenialReport, *, failed: bool, output: bytes = b"") -> str | None:
    """What a command uses, and could not see: where it failed, named it, or may have fetched from elsewhere.

    `output` is what it said, for the names of variables.
    """
    fetches = plan.confined and (plan.permissions.network == "on" or bool(plan.permissions.hosts))
    if fetches:
        from sandgate.places.package_sources import may_fetch

        fetches = may_fetch(plan.argv)
    names = plan.confined and _may_name_a_copy(plan)
    if not plan.confined or not (failed or fetches or names):
        return None
    from sandgate.sandbox.closed_entries import closed_to, fetched_without, not_passed_on, seen_in_part

    missed = (fetched_without(plan) if fetches else None) or (seen_in_part(plan, report) if names else None)
    if missed or not failed:
        return missed
    from sandgate.sandbox.foreign_owners import others_files

    return not_passed_on(plan, output) or others_files(plan, output) or closed_to(plan, report)


def _may_name_a_copy(plan: ConfinedCommand) -> bool:
    """Whether its words have the name of a file that is shown in part; cheap, since every command is asked."""
    return any(place.rpartition("/")[2] in word for place, _ in plan.permissions.copies for word in plan.argv)


def without_forbidden_hosts(report: DenialReport, network: tuple[NetworkRule, ...]) -> DenialReport:
    """An address or a name that a rule forbids is denied for good: nothing is offered that would open it."""
    if not network or not report.denied:
        return report
    from sandgate.policy.rules.network import forbidding

    return report.but(
        denials=tuple(
            each.but(grant=None)
            if each.grant is not None
            and each.grant.kind == "host"
            and (forbidding(each.grant.value, network) or forbidding(each.address or "", network))
            else each
            for each in report.denials
        )
    )


def without_closed_places(report: DenialReport, closed: Closed) -> DenialReport:
    """What a rule forbids is denied for good: nothing is offered that would open it, and the rule is named."""
    if not report.denied:
        return report
    found = [next(filter(None, map(closed, each.grants)), "") for each in report.denials]
    if not any(found):
        return report
    told = zip(report.denials, found, strict=True)
    return report.but(
        denials=tuple([each.but(grant=None, also=(), why=CLOSED.format(by)) if by else each for each, by in told])
    )


def refused_in(
    plan: ConfinedCommand,
    outcome: AttemptOutcome,
    network: tuple[NetworkRule, ...],
    closed: Closed,
    held: HeldBefore,
) -> DenialReport:
    """What the sandbox says about an attempt, what rules forbid for good, and who said no while it ran."""
    report = without_forbidden_hosts(explained(plan, outcome), network)
    return with_answers(without_closed_places(report, closed), held)


def with_answers(report: DenialReport, held: HeldBefore) -> DenialReport:
    """What somebody said no to in the middle of the run says so, instead of how it could be had."""
    if not held:
        return report
    told = {each.denial.words: no_words(each.decision) for each in held if not each.decision.approved}
    denials = [each.but(grant=None, why=said) if (said := told.get(each.words)) else each for each in report.denials]
    return report.but(denials=tuple(denials))


def with_performed(
    attempt: Attempt, outcome: AttemptOutcome, plan: ConfinedCommand, session: tuple[Grant, ...]
) -> Attempt:
    """The attempt with what was carried out for it, and on whose word; `session`: what all commands were given."""
    from sandgate.gate.performed_calls import allowed_by_whom

    told = allowed_by_whom(attempt, outcome, plan, session)
    return attempt.but(performed=told, performed_omitted=outcome.performed_omitted)


def no_words(decision: Decision) -> str:
    """Who said no, or why; "" where nobody did."""
    if decision.approved or decision.source not in NO_WORDS:
        return ""
    stop = ", and wants you to stop" if decision.decision == "abort" else ""
    return decision.reason or f"{NO_WORDS[decision.source]} said no{stop}"


def has_failed(result: CommandResult | None) -> bool:
    """It ended by itself, and not well. A time limit or a stop from outside is not a failure of the command."""
    return result is not None and result.termination in ("exited", "signaled") and result.exit_code != 0


def check_started(command: CommandRequest, plan: ConfinedCommand, outcome: AttemptOutcome) -> None:
    """Raises Moved where something else was found in its place, or the error of a command that never ran."""
    check_place(plan, outcome)
    if outcome.result is None and not outcome.running:
        raise not_started(command, outcome)


def not_started(command: CommandRequest, outcome: AttemptOutcome) -> Exception:
    """The error for a command that never ran; each cause has its own exit code."""
    program = command.argv[0]
    failure = outcome.failure
    if isinstance(failure, SetupFailure):
        return SetupFailed(
            f"cannot confine `{program}`, so it did not run",
            why=f"building the sandbox failed at step `{failure.step}` ({failure.errno})",
            hint="`sandgate doctor` says what this host can enforce and what to change",
        )
    if not isinstance(failure, ExecFailure):
        raise AssertionError("an outcome without a result carries a failure")
    if failure.what == "directory":
        return DirectoryMissing(
            f"cannot enter the directory `{command.cwd}`",
            why=ERRNO_WORDS.get(failure.errno, failure.errno),
            hint="choose a directory that exists",
        )
    if failure.errno in ("ENOENT", "ENOTDIR") and "/" in program:
        return ProgramNotFound(f"no program `{program}`", why="there is no such file", hint="check the path")
    if failure.errno in ("ENOENT", "ENOTDIR"):
        return _not_on_path(program, command.env.get("PATH", "unset"))
    return ProgramNotExecutable(
        f"cannot execute `{program}`",
        why=ERRNO_WORDS.get(failure.errno, failure.errno),
        hint="check its permissions and that it is a program",
    )


def _not_on_path(program: str, path: str) -> ProgramNotFound:
    if len(program.split()) > 1:
        return ProgramNotFound(
            f"no program `{program}`",
            why="it is one word with blanks in it",
            hint=f"give the words apart, as in `-- {program}`, or a script as one word with `--shell`",
        )
    return ProgramNotFound(
        f"no program `{program}`",
        why=f"it is not on the command's PATH ({path})",
        hint="name it by its full path, or set PATH with `--env PATH=…`; what only a shell has, such as `cd`, takes "
        "`--shell`",
    )


def unasked(created: tuple[str, ...], plan: ConfinedCommand, attempt: Attempt) -> tuple[str, ...]:
    """Those protected names that nobody said yes to by their names, neither before nor while it ran."""
    if not created:
        return ()
    answered = [grant for held in attempt.held for grant in held.decision.grants]
    given = (*plan.supervised_grants, *answered)
    names = {grant.value for grant in given if grant.kind in ("new_entry", "write_path")}
    return tuple([path for path in created if path not in names])


PRIVATE_CACHES = "private-caches"
CACHES_IN_MEMORY = "caches-in-memory"


def as_built(plan: ConfinedCommand, layers: tuple[str, ...]) -> tuple[str, ...]:
    """What the plan promised, and what became of its overlays: `layers` are those that were really built."""
    if not plan.overlays or "no_overlay" in layers:
        return plan.guarantees
    return (*plan.guarantees, CACHES_IN_MEMORY if "brief_overlay" in layers else PRIVATE_CACHES)
