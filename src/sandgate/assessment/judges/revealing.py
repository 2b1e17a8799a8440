"""Secrets that lie in variables and settings, and the commands and lines of code that print them.

What is printed goes to whoever asked for the command, which is a model. Using such a variable, or asking whether there
is one, prints nothing.
"""

from __future__ import annotations

from sandgate.assessment.findings import EXFILTRATION, HIGH, LOW, MEDIUM
from sandgate.assessment.judges.common import by_table
from sandgate.assessment.listing import words
from sandgate.assessment.wording import shown
from sandgate.policy.secret_settings import asks_for_secret_setting, is_secret_variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sandgate.assessment.inquiry import Call, Inquiry
    from sandgate.assessment.lexing import Token
    from sandgate.protocol.risk import RiskLevel

_ENVIRONMENT = frozenset(words("environ env ENV getenv"))
_PRINTING = frozenset(words("print console.log puts echo say printf write pp console.error inspect"))
_ASKING = frozenset(words("bool len in Boolean defined isset exists key? has hasOwnProperty keys length"))
_PRINT_FLAGS = frozenset(words("-p -pe --print"))


def judge_setting(call: Call, inquiry: Inquiry) -> None:
    """`npm config get //host/:_authToken`: prints what is stored there."""
    if asks_for_secret_setting(tuple([arg.text for arg in call.args])):
        _reveals(HIGH, f"a setting of {call.program}", inquiry)
        call.carry("secret", f"a setting of {call.program}")


def judge_code_variables(found: Sequence[Token], call: Call, inquiry: Inquiry) -> None:
    """`print(os.environ["API_TOKEN"])`: code on the command line that prints a variable named like a secret."""
    names = {token.text for token in found if token.kind == "name"}
    parts = {part for name in names for part in name.split(".")}
    prints = bool(names & _PRINTING) or any(arg.text in _PRINT_FLAGS for arg in call.args)
    if not prints or parts.isdisjoint(_ENVIRONMENT) or not parts.isdisjoint(_ASKING):
        return
    if any(token.kind == "mark" and token.text == "!" for token in found):
        return
    texts = [token.text for token in found if token.kind == "string"]
    named = next((text for text in (*parts, *texts) if is_secret_variable(text)), "")
    if named:
        _reveals(HIGH, named, inquiry)


def _reveals(level: RiskLevel, what: str, inquiry: Inquiry) -> None:
    inquiry.add(level, "reads", what, "prints what is named like a secret", f"Prints the secret in {shown(what)}", "",
                (EXFILTRATION,))  # fmt: skip


def _judge_printenv(call: Call, inquiry: Inquiry) -> None:
    by_table(call, inquiry)
    call.carry("environment", "the environment")
    for arg in call.args:
        if is_secret_variable(arg.text):
            _reveals(HIGH, arg.text, inquiry)


def _judge_echo(call: Call, inquiry: Inquiry) -> None:
    """What it prints may be on its way to a program that needs it, so this alone is not yet high."""
    inquiry.add(LOW, "reads", call.program, "prints text")
    if any("/proc/" in arg.text and "environ" in arg.text for arg in call.args):
        call.carry("environment", "the environment")
    carried = (what for arg in call.args for tag, what in arg.carries if tag == "environment")
    named = next((what for what in carried if what[:1] == "$"), "")
    if named:
        _reveals(MEDIUM, named, inquiry)


JUDGES: dict[str, Callable[[Call, Inquiry], None]] = {
    "printenv": _judge_printenv,
    "echo": _judge_echo,
    "yes": _judge_echo,
}
