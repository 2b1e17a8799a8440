"""Agents that are told by `--option=value`, or by a setting on the command line, to act without asking."""

from __future__ import annotations

from sandgate.assessment.expansion import Arg
from sandgate.assessment.judges.common import by_table
from sandgate.assessment.knowledge.agents import ENTRIES, MODES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.assessment.inquiry import Call, Inquiry

_SETTINGS = ("sandbox_mode", "approval_policy", "permission_mode")
_modes = tuple(f"{mode}=" for mode in MODES.split())


def _judge_agent(call: Call, inquiry: Inquiry) -> None:
    """What a mode is set to counts as a word of its own: `--sandbox danger-full-access`, `-c sandbox_mode="…"`."""
    words: list[Arg] = []
    for arg in call.args:
        name, equals, value = arg.text.partition("=")
        if equals and (f"{name}=" in _modes or name in _SETTINGS):
            words += [Arg(name), arg.but(text=value.strip("\"' "), raw="")]
        else:
            words.append(arg)
    call.args = tuple(words)
    by_table(call, inquiry)


JUDGES: dict[str, Callable[[Call, Inquiry], None]] = dict.fromkeys(
    (entry.name for entry in ENTRIES if " " not in entry.name), _judge_agent
)
