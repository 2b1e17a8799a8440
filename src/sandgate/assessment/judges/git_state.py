"""Where git writes what it keeps: nearly every sub-command that changes anything takes a lock below `.git` first.

A sandbox that protects `.git` stops exactly that, so it is said beforehand. It adds no risk of its own: what the
sub-command does is rated by its entry, and this fact is low.
"""

from __future__ import annotations

from sandgate.assessment.findings import LOW
from sandgate.assessment.listing import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.assessment.expansion import Arg
    from sandgate.assessment.findings import Finding
    from sandgate.assessment.inquiry import Call, Inquiry

WHY = "changes what git keeps in the repository"
# They write files or send text, and leave the repository as it is; `config` tells for itself.
LEAVING = frozenset(
    words("""apply archive bundle checkout-index clean column config fmt-merge-msg format-patch
    instaweb interpret-trailers mailinfo mailsplit merge-file request-pull credential-cache credential-store""")
)
FETCHING = frozenset(("git fetch", "git pull", "git submodule add", "git submodule update"))
ASKING = frozenset(words("list show status log get-url"))  # first words after `notes`, `bisect`, `sparse-checkout`, …


def note_state(call: Call, inquiry: Inquiry, since: int, git_dir: Arg | None) -> None:
    """Add the fact when one of the findings from `since` on says that this git changes its repository.

    `call` begins with the sub-command; `git_dir`: where the repository was said to lie.
    """
    texts = [arg.text for arg in call.args[:2]]
    if not texts or texts[0] in LEAVING or ASKING.intersection(texts[1:]):
        return
    if any(_changes(each) for each in inquiry.findings[since:]):
        where = call.paths(git_dir)[0] if git_dir is not None else _kept_in(call, inquiry, begins=texts[0] == "init")
        _add(where, call, inquiry)


def note_settings(call: Call, inquiry: Inquiry) -> None:
    """Add the fact for a setting of the repository."""
    _add(_kept_in(call, inquiry, begins=False), call, inquiry)


def _add(where: str | None, call: Call, inquiry: Inquiry) -> None:
    if where is not None and not call.remote:
        inquiry.add(LOW, "writes", where, WHY)


def _changes(found: Finding) -> bool:
    return found.target in FETCHING or (found.kind in {"writes", "deletes"} and found.target.startswith("git "))


def _kept_in(call: Call, inquiry: Inquiry, *, begins: bool) -> str | None:
    """The `.git` of the repository around; None when there is none. `begins`: it is made where the command says."""
    if begins:
        named = [arg for arg in call.args[1:] if arg.text[:1] != "-"]
        top = call.paths(named[-1])[0] if named else call.shell.cwd
    elif call.shell.cwd is None:
        return None
    else:
        inquiry.facts.targets.ask(call.shell.cwd)
        seen = inquiry.facts.targets.get(call.shell.cwd)
        top = call.shell.cwd if seen is None else seen.git_root  # nobody looked: taken for the top of its repository
    return None if top is None else f"{top.rstrip('/')}/.git"
