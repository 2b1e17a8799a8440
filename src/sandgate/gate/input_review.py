"""Asks about what is typed into a live command that stands outside the sandbox.

The approval that let a shell out was for starting it. What is typed later decides what it does, so by default each
input is shown before it is typed, until a reviewer approves the rest "for the session". An input is a question like any
other: the same reviewers, the same record, and no reviewer there means no.

The question says what it is about: which command, who reads there now, and in which directory, for a shell may have
gone elsewhere since it was started. That is a moment's truth: when the answer comes, another program may read.

A program that turns echo off has its input hidden, so outside the sandbox it is the program that decides what can be
seen (`stty -echo; exec sh`). That cannot be told from a password, so it is a question of high risk.
"""

from __future__ import annotations

from sandgate.approvals.prompts.prompt import INPUT_FAMILY
from sandgate.commandline.words import joined
from sandgate.display import visible
from sandgate.errors import CommandRefused
from sandgate.gate.escalation import refusal_text
from sandgate.kernel.process import Process
from sandgate.protocol.decisions import ApprovalKey, ApprovalRequest
from sandgate.protocol.permissions import Granular
from sandgate.protocol.risk import RiskAssessment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

    from sandgate.gate.gate import Gate
    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.permissions import ApprovalPolicy
    from sandgate.terminals.terminal import Terminal

    ReviewInput = Literal["always", "escalated", "never"]

REASON = "input for a command that runs without the sandbox"
REASON_UNSEEN = f"{REASON}, and cannot be shown: the program has turned echo off"
UNSEEN = RiskAssessment(
    description="What is typed cannot be shown, because the program has turned echo off; it may be a command.",
    risk_level="high",
)
REASON_CONFINED = "input for a live command"
COMMAND_CHARS_MAX = 160  # of the live command, and of where it was started, in the question


class InputReview:
    """Reviews inputs as `terminals.review_input` says."""

    def __init__(
        self, gate: Gate, mode: ReviewInput, approval: ApprovalPolicy, *, confines: bool, new_id: Callable[[], str]
    ) -> None:
        self._gate = gate
        self._mode = mode
        self._may_ask = may_ask(approval) and (confines or approval == "untrusted")
        self._new_id = new_id

    def check(self, terminal: Terminal, text: str) -> None:
        """Blocks while a reviewer is asked. Raises CommandRefused unless the input may be typed."""
        if not text or not self._applies(terminal):
            return
        decision = self._gate.ask(self._request(terminal, text))
        if not decision.approved:
            raise CommandRefused(refusal_text(decision), hint="the command is still running; nothing was typed")

    def _applies(self, terminal: Terminal) -> bool:
        if self._mode == "always":
            return True
        # Where the policy confines nothing, no reviewer let it out; under `never` only a rule did, for good.
        # But `untrusted` asks about all that does more than read, and `!sh` in the pager of `dpkg -l` does.
        return self._mode == "escalated" and not terminal.identity.plan.confined and self._may_ask

    def _request(self, terminal: Terminal, text: str) -> ApprovalRequest:
        identity = terminal.identity
        # A password is for the program that asks for it, and for no reviewer's screen and no log.
        hidden = terminal.hides_input
        shown = f"(hidden, {len(text)} characters)" if hidden else text
        unseen = hidden and not identity.plan.confined
        started = identity.command
        program, directory = _reader(terminal)
        key = ApprovalKey(INPUT_FAMILY, (identity.call_id,), started.cwd, frozenset(), "use_default", started.tty)
        return ApprovalRequest(
            request_id=self._new_id(),
            call_id=identity.call_id,
            stage="initial",
            command=started.but(
                argv=("write_stdin", str(identity.terminal_id), shown), cwd=directory or started.cwd, wish="use_default"
            ),
            why=_what_reads(started, program),
            reason=REASON_CONFINED if identity.plan.confined else REASON_UNSEEN if unseen else REASON,
            risk=UNSEEN if unseen else None,
            keys=(key,),
        )


def _reader(terminal: Terminal) -> tuple[str, str]:
    """Who would read what is typed now, by the name it gives itself, and where it is; "" for what cannot be told."""
    found = terminal.look()
    members = found.members if found is not None else ()
    for member in sorted(members, key=lambda member: not member.waits_for_terminal):
        try:
            with Process(member.pid) as process:
                return process.name(), process.working_directory()
        except OSError:  # it has gone, or may not be looked into
            continue
    return "", ""


def _what_reads(started: CommandRequest, program: str) -> str:
    """Where the input goes."""
    command = visible(joined(started.argv), limit=COMMAND_CHARS_MAX)
    now = f"there now: `{visible(program)}`" if program else "who reads there now cannot be told"
    return f"typed into `{command}`, started in {visible(started.cwd, limit=COMMAND_CHARS_MAX)}; {now}"


def may_ask(approval: ApprovalPolicy) -> bool:
    """Whether this policy knows questions about leaving the sandbox."""
    return approval.sandbox_approval if isinstance(approval, Granular) else approval != "never"
