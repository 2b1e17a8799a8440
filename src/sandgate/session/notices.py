"""What the model is told of things that happened outside its turns: user messages that no person typed.

They are recorded and kept like any other; `synthetic_messages.py` tells them from what a person said. What is quoted
in them comes from programs and other models and cannot end its block.
"""

from __future__ import annotations

from sandgate.display import visible
from sandgate.protocol.items import user_message
from sandgate.session.synthetic_messages import (
    SUBAGENT_NOTIFICATION,
    TURN_ABORTED,
    USER_ACTION,
    USER_SHELL_COMMAND,
    block,
)
from sandgate.tools.truncation import header_form

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Literal, TypeAlias

    from sandgate.protocol.events import AbortReason
    from sandgate.protocol.items import Message
    from sandgate.tools.truncation import TruncationPolicy

    EndOfTurn: TypeAlias = AbortReason | Literal["cut_off"]  # "cut_off": the program that ran it is gone

_HOW_IT_ENDED: dict[EndOfTurn, str] = {
    "interrupted": "The person stopped the previous turn on purpose.",
    "replaced": "The previous turn was stopped, because the person asked for something else.",
    "review_ended": "The review was ended early.",
    "budget_limited": "The previous turn was stopped, because its budget was used up.",
    "cut_off": "The previous turn was cut off: the program that ran it ended.",
}
_WHAT_IT_LEFT = (
    "Commands and patches of that turn were ended with it and may have done a part of their work. Look at how things"
    " stand before you go on, and repeat nothing unseen."
)
_SHELL_DURATION_DIGITS = 4


def turn_aborted(alive: Iterable[str] = (), reason: EndOfTurn = "interrupted") -> Message:
    """Says that a turn was ended from outside, and which background processes (their ids) live on."""
    ids = ", ".join(map(visible, alive))
    left = f"These background processes are still running: {ids}." if ids else "No background process is running."
    return user_message(block(TURN_ABORTED, "\n".join((_HOW_IT_ENDED[reason], _WHAT_IT_LEFT, left))))


def user_action(action: str, what: str, results: str) -> Message:
    """Says what the person had done without the model, as a review, and what came of it."""
    lines = [f"<action>{visible(action)}</action>", what, block("results", results)]
    return user_message(block(USER_ACTION, "\n".join(lines)))


def user_shell_command(
    command: str, *, exit_code: int, duration_ms: int, output: str, cut: TruncationPolicy
) -> Message:
    """Says that the person ran a command in a shell of theirs, and what it printed."""
    result = "\n".join(
        (
            f"Exit code: {exit_code}",
            f"Duration: {duration_ms / 1000:.{_SHELL_DURATION_DIGITS}f} seconds",
            "Output:",
            header_form(output, cut),
        )
    )
    return user_message(block(USER_SHELL_COMMAND, f"{block('command', command)}\n{block('result', result)}"))


def subagent_notification(agent_id: str, status: str, text: str) -> Message:
    """Says what became of a sub-agent that was not waited for."""
    lines = [f"<agent_id>{visible(agent_id)}</agent_id>", f"<status>{visible(status)}</status>", text]
    return user_message(block(SUBAGENT_NOTIFICATION, "\n".join(lines)))
