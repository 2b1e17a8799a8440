"""What the names in and beside a git directory mean: gitrepository-layout(5), githooks(5), git-worktree(1)."""

from __future__ import annotations

DIRECTORY = ".git"
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
