"""Code hosts: GitHub, GitLab, Gitea and their command-line programs. What is done there, other people see.

Reading there is medium (it uses the network), writing words (an issue, a comment, a draft) too; what merges, publishes,
gives rights or deletes is high, because it works at once and for everybody.
"""

from __future__ import annotations

from sandgate.assessment.findings import (
    COMPLIANCE,
    DELETION,
    EXFILTRATION,
    HIGH,
    LOW,
    MEDIUM,
    NETWORK,
    PRIVILEGE,
    SYSTEM,
)
from sandgate.assessment.knowledge.entry import Entry, Worse
from sandgate.assessment.listing import phrases

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.risk import RiskCategory

# Whatever the noun before it: `gh label delete`, `glab release delete`, `tea branches rm`.
LOST = Worse(
    "", HIGH, "Deletes something on the code host", (DELETION, NETWORK), "It is gone for everybody",
    operands="delete destroy remove purge unpublish erase wipe rm delete- remove-",
)  # fmt: skip


def _high(does: str, categories: tuple[RiskCategory, ...], names: str) -> tuple[Entry, ...]:
    return tuple(
        Entry(name, HIGH, does, (name,), kind="contacts", categories=categories, harmless="--help --dry-run")
        for name in phrases(names)
    )


def _host(name: str) -> tuple[Entry, ...]:
    """What every one of these programs calls by the same words."""
    return (
        Entry(name, MEDIUM, "Talks to the code host", (f"{name} issue list", f"{name} label delete x => high"),
              kind="contacts", categories=(NETWORK,), values="-R --repo", worse=(LOST,)),
        *_high("Merges into a branch of the code host", (NETWORK, COMPLIANCE), f"""
            {name} pr merge, {name} mr merge, {name} mr accept, {name} pulls merge"""),
        *_high("Publishes a release", (NETWORK, COMPLIANCE, EXFILTRATION), f"""
            {name} release create, {name} release upload, {name} release edit, {name} releases create,
            {name} release publish"""),
        *_high("Changes secrets or variables on the code host", (NETWORK, SYSTEM), f"""
            {name} secret set, {name} variable set, {name} variable update"""),
        *_high("Gives an access key to the code host", (NETWORK, PRIVILEGE), f"""
            {name} ssh-key add, {name} gpg-key add, {name} repo deploy-key add, {name} deploy-key add"""),
        *_high("Changes a repository on the code host", (NETWORK, COMPLIANCE), f"""
            {name} repo edit, {name} repo update, {name} repo transfer, {name} repo mirror, {name} repo sync"""),
        *_high("Deletes secrets or variables on the code host", (DELETION, NETWORK), f"""
            {name} secret remove, {name} variable remove, {name} secret delete, {name} variable delete"""),
        *_high("Deletes a repository on the code host", (DELETION, NETWORK), f"""
            {name} repo delete, {name} repo archive, {name} repos delete, {name} project delete"""),
        *_high("Publishes files", (EXFILTRATION, NETWORK), f"{name} gist create, {name} snippet create, {name} gist "
            "edit"),
        Entry(f"{name} auth", MEDIUM, "Handles the sign-in at the code host", (f"{name} auth status",), kind="contacts",
              categories=(NETWORK,),
              worse=(Worse("-t --show-token", HIGH, "Prints your access token", (EXFILTRATION,)),
                     Worse("", HIGH, "Changes who is signed in at the code host", (SYSTEM, NETWORK),
                           operands="logout refresh"),
                     Worse("-s --scopes", HIGH, "Asks for more rights at the code host", (PRIVILEGE, NETWORK)))),
        Entry(f"{name} api", MEDIUM, "Talks to the code host",
              (f"{name} api repos", f"{name} api -X DELETE repos/a => high", f"{name} api -X GET repos/a"),
              kind="contacts", categories=(NETWORK,), values="-f -F -H -q -t -X --jq --method --field --raw-field "
              "--header --input --template --hostname --cache"),
    )  # fmt: skip


ENTRIES: tuple[Entry, ...] = (
    *_host("gh"), *_host("glab"),
    *(Entry(name, MEDIUM, "Talks to the code host", (f"{name} issue", f"{name} x delete => high"), kind="contacts",
            categories=(NETWORK,), worse=(LOST, Worse("", HIGH, "Publishes or merges on the code host",
                                                      (NETWORK, COMPLIANCE), operands="merge release fork")))
      for name in ("tea", "hub", "bkt", "berg", "lab")),
    *_high("Prints your access token", (EXFILTRATION,), "gh auth token, glab auth token, "
            "glab config get token, glab variable export, glab variable get"),
    *_high("Runs jobs on the code host", (SYSTEM, NETWORK), "gh workflow run, glab ci run, glab pipeline run"),
    *_high("Switches checks on the code host", (NETWORK, COMPLIANCE), """
        gh workflow disable, gh ruleset delete, glab schedule delete"""),
    *_high("Runs code of other people with your access", (NETWORK, SYSTEM), "gh extension install, gh ext install"),
    Entry("gh repo create", MEDIUM, "Creates a repository on the code host",
          ("gh repo create x --private", "gh repo create x --public => high"), kind="contacts", categories=(NETWORK,),
          worse=(Worse("--public", HIGH, "Publishes a repository", (EXFILTRATION, NETWORK)),)),
    Entry("gh pr close", MEDIUM, "Closes a pull request", ("gh pr close 3", "gh pr close 3 -d => high"),
          kind="contacts", categories=(NETWORK,),
          worse=(Worse("-d --delete-branch", HIGH, "Deletes a branch on the code host", (DELETION, NETWORK)),)),
    Entry("gh alias", MEDIUM, "Changes what a word means to gh", ("gh alias set x y",), kind="writes"),
    Entry("gh alias list", LOW, "Lists short names", ("gh alias list",), kind="reads"),
    Entry("gh codespace delete", HIGH, "Deletes a machine of the code host", ("gh codespace delete",), kind="deletes",
          categories=(DELETION, NETWORK)),
    Entry("gh codespace ssh", HIGH, "Runs commands on another machine", ("gh codespace ssh",), kind="contacts",
          categories=(NETWORK,)),
)  # fmt: skip
