"""Programs that no table knows: what the words of an order mean to every program that understands them.

Nobody can say what such a program does, so it is never low. But who tells it to delete, to drop a table, to shut
something down, or to change what is called production, says what is meant.
"""

from __future__ import annotations

from sandgate.assessment.findings import DELETION, EXFILTRATION, HIGH, MEDIUM, NETWORK, SYSTEM, Finding
from sandgate.assessment.judges.network import send_files
from sandgate.assessment.judges.ordering import judge_order
from sandgate.assessment.listing import words
from sandgate.assessment.wording import worded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.assessment.inquiry import Call, Inquiry

CHANGING = frozenset(
    words("""
    deploy apply push promote publish release rollback restart stop shutdown scale migrate reset restore up down sync
    set update upgrade flush truncate prune clear import failover switch rotate disable enable remove rm start
    """)
)
PRODUCTION = frozenset(words("prod production prd live"))
POWER = frozenset(words("shutdown reboot poweroff powercycle powerdown hardreset factory-reset safe-shutdown"))
SENDING = frozenset(words("upload send share publish push put post paste exfil transfer"))
STATEMENTS = ("DROP ", "TRUNCATE ", "DELETE FROM ")
FIRST_WORDS = 3  # among which the order stands


def judge_unfamiliar(call: Call, inquiry: Inquiry) -> None:
    """Never low, and we say that we do not know."""
    name = worded(call.program)
    texts = [arg.text for arg in call.args]
    first = texts[:FIRST_WORDS]
    if judge_order(call, inquiry):
        return
    if any(text.lstrip().upper().startswith(STATEMENTS) for text in texts):
        inquiry.note(
            Finding(HIGH, "deletes", call.program, "a program that is not known is told to delete",
                    f"Tells {name}, a program that is not known, to delete data", "", (DELETION,), "low")
        )  # fmt: skip
        return
    inquiry.note(
        Finding(MEDIUM, "unknown", call.program, "a program that is not known",
                f"Runs {name}, a program whose effects are not known", confidence="low")
    )  # fmt: skip
    changed = next((text for text in first if text in CHANGING), None)
    if changed is not None and any(_is_production(text) for text in texts):
        inquiry.note(
            Finding(HIGH, "contacts", call.program, "a program that is not known changes production",
                    f"Tells {name}, a program that is not known, to {worded(changed)} in production", "",
                    (SYSTEM, NETWORK), "low")
        )  # fmt: skip
    if not POWER.isdisjoint(texts):
        inquiry.note(
            Finding(HIGH, "privilege", call.program, "a program that is not known stops a machine",
                    f"Tells {name}, a program that is not known, to stop a machine", "", (SYSTEM,), "low")
        )  # fmt: skip
    _judge_files(call, inquiry)


def _judge_files(call: Call, inquiry: Inquiry) -> None:
    """What is named is read at least; a key that is given to a program which sends something has left."""
    for arg in call.args:
        if arg.text[:1] in {"/", "~"} or "/" in arg.text or arg.text[:2] == ".e":
            inquiry.read(arg, call)
    gives = not SENDING.isdisjoint([arg.text for arg in call.args[:FIRST_WORDS]]) or not SENDING.isdisjoint(
        _parts(call.program)
    )
    files = [arg for arg in call.args[1:] if _is_file(arg.text)] if gives else []
    if files:
        send_files(files, call.program, call, inquiry)
    if gives and ("secret" in call.outflow or "secret" in call.upstream or "environment" in call.upstream):
        inquiry.add(HIGH, "contacts", call.program, "sends secrets", f"Sends secrets with {worded(call.program)}",
                    "What has been sent cannot be taken back", (EXFILTRATION, NETWORK))  # fmt: skip


def _is_file(text: str) -> bool:
    """`customers.csv`, `./dist/x.tgz`; a word that is neither option nor address."""
    name = text.rpartition("/")[2]
    return text[:1] != "-" and "://" not in text and " " not in text and "." in name.strip(".")


def _is_production(text: str) -> bool:
    """`prod`, `--prod`, `--env=production`, `api-prod`."""
    return len(text) >= len("prd") and not PRODUCTION.isdisjoint(_parts(text))


def _parts(text: str) -> list[str]:
    return "".join([letter if letter.isalnum() else " " for letter in text.lower()]).split()
