"""Where a push leads: a name leads where its owner once said, an address or a name made a moment ago leads anywhere.

What one command of a line does to remotes and to the staged files is noted for a push that follows in the same line.
"""

from __future__ import annotations

from sandgate.assessment.inline import host_of
from sandgate.assessment.judges.common import by_table
from sandgate.assessment.listing import words
from sandgate.assessment.places import place_of
from sandgate.assessment.wording import worded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.assessment.inquiry import Call, Inquiry
    from sandgate.assessment.options import Parsed

# Keys of `Inquiry.written` that are no paths.
NEW_REMOTE = "git remote "  # and its name: its address
STAGED_SECRET = "git add"  # the path of a secret that was staged
PUSHING = frozenset(words("push import send put email bundle"))
OWN_REMOTES = frozenset(words("origin upstream heroku dokku fork gitlab github"))


def _git_push(options: Parsed, _call: Call, inquiry: Inquiry) -> None:
    """A remote has a name somebody gave it; an address on the command line is any place."""
    if STAGED_SECRET in inquiry.written:
        inquiry.send(f"the content of {worded(inquiry.written[STAGED_SECRET])}", "a remote of this repository")
    for name in [arg.text for arg in options.operands[:1]] or ["origin"]:
        address = inquiry.written.get(f"{NEW_REMOTE}{name}", name)
        if "://" in address or ("@" in address and ":" in address):
            host = host_of(address.replace(":", "/", 1) if "://" not in address else address)
            inquiry.send("this repository", host)


def _git_remote(options: Parsed, _call: Call, inquiry: Inquiry) -> None:
    """Remember where a remote now leads, for a push later in the same line.

    The first remote of a new project is `origin`: adding that and pushing is how one publishes one's own work.
    """
    words = [arg.text for arg in options.operands]
    if len(words) == 3 and (words[0] == "set-url" or (words[0] == "add" and words[1] not in OWN_REMOTES)):
        inquiry.written[f"{NEW_REMOTE}{words[1]}"] = words[2]


def judge_other_push(call: Call, inquiry: Inquiry) -> None:
    """`hg push URL`, `svn import . URL`: a server that is named on the command line is any place."""
    by_table(call, inquiry)
    texts = [arg.text for arg in call.args]
    if PUSHING.isdisjoint(texts[:2]):
        return
    address = next((text for text in texts[1:] if "://" in text and not text.startswith("file:")), "")
    if address:
        inquiry.send("this repository", host_of(address))


def _git_add(options: Parsed, call: Call, inquiry: Inquiry) -> None:
    """Remember a secret that is put under version control, for a push later in the same line."""
    for arg in options.operands:
        path, _ = call.paths(arg)
        if path is not None and place_of(path, inquiry.facts).kind == "credentials":
            inquiry.written[STAGED_SECRET] = path


COMMANDS: dict[str, Callable[[Parsed, Call, Inquiry], None]] = {
    "push": _git_push,
    "remote": _git_remote,
    "add": _git_add,
}
