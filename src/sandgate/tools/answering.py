"""Turns what a live command printed and did during one call into the answer of that call."""

from __future__ import annotations

import os

from sandgate.approvals.prompts.prompt import denial_text, grants_text
from sandgate.display import visible
from sandgate.errors import TerminalFailed
from sandgate.terminals.activity import state_of
from sandgate.tools.answers import ExecAnswer
from sandgate.tools.truncation import answer_policy, token_estimate, unified_form

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.denials import Denial
    from sandgate.terminals.output import Taken
    from sandgate.terminals.table import Tombstone
    from sandgate.terminals.terminal import Terminal
    from sandgate.tools.interfaces import Host
    from sandgate.tools.truncation import TruncationPolicy

DENIALS_TOLD_MAX = 3  # in the text; the structured answer has all
WAITS = "the command waits for approval, and goes on once somebody has answered: {wanted}"
CHUNK_ID_BYTES = 3  # six hexadecimal digits


def answer(
    host: Host,
    terminal: Terminal,
    *,
    waited_s: float,
    max_output_tokens: int | None,
    notices: tuple[str, ...] = (),
    matched: str | None = None,
) -> ExecAnswer:
    """Takes the pending output. The number of a command that is over is free afterwards.

    Raises TerminalFailed when Sandgate ended the command before it was done.
    """
    exited = terminal.exited
    taken = terminal.output.take(whole_characters=not exited)
    if exited:
        host.forget(terminal)
    if terminal.failure_message:
        raise TerminalFailed(f"Unified exec process failed: {terminal.failure_message}")
    attempt, new = host.attempt(terminal), host.untold(terminal)
    remarks = attempt.remarks if attempt is not None else ()
    meanwhile = () if exited else (host.sought_in_vain(terminal), host.listens(terminal), host.kept_back(terminal))
    denials = attempt.denial.denials if exited and attempt is not None else new  # at its end all, else since the last
    return ExecAnswer(
        wall_time_seconds=waited_s,
        output=text_within_budget(host, taken, max_output_tokens),
        chunk_id=new_chunk_id(),
        exit_code=terminal.exit_code if exited else None,
        session_id=None if exited else terminal.identity.terminal_id,
        original_token_count=token_estimate(taken.total_bytes),
        state=state_of(terminal),
        denials=denials,
        notices=(*waiting_notices(terminal), *denied_notices(new), *remarks, *filter(None, meanwhile), *notices),
        matched=matched,
        omitted_bytes=taken.omitted_bytes,
    )


def waiting_notices(terminal: Terminal) -> tuple[str, ...]:
    """That a call of it waits for somebody's answer, and which."""
    held = terminal.held
    if held is None or terminal.exited:
        return ()
    return (WAITS.format(wanted=visible(held.words)),)


def denied_notices(denials: tuple[Denial, ...]) -> tuple[str, ...]:
    """What the sandbox refused and what would allow it, for who reads nothing but the text."""
    shown = [f"{_end_of(each)}: {denial_text(each)}{_way_or_reason(each)}" for each in denials[:DENIALS_TOLD_MAX]]
    left = len(denials) - len(shown)
    return (*dict.fromkeys(shown), *((f"the sandbox refused {left} more",) if left else ()))


def _end_of(denial: Denial) -> str:
    return "the sandbox did not keep" if denial.unkept else "the sandbox refused"


def _way_or_reason(denial: Denial) -> str:
    if denial.grant is not None:
        return f" (allowed by: {grants_text(denial.grants)})"
    always = ", whatever is granted" if denial.operation == "other" else ""
    return f" ({visible(denial.why)}{always})" if denial.why else ""


def last_words(host: Host, stone: Tombstone, *, max_output_tokens: int | None) -> ExecAnswer:
    """The answer of a command that ended between two calls."""
    text = stone.output.decode("utf-8", "replace")
    return ExecAnswer(
        wall_time_seconds=0.0,
        output=unified_form(text, _policy(host, max_output_tokens), omitted_bytes=stone.omitted_bytes),
        chunk_id=new_chunk_id(),
        exit_code=stone.exit_code,
        original_token_count=token_estimate(len(stone.output) + stone.omitted_bytes),
        state="exited",
        omitted_bytes=stone.omitted_bytes,
    )


def refused_answer(why: str) -> ExecAnswer:
    """The answer of a call that was refused: a value like any other."""
    return ExecAnswer(wall_time_seconds=0.0, output="", refused=why)


def text_within_budget(host: Host, taken: Taken, max_output_tokens: int | None) -> str:
    """The output as the answer has it: within the budget, with what is missing said."""
    policy = _policy(host, max_output_tokens)
    if not taken.omitted_bytes:
        return unified_form(taken.joined().decode("utf-8", "replace"), policy)
    head = taken.head.decode("utf-8", "replace")
    text = head + taken.tail.decode("utf-8", "replace")
    return unified_form(text, policy, omitted_bytes=taken.omitted_bytes, gap_at=len(head))


def _policy(host: Host, max_output_tokens: int | None) -> TruncationPolicy:
    wanted = host.limits.default_max_output_tokens if max_output_tokens is None else max_output_tokens
    return answer_policy(wanted, host.truncation)


def new_chunk_id() -> str:
    """A fresh name for one answer."""
    return os.urandom(CHUNK_ID_BYTES).hex()
