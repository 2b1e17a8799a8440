"""What a task or a script says it does by its name: `db:drop`, `publishToMavenLocal`, `deploy.sh`."""

from __future__ import annotations

from sandgate.assessment.findings import COMPLIANCE, DELETION, HIGH, NETWORK
from sandgate.assessment.listing import words
from sandgate.assessment.wording import worded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.assessment.inquiry import Inquiry

LOSING = frozenset(words("drop reset wipe purge truncate fresh flush nuke destroy erase zap teardown clear restore"))
STORES = frozenset(
    words("""
    db database databases migrate migration migrations schema schemas table tables ecto prisma pg postgres postgresql
    mysql mongo mongodb redis sqlite sql data storage volume volumes users es elasticsearch repo backup backups
    """)
)
EMPTYING = frozenset(words("flush reset_db db:schema:load db:structure:load db:setup doctrine:fixtures:load sqlflush"))
PUBLISHING = frozenset(words("publish deploy unpublish ship rollout promote undeploy upload"))
HARMLESS = frozenset(words("local locally dry dryrun check test tests preview status list plan validate client cache"))


# How statements begin that lose data; `update` is one of them where it names no rows.


def parts_of(name: str) -> list[str]:
    """The lower-case words of a task's name: `publishToMavenLocal` → publish, to, maven, local."""
    spaced = ""
    for at, letter in enumerate(name):
        if letter.isupper() and at and name[at - 1].islower():
            spaced += " "
        spaced += letter.lower() if letter.isalnum() else " "
    return spaced.split()


def judge_name(name: str, inquiry: Inquiry, *, releases: bool) -> None:
    """Note what the name of a task or a script says it does. `releases`: whether `release` means to publish."""
    parts = set(parts_of(name))
    if parts & HARMLESS:
        return
    publishing = parts & PUBLISHING or (releases and "release" in parts)
    if name in EMPTYING or (parts & LOSING and parts & STORES):
        inquiry.add(HIGH, "deletes", "database", "a task that empties a database",
                    f"Runs {worded(name)}, which empties a database", "Only a backup can bring it back",
                    (DELETION,))  # fmt: skip
    elif publishing:
        inquiry.add(HIGH, "contacts", name, "a task that publishes or deploys",
                    f"Runs {worded(name)}, which publishes or deploys", "Other people see it at once",
                    (NETWORK, COMPLIANCE))  # fmt: skip
