"""What the names in and beside a git directory mean: gitrepository-layout(5), githooks(5), git-worktree(1)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

DIRECTORY = ".git"
# One of them is in every command that moves or removes a submodule or a linked worktree.
_MOVING = ("worktree", "submodule", "rm", "mv")
# Where a repository says what its submodules are: gitmodules(5).
SUBMODULE_LIST = ".gitmodules"
# The command of git that makes one.
INIT = "init"
# Without it git takes no directory for a bare repository.
BARE_MARK = "HEAD"
# What a directory must have for git to take it for a repository (`is_git_directory` in git's setup.c).
BARE_DIRECTORIES = ("objects", "refs")
# In a linked worktree's own git directory: names the one that has those, so that it is a repository without them.
COMMON = "commondir"

# What stays read-only inside a git directory when commits are allowed. `commondir` redirects all the others; `remotes`
# and `branches` are the old places that say where to push.
CODE = (
    "hooks",
    "config",
    "config.worktree",
    "commondir",
    "info/attributes",
    "objects/info/alternates",
    "remotes",
    "branches",
)
WORKTREE_CODE = ("config", "config.worktree", "commondir", "gitdir")

# What is left to do of a rebase that was begun: `git rebase --continue` runs its `exec` lines (git-rebase(1)).
STEPS = "rebase-merge/git-rebase-todo"

# githooks(5), git 2.39 and later.
HOOKS = (
    *("applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit", "prepare-commit-msg"),
    *("commit-msg", "post-commit", "pre-rebase", "post-checkout", "post-merge", "pre-push", "pre-receive", "update"),
    *("proc-receive", "post-receive", "post-update", "reference-transaction", "push-to-checkout", "pre-auto-gc"),
    *("post-rewrite", "sendemail-validate", "fsmonitor-watchman", "p4-changelist", "p4-prepare-changelist"),
    *("p4-post-changelist", "p4-pre-submit", "post-index-change"),
)

_CONFIGS = ("config", "config.worktree")
_OF_MODULES = ("objects", "refs", "logs", "info", "hooks", "worktrees", "modules", "rebase-merge", "rebase-apply")


def opened_together(path: str, *, renamed: bool = False) -> tuple[str, ...]:
    """What a git command takes that was refused `path` first; empty where that is not a matter of a git directory.

    A commit goes on from the index to objects, references and logs, in a linked worktree also from its own directory to
    the shared one; a setting is written beside the file and `renamed` onto it. So the git directory is opened, in which
    what is code stays closed, and what else the command cannot do without. Told by names alone.
    """
    top, found, inner = path.rpartition(f"/{DIRECTORY}/")
    if not found or not inner:
        return ()
    directory, parts = _innermost(f"{top}/{DIRECTORY}", inner.split("/"))
    own = f"{directory}/worktrees/{parts[1]}" if parts[0] == "worktrees" and len(parts) > 2 else ""
    rest = "/".join(parts[2:] if own else parts)
    config = rest if renamed and rest in _CONFIGS else rest.removesuffix(".lock")
    if config in _CONFIGS and (renamed or config != rest):
        return tuple(filter(None, (directory, own, f"{own or directory}/{config}")))
    if any(f"{rest}/".startswith(f"{code}/") for code in (WORKTREE_CODE if own else CODE)):
        return ()
    return (directory, own) if own else (directory,)


def in_directory(path: str) -> bool:
    """Whether `path` is a git directory of the usual name, or lies in one."""
    return f"/{DIRECTORY}/" in f"{path}/"


def bare_repository(path: str, exists: Callable[[str], bool]) -> str:
    """The innermost directory above `path` that git takes for a repository by what is in it; "" for none."""
    at = path.rpartition("/")[0]
    while at:
        if all(exists(f"{at}/{name}") for name in (BARE_MARK, *BARE_DIRECTORIES)):
            return at
        at = at.rpartition("/")[0]
    return ""


def is_code(path: str, directory: str) -> bool:
    """Whether `path` lies in the git directory as what stays closed when that is opened, or is its lock."""
    inner = path.removeprefix(f"{directory}/").removesuffix(".lock")
    return any(f"{inner}/".startswith(f"{code}/") for code in CODE)


def may_move_repositories(argv: tuple[str, ...]) -> bool:
    """Whether the line may have git fetch, move or take away submodules or linked worktrees; a first look."""
    script = argv[-1] if argv else ""
    return (
        bool(argv) and ("git" in script or "git" in argv[0]) and any(word in script or word in argv for word in _MOVING)
    )


def _innermost(directory: str, parts: list[str]) -> tuple[str, list[str]]:
    """The submodule's own directory that the path lies in, if any; a name with slashes is as many directories."""
    while parts[0] == "modules" and len(parts) > 2:
        ends = [at for at in range(2, len(parts)) if parts[at] in _OF_MODULES]
        end = ends[0] if ends else len(parts) - 1
        directory, parts = "/".join((directory, *parts[:end])), parts[end:]
    return directory, parts
