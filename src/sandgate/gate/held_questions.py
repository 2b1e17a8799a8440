"""Puts the held calls of one run to the reviewers: on a thread of its own, while the gate's attends the command.

What the ladder decides without anybody, a grant that was given meanwhile or what nobody may give, takes no question. An
answer to a question that was taken back counts for nothing. What judges a call is loaded with the first one: most
commands that could be asked about are refused nothing.
"""

from __future__ import annotations

import os
from time import monotonic_ns

from sandgate.gate.escalation import AskReviewer
from sandgate.protocol.commands import NS_PER_MS
from sandgate.protocol.decisions import HeldQuestion
from sandgate.protocol.denials import Denial
from sandgate.protocol.held_calls import HeldAnswer
from sandgate.protocol.permissions import Grant
from sandgate.protocol.trace import Notice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.execution.asking import AskedMeanwhile
    from sandgate.gate.escalation import Escalation
    from sandgate.policy.small_grants import HeldIntent
    from sandgate.protocol.confinement import ConfinedCommand
    from sandgate.protocol.decisions import Decision
    from sandgate.protocol.held_calls import HeldCall
    from sandgate.protocol.trace import Recorder

    _Caller = tuple[tuple[str, ...], str]  # its words, and its directory

WITHDRAWN = "nobody waits for the answer any more"
NOT_LOOKED_UP = "`{name}` was allowed, and could not be looked up outside the sandbox: {problem}"
OF_NAME = "connect to an address that is not public and that `{name}` has:"
CALLER_BYTES_MAX = 65_536  # of the words of the program that made a call


class HeldQuestions:
    """What answers the calls of one run; `told` has each one that somebody was asked about."""

    def __init__(
        self,
        plan: ConfinedCommand,
        ladder: Escalation,
        ask: Callable[[AskReviewer], Decision],
        record: Recorder,
        begin: Callable[[], None],
        closed: Callable[[Grant], str] = lambda _grant: "",
    ) -> None:
        """`begin` is called once, on the thread that asks; `ask_for` gives another one. `closed`: the rule that forbids
        what could be granted, "" where none does."""
        self.plan = plan
        self._ladder = ladder
        self._ask = ask
        self._record = record
        self._closed = closed
        self._begin: Callable[[], None] | None = begin
        self._intent: tuple[_Caller | None, HeldIntent] | None = None  # of the last call, by who made it
        self._not_public: dict[str, str] = {}  # addresses that names were found to have and do not open, and the names
        self.told: list[HeldQuestion] = []

    def ask_for(self, begin: Callable[[], None]) -> None:
        """From the next held call on for another caller: `begin` makes the thread that asks work for it.

        What nobody could be asked about before is asked about anew, and as many questions as at first may be asked.
        """
        self._begin = begin

    def __call__(self, call: HeldCall, asking: AskedMeanwhile) -> HeldAnswer:
        """What becomes of it."""
        if self._begin is not None:
            begin, self._begin = self._begin, None
            begin()
            self._ladder.held_for_another()
        grants = self._grants(call)
        refused = call.refused
        denial = Denial(
            operation=refused.operation,
            path=refused.path,
            address=refused.address,
            syscall=refused.syscall,
            errno=refused.errno,
            layer=refused.layer,
            program=refused.program,
            grant=grants[0] if grants else None,
            what=self._said_by_name(refused.address or "") or refused.what,
        )
        step = self._ladder.held(denial, grants)
        if isinstance(step, AskReviewer):
            return self._with_hosts(self._asked(call, denial, step, asking), denial)
        if step.said:
            self._record(Notice("warning", step.said))
        return self._with_hosts(step, denial)

    def _with_hosts(self, answer: HeldAnswer, denial: Denial) -> HeldAnswer:
        """With what the names in it stand for, as the host says now."""
        if not any(grant.kind == "host" for grant in answer.grants):
            return answer
        from sandgate.sandbox.named_hosts import look_up, names_in

        found = [(name, look_up(name, self._is_closed_address)) for name in names_in(answer.grants)]
        for name, problem in found:
            if isinstance(problem, str):
                self._record(Notice("warning", NOT_LOOKED_UP.format(name=name, problem=problem)))
                self._ladder.held_in_vain(denial)
        hosts = tuple([host for _, host in found if not isinstance(host, str)])
        self._not_public.update((address, host.name) for host in hosts for address in host.closed)
        return answer.but(hosts=hosts)

    def _said_by_name(self, address: str) -> str:
        """For an address that is asked about by itself though a name has it: whoever owns the name may say any."""
        name = self._not_public.get(address.rpartition(":")[0].strip("[]"))
        return OF_NAME.format(name=name) if name else ""

    def _asked(self, call: HeldCall, denial: Denial, step: AskReviewer, asking: AskedMeanwhile) -> HeldAnswer:
        since_ns = monotonic_ns()
        decision = self._ask(step)
        if asking.withdrawn:
            decision = decision.but(decision="denied", source="none", grants=(), reason=WITHDRAWN)
            self._ladder.held_withdrawn()
            answer = HeldAnswer()
        else:
            answer = self._ladder.held_answered(decision)
        waited_ms = (monotonic_ns() - since_ns) // NS_PER_MS
        self.told.append(HeldQuestion(call.number, denial, decision, waited_ms, call.other_path))
        return answer

    def _grants(self, call: HeldCall) -> tuple[Grant, ...] | None:
        from sandgate.policy.small_grants import grants_for
        from sandgate.sandbox.refused_changes import CHANGES, looked_up

        plan, path = self.plan, call.refused.path
        changed = path if path is not None and call.refused.operation in CHANGES else None
        if changed is not None and self._is_dispensable(changed):
            return ()
        caller = _caller(call.refused.pid)
        if changed is not None and _keeps_cache(changed, plan if caller is None else plan.but(argv=caller[0])):
            return None  # programs go on without; a command that does not is asked about when it has failed
        if self._intent is None or self._intent[0] != caller:
            intent = looked_up(plan)
            if caller is not None:
                intent = intent.also(looked_up(plan.but(argv=caller[0], cwd=caller[1])))
            self._intent = caller, intent
        offer = grants_for(call, self._intent[1], self._ladder.grants)
        return () if offer and any(self._closed(grant) for grant in offer) else offer

    def _is_closed_address(self, address: str) -> bool:
        return bool(self._closed(Grant("host", address)))

    def _is_dispensable(self, path: str) -> bool:
        from sandgate.places.dispensable import is_dispensable

        return is_dispensable(path, self.plan.env.get("HOME", ""), " ".join(self.plan.argv))


def _keeps_cache(path: str, plan: ConfinedCommand) -> bool:
    from sandgate.sandbox.project_caches import is_cache_of

    return is_cache_of(path, plan)


def _caller(pid: int) -> _Caller | None:
    """The program that waits, as it was started: in a script, which is not always understood, it says most."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb", buffering=0) as file:
            words = file.read(CALLER_BYTES_MAX).split(b"\0")[:-1]
        cwd = os.readlink(f"/proc/{pid}/cwd")
    except OSError:
        return None
    return (tuple([os.fsdecode(word) for word in words]), cwd) if words and cwd[:1] == "/" else None
