"""Whether the repository knows what the user named, and has anything to look at: asked before a model is, which costs
more.

Git is run as any other command, confined and reading only. Where it cannot be, the review begins all the same: the
reviewer will meet the same name, and say so.
"""

from __future__ import annotations

from sandgate.display import one_line, visible
from sandgate.errors import RequestError, SandgateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.protocol.commands import CommandResult
    from sandgate.runtime import Environment

LIMIT_MS = 10_000  # for the answer of git
UNKNOWN, UNREADABLE = 1, 128  # its exit codes
WHY_CHARACTERS_MAX = 200


def require_revision(where: Environment, name: str, kind: str) -> None:
    """Raises RequestError for a `kind` ("branch", "commit") of which the repository in `where.cwd` knows nothing."""
    result = _answer(where, f"{name}^{{commit}}")
    if result is None or result.termination != "exited":
        return
    if result.exit_code == UNKNOWN:
        hint = "`git branch --all` has the branches" if kind == "branch" else "`git log --oneline` has the commits"
        raise RequestError(f"there is no {kind} `{visible(name)}` in `{visible(where.cwd)}`", hint=hint)
    if result.exit_code == UNREADABLE:
        why = one_line(result.stderr.decode(errors="replace"), limit=WHY_CHARACTERS_MAX)
        raise RequestError(f"git cannot look for the {kind} `{visible(name)}` in `{visible(where.cwd)}`", why=why)


def nothing_changed(where: Environment, branch: str | None) -> bool:
    """Whether git says for certain that there is no change: none against `branch`, or none that is not committed."""
    if branch is None:
        result = _ran(where, ("git", "status", "--porcelain", "--untracked-files=normal"))
        return result is not None and result.exit_code == 0 and not result.stdout and result.termination == "exited"
    against = ("git", "diff", "--quiet", "--no-ext-diff", "--merge-base", "--end-of-options", branch, "--")
    result = _ran(where, against)
    return result is not None and result.exit_code == 0 and result.termination == "exited"


def _answer(where: Environment, revision: str) -> CommandResult | None:
    return _ran(where, ("git", "rev-parse", "--verify", "--quiet", "--end-of-options", revision))


def _ran(where: Environment, argv: tuple[str, ...]) -> CommandResult | None:
    from sandgate.runtime import open_runtime

    typed = where.typed.but(sandbox_mode="read-only", approval_policy="never")
    quiet = where.but(typed=typed, person_present=False)
    try:
        with open_runtime(quiet) as runtime:
            return runtime.run(runtime.request(argv, timeout_ms=LIMIT_MS)).result
    except SandgateError:
        return None
