"""`sandgate approvals`: the second channel. The user sees at any terminal what waits for an answer, and answers.

What is printed comes from records that a model had a hand in: all of it is made visible, so that nothing in it can look
like a line of ours. The message is what an answer approves: it is printed whole, each line of it behind `MESSAGE_MARK`.
"""

from __future__ import annotations

import os
import time

from sandgate.display import one_line, visible
from sandgate.errors import AlreadyDecided, RequestError
from sandgate.record import never_reached
from sandgate.serving.ledger_access import USES_MAX, Advised, Asked, Damaged, Decided, follow, open_ledger, shown
from sandgate.surfaces.cli import say
from sandgate.surfaces.cli.timestamps import moment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.serving.ledger_access import Ledger, PendingApproval, Resolution
    from sandgate.surfaces.cli.parse import ParsedLine

    Event = Asked | Advised | Decided | Damaged

MESSAGE_MARK = "  | "  # no line of ours begins like that
ADVICE_MARK = "  + "
WORD_CHARS_MAX = 120  # of what is not the message
DECIDED_OTHERWISE = 1


def main(parsed: ParsedLine) -> int:
    """0; 1 when another answer stands already."""
    _refuse_idle_options(parsed)
    if parsed.words[0] in ("log", "override"):
        from sandgate.surfaces.cli.decisions import log, override_action

        return log(as_json=parsed.on("json")) if parsed.words == ("log",) else override_action(parsed.words[1])
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


def _refuse_idle_options(parsed: ParsedLine) -> None:
    deed = parsed.words[0]
    for key, works in (
        ("json", ("list", "watch", "log")),
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
        say.out(_json({"pending": [_about(approval, ledger.advice(approval.approval_id)) for approval in approvals]}))
        return 0
    if not approvals:
        say.fact("nothing waits for an answer")
    lines = (line for approval in approvals for line in _question(approval, ledger.advice(approval.approval_id)))
    say.out("".join(f"{line}\n" for line in lines))
    return 0


def _watch(ledger: Ledger, *, as_json: bool) -> int:
    told: Callable[[Event], str] = _event_json if as_json else _event_text
    for event in follow(ledger, say.STDOUT):
        if say.write(say.STDOUT, told(event)) is not None:
            return 0  # the reader has gone
    return 0


def _resolve(ledger: Ledger, prefix: str, decision: str, parsed: ParsedLine) -> int:
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


def _event_text(event: Event) -> str:
    match event:
        case Asked(approval):
            return "".join(f"{line}\n" for line in _question(approval))
        case Advised(approval, lines):
            return "".join(f"{line}\n" for line in (f"advised: {approval.approval_id}", *_advice(lines)))
        case Decided(approval, resolution):
            return f"decided: {_answer(approval, resolution)}\n"
        case Damaged(approval_id, why):
            return f"damaged: {approval_id}, {visible(why)}\n"
        case _:
            return str(never_reached(event))


def _event_json(event: Event) -> str:
    match event:
        case Asked(approval):
            return _json({"event": "asked", **_about(approval)})
        case Advised(approval, lines):
            return _json({"event": "advised", "approval_id": approval.approval_id, "advice": list(lines)})
        case Decided(approval, resolution):
            return _json({"event": "decided", "approval_id": approval.approval_id, **resolution.fields()})
        case Damaged(approval_id, why):
            return _json({"event": "damaged", "approval_id": approval_id, "why": why})
        case _:
            return str(never_reached(event))


def _question(approval: PendingApproval, advice: tuple[str, ...] = ()) -> list[str]:
    left_s = max(0, round(approval.expires_at - time.time()))
    tool, who = _word(approval.tool), _word(approval.principal)
    return [
        f"{approval.approval_id}  {tool} for {who} ({_word(approval.stage)}), {left_s} s left",
        *_message(approval),
        *_advice(advice),
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


def _advice(lines: tuple[str, ...]) -> list[str]:
    """What was said about it since it was asked; behind a mark of its own, for an answer does not approve it."""
    return [f"{ADVICE_MARK}{visible(line)}" for line in lines]


def _word(text: str) -> str:
    return one_line(text, limit=WORD_CHARS_MAX)


def _about(approval: PendingApproval, advice: tuple[str, ...] = ()) -> dict[str, object]:
    about = {**shown(approval), "digest": approval.digest}
    return {**about, "advice": list(advice)} if advice else about


def _json(value: object) -> str:
    import json

    # The one control character that JSON does not escape by itself.
    return json.dumps(value).replace("\x7f", "\\u007f") + "\n"
