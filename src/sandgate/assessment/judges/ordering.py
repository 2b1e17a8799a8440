"""Orders to a program nobody has told us about: `tool jobs delete 7`, `tool db reset --yes`, `tool publish`.

Nobody can list all programs, but their sub-commands are called by the same words. Some of these mean a loss whoever is
told them. Others are harmless as often as not (`reset` a view, `prune` a cache); with an option that answers the
question before it is asked, the program itself thinks there is something to lose.
"""

from __future__ import annotations

from sandgate.assessment.findings import COMPLIANCE, DELETION, EXFILTRATION, HIGH, NETWORK, Finding
from sandgate.assessment.judges.naming import LOSING, STORES
from sandgate.assessment.knowledge import knows
from sandgate.assessment.listing import words
from sandgate.assessment.wording import worded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.assessment.inquiry import Call, Inquiry
    from sandgate.protocol.risk import RiskCategory

DESTRUCTIVE = frozenset(words("delete destroy purge drop wipe nuke erase terminate delete-all drop-db destroy-all"))
_DOUBTFUL = frozenset(
    words(
        "reset clear flush prune remove rm truncate gc expunge empty revoke discard rollback teardown cleanup "
        "uninstall deprovision unregister deregister decommission"
    )
)
_ANSWERED = frozenset(
    words("""
    --yes -y --force -f --confirm --no-confirm --assume-yes --no-input --noinput --non-interactive --skip-confirmation
    --yes-i-really-mean-it --hard --auto-approve -auto-approve --no-prompt --no-interaction --no-ask --all --really
    --purge
    --recursive --noconfirm
    """)
)
# What services keep for many people: `repo rm`, `team remove`.
_OF_OTHERS = frozenset(
    words("""
    repo repos repository project projects org orgs team teams user users member members pipeline app apps bucket
    cluster server servers instance instances env environment stack service secret secrets site domain account release
    """)
)
_PUBLISHING = frozenset(words("publish unpublish yank deploy"))
_SENDING = frozenset(words("upload share"))
_TRYING = frozenset(words("--dry-run --dryrun -n --help -h --check --list --plan --diff --local"))
_LOSING_OPTIONS = (
    "--delete-", "--purge", "--wipe", "--destroy", "--drop-", "--erase", "--replace-all", "--accept-data-loss",
    "--force-reset",
)  # fmt: skip
_REGROWING = frozenset(words("cache caches tmp temp"))  # what comes back by itself
_VERB_PLACES = 3  # words behind the program's name among which its order stands
_WORDS_OF_A_VERB = 3  # `delete-all-jobs`; more is a name


def judge_order(call: Call, inquiry: Inquiry) -> bool:
    """Note what the order to `call.program` is known to mean; False when it means nothing to us."""
    if not call.args:
        return False
    texts = [arg.text for arg in call.args]
    if not _TRYING.isdisjoint(texts):
        return False
    first = texts[:_VERB_PLACES]
    if not _REGROWING.isdisjoint(first):
        return False
    ordered = next((text for text in first if _destroys(text)), None)
    if ordered is None and not _ANSWERED.isdisjoint(texts):
        ordered = next((text for text in first if not _DOUBTFUL.isdisjoint(_parts(text))), None)
    if ordered is None and not knows(call.program):
        ordered = next((text for text in texts if text.startswith(_LOSING_OPTIONS)), None)
    if ordered is None and texts[0] in _OF_OTHERS:
        ordered = next((text for text in first[1:2] if text in _DOUBTFUL), None)
    if ordered is None and not STORES.isdisjoint(first):
        ordered = next((text for text in first if text in LOSING), None)
    if ordered is not None:
        _note(call, ordered, "is told to delete", (DELETION,), inquiry)
        return True
    if texts[0] in _PUBLISHING:
        _note(call, texts[0], "is told to publish", (NETWORK, COMPLIANCE), inquiry)
        return True
    if texts[0] in _SENDING:
        _note(call, texts[0], "is told to send files away", (EXFILTRATION, NETWORK), inquiry)
        return True
    return False


def _note(call: Call, order: str, why: str, categories: tuple[RiskCategory, ...], inquiry: Inquiry) -> None:
    inquiry.note(
        Finding(HIGH, "deletes" if DELETION in categories else "contacts", call.program,
                f"a program that is not known {why}",
                f"Tells {worded(call.program)}, a program that is not known, to {order}", "", categories, "low")
    )  # fmt: skip


def _destroys(word: str) -> bool:
    """`delete`, `delete-job`, `purge_all`, `jobs:destroy`."""
    return word in DESTRUCTIVE or not DESTRUCTIVE.isdisjoint(_parts(word))


def _parts(word: str) -> list[str]:
    """The words an order is made of; none when it is an option, a path or a name."""
    if word[:1] == "-" or "." in word or "/" in word:
        return []
    parts = "".join([letter if letter.isalnum() else " " for letter in word]).split()
    return parts if len(parts) <= _WORDS_OF_A_VERB else []
