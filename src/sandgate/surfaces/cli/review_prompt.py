"""What a reviewer is told to look at. It gets names, never contents: it looks at the repository itself, confined."""

from __future__ import annotations

from sandgate.display import visible
from sandgate.errors import RequestError
from sandgate.record import Record
from sandgate.surfaces.cli.prompt_input import prompt_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.surfaces.cli.parse import ParsedLine

NAME_CHARACTERS_MAX = 255  # of a branch or a commit
# What Git refuses in names, and what a shell would read as something else.
FORBIDDEN = frozenset(" \t\n\r\\'\"`$&|;<>(){}[]*?!#:")
REPORT = (
    "Report each real problem that these changes bring: what goes wrong, in which case, and where. Leave out what was "
    "wrong before, what is a matter of taste, and what you cannot point at. If there is nothing, say so."
)


class ReviewTarget(Record):
    """What is reviewed: `prompt` for the reviewer, `hint` for people."""

    prompt: str
    hint: str
    revision: str | None = None  # that Git has to know
    kind: str = ""  # "branch", "commit", "prompt"; "": what is not committed


def review_target(parsed: ParsedLine) -> ReviewTarget:
    """What the options name. Raises RequestError when they name two things, or something that is no name."""
    base, commit = parsed.text("base"), parsed.text("commit")
    words = parsed.words[0] if parsed.words else None
    given = [each for each in (base, commit, words) if each is not None]
    if len(given) + parsed.on("uncommitted") > 1:
        raise RequestError(
            "a review has one subject", hint="sandgate review --base BRANCH, --commit SHA, --uncommitted, or PROMPT"
        )
    if base is not None:
        return _against(_name(base, "branch"))
    if commit is not None:
        return _of_commit(_name(commit, "commit"))
    if words is not None:
        return ReviewTarget(prompt_text(words), "your instructions", kind="prompt")
    return _UNCOMMITTED


_UNCOMMITTED = ReviewTarget(
    "Review what has been changed in this repository and is not committed yet: staged changes, unstaged ones, and new "
    f"files that Git does not know. `git status --short` and `git diff HEAD` show them. {REPORT}",
    "uncommitted changes",
)


def _against(branch: str) -> ReviewTarget:
    return ReviewTarget(
        f"Review what the current branch would bring into `{branch}`. Find where both part with "
        f"`git merge-base HEAD {branch}`, and look at everything since with `git diff` against that commit. {REPORT}",
        f"changes against {branch}",
        branch,
        "branch",
    )


def _of_commit(commit: str) -> ReviewTarget:
    return ReviewTarget(
        f"Review the commit `{commit}` and nothing that came after it. `git show {commit}` shows it. {REPORT}",
        f"commit {commit}",
        commit,
        "commit",
    )


def _name(text: str, kind: str) -> str:
    """A name stands in commands that the reviewer runs: it must not be able to be more than a name."""
    odd = not text.isprintable() or not FORBIDDEN.isdisjoint(text) or ".." in text
    if not text or text.startswith(("-", "~", "=")) or odd or len(text) > NAME_CHARACTERS_MAX:
        raise RequestError(f"`{visible(text, limit=NAME_CHARACTERS_MAX)}` is no name of a {kind}")
    return text
