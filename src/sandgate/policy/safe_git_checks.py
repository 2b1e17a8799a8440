"""What a grammar cannot say about the commands of git that only read.

Each check sees an argument list its grammar has already accepted, as in `safe_checks`: it understands a little and
refuses the rest.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.commandline.arguments import Reading
    from sandgate.commandline.bashwords import Certainty

    Argv = tuple[str, ...]
    Sure = tuple[Certainty, ...]
    Check = Callable[[Reading, Argv, Sure | None], bool]

# Settings that choose how something is shown; most others name a program somewhere.
_GIT_SHOWN = ("color.", "advice.", "column.", "i18n.")
_GIT_SHOWING = frozenset(
    ("core.quotepath", "core.abbrev", "diff.renames", "diff.renamelimit", "diff.context", "diff.noprefix", "log.date",
     "log.decorate", "log.abbrevcommit", "status.short", "status.branch", "blame.date", "grep.linenumber")
)  # fmt: skip
_GIT_LOOKS = (
    "color.", "core.quotepath", "core.abbrev", "core.optionallocks", "advice.", "log.date", "log.decorate",
    "diff.renames", "diff.noprefix", "diff.mnemonicprefix", "diff.context", "status.", "column.", "i18n.",
)  # fmt: skip


def _git_format(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    """Signature placeholders run the configured gpg program."""
    return not any(value and ("%G" in value or "signature" in value) for _, value in reading.options)


def _git_branch(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    return not reading.operands or reading.has(
        "--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"
    )


def _git_tag(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    return not reading.operands or reading.has(
        "-l", "--list", "-n", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"
    )


def _git_remote(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    rest = reading.operands
    if rest[:2] == ("show", "-n"):
        return all(word[:1] != "-" for word in rest[2:])
    return not rest or (rest[0] == "get-url" and all(word in ("--push", "--all") or word[:1] != "-" for word in rest))


def _git_settings(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    """`git -c key=value`: keys that choose colours and spelling, and a pager that only copies."""
    settings = [(value or "").lower().partition("=") for name, value in reading.options if name == "-c"]
    return all(
        key.startswith((*_GIT_LOOKS, *_GIT_SHOWN))
        or key in _GIT_SHOWING
        or (key == "core.pager" and value in ("", "cat"))
        for key, _, value in settings
    )


def _git_config(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    rest = reading.operands
    if reading.has("--get", "--get-all", "--get-regexp", "--get-urlmatch", "--list", "-l"):
        return len(rest) <= 1
    if rest[:1] == ("get",):
        rest = rest[1:]
    return rest == ("list",) or (len(rest) == 1 and "." in rest[0])


def _git_stash(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    rest = reading.operands
    options = ("-p", "--patch", "--stat", "--name-only", "--name-status", "--oneline")
    return rest[:1] in (("list",), ("show",)) and all(word[:1] != "-" or word in options for word in rest[1:])


def _git_worktree(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    rest = reading.operands
    return rest[:1] == ("list",) and all(word in ("--porcelain", "-v", "-z", "--verbose") for word in rest[1:])


def _git_submodule(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    rest = reading.operands
    return not rest or (
        rest[0] == "status" and all(word in ("--recursive", "--cached") or word[:1] != "-" for word in rest[1:])
    )


def _reflog(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    return reading.operands[:1] not in (("expire",), ("delete",), ("drop",), ("write",))


GIT_CHECKS: dict[str, Check] = {
    "git_format": _git_format,
    "git_branch": _git_branch,
    "git_tag": _git_tag,
    "git_remote": _git_remote,
    "git_settings": _git_settings,
    "git_config": _git_config,
    "git_stash": _git_stash,
    "git_worktree": _git_worktree,
    "git_submodule": _git_submodule,
    "reflog": _reflog,
}
