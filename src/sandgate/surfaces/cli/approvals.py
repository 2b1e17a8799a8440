"""`sandgate approvals`: the second channel. Whoever sits at this machine sees what waits for an answer, and answers.

What is printed comes from records that a model had a hand in: all of it is made visible, so that nothing in it can look
like a line of ours. The message is what an answer approves: it is printed whole, each line of it behind `MESSAGE_MARK`.
"""

from __future__ import annotations

import os
import time

from sandgate.display import one_line, visible
from sandgate.errors import AlreadyDecided, RequestError
from sandgate.record import never_reached
from sandgate.runtime.pending import USES_MAX, Asked, Damaged, Decided, follow, open_ledger, shown
from sandgate.surfaces.cli import say
from sandgate.surfaces.cli.moments import moment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.runtime.pending import Ledger, PendingApproval, Resolution
    from sandgate.surfaces.cli.parse import Parsed

MESSAGE_MARK = "  | "  # no line of ours begins like that
WORD_CHARS_MAX = 120  # of what is not the message
DECIDED_OTHERWISE = 1


def main(parsed: Parsed) -> int:
    """0; 1 when another answer stands already."""
    _refuse_idle_options(parsed)
    ledger = open_ledger(os.environ)
    try:
        match parsed.words:
            case ("list",):
                return _list(ledger, as_json=parsed.on("json"))
            case ("watch",):
                return _watch(ledger, as_json=parsed.on("json"))
            case (_, prefix, decision):
                return _resolve(ledger, prefix, decision, parsed)
            case _:
                raise AssertionError(parsed.words)
    finally:
        ledger.close()


def _refuse_idle_options(parsed: Parsed) -> None:
    deed = parsed.words[0]
    for key, works in (
        ("json", ("list", "watch")),
        ("reason", ("resolve",)),
        ("uses", ("resolve",)),
        ("until", ("resolve",)),
    ):
        if key in parsed.values and deed not in works:
            raise RequestError(f"`--{key}` means nothing to `sandgate approvals {deed}`")


def _list(ledger: Ledger, *, as_json: bool) -> int:
    for sentence in ledger.damaged():
        say.fact(f"warning: {sentence}")
    approvals = ledger.pending()
    if as_json:
        say.out(_json({"pending": [_about(approval) for approval in approvals]}))
        return 0
    if not approvals:
        say.fact("nothing waits for an answer")
    say.out("".join(f"{line}\n" for approval in approvals for line in _question(approval)))
    return 0


def _watch(ledger: Ledger, *, as_json: bool) -> int:
    told: Callable[[Asked | Decided | Damaged], str] = _event_json if as_json else _event_text
    for event in follow(ledger, say.STDOUT):
        if say.write(say.STDOUT, told(event)) is not None:
            return 0  # nobody reads on
    return 0


def _resolve(ledger: Ledger, prefix: str, decision: str, parsed: Parsed) -> int:
    uses, until = _uses(parsed.text("uses")), parsed.text("until") or ""
    if until:
        until = moment(until, time.time(), option="--until")
    approval = ledger.find(prefix)
    before = ledger.resolution(approval.approval_id)
    try:
        standing = ledger.resolve(
            approval.approval_id,
            decision,
            by="terminal",
            digest=approval.digest,
            reason=parsed.text("reason") or "",
            until=until,
            uses=uses,
        )
    except AlreadyDecided as problem:
        say.error(problem)
        return DECIDED_OTHERWISE
    said = "decided" if before is None else "was decided already"
    say.out("".join(f"{line}\n" for line in (f"{said}: {_answer(approval, standing)}", *_message(approval))))
    return 0


def _uses(text: str | None) -> int:
    """How many times, 0 when it is not said."""
    if text is None:
        return 0
    if not text.isascii() or not text.isdecimal() or not 1 <= int(text[:12]) <= USES_MAX:
        raise RequestError(f"`--uses {visible(text, limit=WORD_CHARS_MAX)}` is no number from 1 to {USES_MAX}")
    return int(text)


def _event_text(event: Asked | Decided | Damaged) -> str:
    match event:
        case Asked(approval):
            return "".join(f"{line}\n" for line in _question(approval))
        case Decided(approval, resolution):
            return f"decided: {_answer(approval, resolution)}\n"
        case Damaged(approval_id, why):
            return f"damaged: {approval_id}, {visible(why)}\n"
        case _:
            return str(never_reached(event))


def _event_json(event: Asked | Decided | Damaged) -> str:
    match event:
        case Asked(approval):
            return _json({"event": "asked", **_about(approval)})
        case Decided(approval, resolution):
            return _json({"event": "decided", "approval_id": approval.approval_id, **resolution.fields()})
        case Damaged(approval_id, why):
            return _json({"event": "damaged", "approval_id": approval_id, "why": why})
        case _:
            return str(never_reached(event))


def _question(approval: PendingApproval) -> list[str]:
    left_s = max(0, round(approval.expires_at - time.time()))
    tool, who = _word(approval.tool), _word(approval.principal)
    return [
        f"{approval.approval_id}  {tool} for {who} ({_word(approval.stage)}), {left_s} s left",
        *_message(approval),
        *(f"    {_word(name)}: {_word(label)}" for name, label in approval.choices),
    ]


def _answer(approval: PendingApproval, resolution: Resolution) -> str:
    reason = f" ({one_line(resolution.reason, limit=WORD_CHARS_MAX)})" if resolution.reason else ""
    times = f", {resolution.uses} times" if resolution.uses else ""
    end = f", until {_word(resolution.until)}" if resolution.until else ""
    return f"{approval.approval_id}  {_word(resolution.decision)}, by {resolution.by}{times}{end}{reason}"


def _message(approval: PendingApproval) -> list[str]:
    """Line by line and nothing collapsed: a command's second line may be hidden behind the comment in its first."""
    return [f"{MESSAGE_MARK}{visible(line)}" for line in approval.message.split("\n")]


def _word(text: str) -> str:
    return one_line(text, limit=WORD_CHARS_MAX)


def _about(approval: PendingApproval) -> dict[str, object]:
    return {**shown(approval), "digest": approval.digest}


def _json(value: object) -> str:
    import json

    # The one control character that JSON does not escape by itself.
    return json.dumps(value).replace("\x7f", "\\u007f") + "\n"
