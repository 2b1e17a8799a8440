"""Whether the repository knows the branch or commit that somebody named: asked before a model is, which costs more.

Git is run as any other command, confined and reading only. Where it cannot be, nobody is held up: the reviewer will
meet the same name, and say so.
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


def _answer(where: Environment, revision: str) -> CommandResult | None:
    from sandgate.runtime import open_runtime

    typed = where.typed.but(sandbox_mode="read-only", approval_policy="never")
    quiet = where.but(typed=typed, person_present=False)
    argv = ("git", "rev-parse", "--verify", "--quiet", "--end-of-options", revision)
    try:
        with open_runtime(quiet) as runtime:
            return runtime.run(runtime.request(argv, timeout_ms=LIMIT_MS)).result
    except SandgateError:
        return None
