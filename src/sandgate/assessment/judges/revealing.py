"""Secrets that lie in variables and settings, and the commands and lines of code that print them.

What is printed goes to whoever asked for the command, which is a model. Using such a variable, or asking whether there
is one, prints nothing.
"""

from __future__ import annotations

from sandgate.assessment.expansion import Arg
from sandgate.assessment.findings import HIGH, LOW, MEDIUM
from sandgate.assessment.inline_code import reveals
from sandgate.assessment.judges.common import by_table
from sandgate.assessment.listing import words
from sandgate.policy.secret_settings import asks_for_secret_setting, is_secret_variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.assessment.inquiry import Call, Inquiry


_SHOWING = frozenset(words("cat head tail less more bat batcat nl tac strings base64 xxd od hexdump"))
_MADE_UP = ("test", "fixture", "example", "sample", "dummy", "mock", "spec", ".dev", ".local.dev", "template")


def judge_setting(call: Call, inquiry: Inquiry) -> None:
    """`npm config get //host/:_authToken`: prints what is stored there."""
    if asks_for_secret_setting(tuple([arg.text for arg in call.args])):
        reveals(HIGH, f"a setting of {call.program}", inquiry)
        call.carry("secret", f"a setting of {call.program}")


def judge_shown(call: Call, inquiry: Inquiry) -> None:
    """`cat .env`, with nobody behind it who would pick a line: what is printed is read by whoever asked for it."""
    what = call.outflow["secret"]
    said = what.lower()
    if said.endswith(".pem") and "key" not in said:  # mostly certificates, which are public
        return
    if call.program in _SHOWING and not call.remote and not any(mark in said for mark in _MADE_UP):
        reveals(HIGH, what, inquiry)


def _judge_printenv(call: Call, inquiry: Inquiry) -> None:
    by_table(call, inquiry)
    call.carry("environment", "the environment")
    for arg in call.args:
        if is_secret_variable(arg.text):
            reveals(HIGH, arg.text, inquiry)


def _judge_echo(call: Call, inquiry: Inquiry) -> None:
    """What it prints may be on its way to a program that needs it, so this alone is not yet high."""
    inquiry.add(LOW, "reads", call.program, "prints text")
    if any("/proc/" in arg.text and "environ" in arg.text for arg in call.args):
        call.carry("environment", "the environment")
    carried = (what for arg in call.args for tag, what in arg.carries if tag == "environment")
    named = next((what for what in carried if what[:1] == "$"), "")
    if named:
        reveals(MEDIUM, named, inquiry)


def _judge_picker(call: Call, inquiry: Inquiry) -> None:
    """`terraform output -json | jq .db_password`: one secret among what a service has printed."""
    by_table(call, inquiry)
    feeder = call.feeder
    if feeder is None or feeder.program not in TELLERS:
        return
    asked = " ".join([arg.text for arg in call.args]).lower()
    if any(mark in asked for mark in NAMED) and "keys" not in asked:
        reveals(HIGH, f"what {feeder.program} prints", inquiry)
        call.carry("secret", f"what {feeder.program} prints")


TELLERS = frozenset({"terraform", "terragrunt", "pulumi", "aws", "az", "gcloud", "vault", "kubectl", "heroku", "doctl"})
NAMED = ("password", "secret", "private_key", "privatekey", "api_key", "apikey", "access_key", "connection_string")


def _judge_getent(call: Call, inquiry: Inquiry) -> None:
    """`getent shadow` shows the file of that name."""
    by_table(call, inquiry)
    if [arg.text for arg in call.args] in (["shadow"], ["gshadow"]):
        inquiry.read(Arg("/etc/shadow"), call)


def _judge_unshadow(call: Call, inquiry: Inquiry) -> None:
    inquiry.add(MEDIUM, "reads", call.program, "joins names and passwords", "Joins names with their hidden passwords")
    for arg in call.args:
        inquiry.read(arg, call)


JUDGES: dict[str, Callable[[Call, Inquiry], None]] = {
    "printenv": _judge_printenv,
    "jq": _judge_picker,
    "echo": _judge_echo,
    "yes": _judge_echo,
    "getent": _judge_getent,
    "unshadow": _judge_unshadow,
}
