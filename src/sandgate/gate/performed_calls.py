"""On whose word the supervisor carried out what a command was refused.

A call that somebody was asked about has that answer. Any other lies within what the command had: an answer to another
question of the same run, one for the session, a rule, or what the run began with. Where more than one may have allowed
it, and where a setting or an option did, nobody is named.
"""

from __future__ import annotations

from sandgate.gate.escalation import approved_by
from sandgate.protocol.names_beside import extends_name, lie_beside
from sandgate.protocol.permissions import Grant, names_a_host

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.protocol.confinement import AttemptOutcome, ConfinedCommand
    from sandgate.protocol.decisions import Attempt, Decision, HeldQuestion
    from sandgate.protocol.held_calls import PerformedCall

    Source = tuple[tuple[Grant, ...], str]  # what was given, and by whom

EARLIER = "approved earlier in this session"
APPROVED = "approved by "  # begins what the trail says of a run that somebody was asked about
MADE_WITH_NAMES = ("write_path", "new_entry")  # what a program may make further names beside
ASKED = ("user", "script", "automated_reviewer")  # sources of answers that a question was needed for


def allowed_by_whom(
    attempt: Attempt, outcome: AttemptOutcome, plan: ConfinedCommand, session: tuple[Grant, ...]
) -> tuple[PerformedCall, ...]:
    """What was carried out, with the word for each; `session`: what all of its commands were given."""
    sources = _sources(attempt, outcome, plan, session)
    given = {*attempt.grants, *plan.supervised_grants, *session}
    given.update(each.grant for each in plan.by_rules)
    given.update(grant for held in attempt.held for grant in held.decision.grants)
    made = [grant.value for grant in given if grant.kind == "new_entry"]
    told = [_allowed(call, attempt, sources) for call in outcome.performed]
    return tuple([call.but(beside=_gone_on_from(call, given, made)) for call in told])


def _gone_on_from(call: PerformedCall, given: set[Grant], made: list[str]) -> str:
    """The new file that brought this name along, where no grant is about the name itself."""
    if any(_covers(grant.value, path) for grant in given for path in _paths(call)):
        return ""
    return next((each for each in sorted(made) for path in _paths(call) if extends_name(path, each)), "")


def _allowed(call: PerformedCall, attempt: Attempt, sources: list[Source]) -> PerformedCall:
    question = _question(call, attempt)
    if question is not None:
        return call.but(asked=question.decision.source in ASKED, allowed_by=_words(question.decision))
    for reaches in (_reaches, _lies_beside):
        said = {by for given, by in sources if any(reaches(grant, path) for grant in given for path in _paths(call))}
        if said:
            return call.but(allowed_by=said.pop() if len(said) == 1 else "")
    return call


def _sources(
    attempt: Attempt, outcome: AttemptOutcome, plan: ConfinedCommand, session: tuple[Grant, ...]
) -> list[Source]:
    answers = [each.decision for each in attempt.held if each.decision.approved]
    given = {grant for decision in answers for grant in decision.grants}
    earlier = [each for each in session if each not in given]
    ruled = [each.grant for each in plan.by_rules]
    configured = [each for each in plan.supervised_grants if each not in (*attempt.grants, *session, *ruled)]
    return [
        *((decision.grants, _words(decision)) for decision in answers),
        (attempt.grants, attempt.allowed_by),
        (tuple(earlier), EARLIER),
        *(((each.grant,), each.rule) for each in plan.by_rules),
        (tuple(configured), ""),
        (_covered_by_first(attempt, outcome, given), attempt.allowed_by),
    ]


def _covered_by_first(attempt: Attempt, outcome: AttemptOutcome, given: set[Grant]) -> tuple[Grant, ...]:
    """What waited and was answered without a question, and because of no other answer than the one before the run."""
    if not attempt.allowed_by.startswith(APPROVED):
        return ()
    calls = [each for each in outcome.performed if each.number and _question(each, attempt) is None]
    return tuple(
        [Grant("write_path", each.path) for each in calls if not any(_reaches(one, each.path) for one in given)]
    )


def _question(call: PerformedCall, attempt: Attempt) -> HeldQuestion | None:
    """The one that was about it: under its number, or about the same call, which was made again after a signal."""
    if not call.number:
        return None
    approved = [each for each in attempt.held if each.decision.approved]
    wanted = call.operation, call.path, call.other_path
    for is_it in _by_number(call.number), _by_matter(wanted):
        if found := next(filter(is_it, approved), None):
            return found
    return None


def _by_number(number: int) -> Callable[[HeldQuestion], bool]:
    return lambda question: question.number == number


def _by_matter(wanted: tuple[str, str, str]) -> Callable[[HeldQuestion], bool]:
    return lambda question: (
        wanted
        == (
            question.denial.operation,
            question.denial.path or question.denial.address,
            question.other_path,
        )
    )


def _words(decision: Decision) -> str:
    return approved_by(decision) if decision.source in ASKED else EARLIER


def _paths(call: PerformedCall) -> tuple[str, ...]:
    return tuple(filter(None, (call.path, call.other_path)))


def _covers(place: str, path: str) -> bool:
    return path == place or path.startswith(place.rstrip("/") + "/")


def _reaches(grant: Grant, path: str) -> bool:
    if grant.kind == "host" and names_a_host(grant.value):
        return path.partition(":")[0] == grant.value  # with the port, where it was connected to
    return _covers(grant.value, path)


def _lies_beside(grant: Grant, path: str) -> bool:
    """As the names do under which programs make what replaces a file; a directory given whole has none."""
    return grant.kind in MADE_WITH_NAMES and lie_beside(grant.value, path)
