"""What a name in a git directory means when a command has written it: gitrepository-layout(5), git-rebase(1).

By names alone. Each kind has a form (`sandbox/git_forms.py`); what has no kind here is never carried over from a draft.
"""

from __future__ import annotations

from sandgate.places.git import CODE, WORKTREE_CODE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    StateKind = Literal[
        "ref", "refs", "packed", "log", "index", "text", "blank", "steps", "author", "strategy", "options", "home",
        "shared",
    ]  # fmt: skip
    Kind = Literal["object", "pack", "config", "scratch"] | StateKind

HASH_CHARS = (40, 64)  # SHA-1, SHA-256, in hexadecimal digits
_HEX = frozenset("0123456789abcdef")
_HEADS = frozenset((
    "HEAD", "ORIG_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD", "BISECT_HEAD", "AUTO_MERGE",
    "BISECT_EXPECTED_REV", "NOTES_MERGE_REF", "NOTES_MERGE_PARTIAL",
))  # fmt: skip
_TEXTS = frozenset((
    "COMMIT_EDITMSG", "MERGE_MSG", "MERGE_MODE", "MERGE_RR", "SQUASH_MSG", "TAG_EDITMSG", "NOTES_EDITMSG",
    "FETCH_HEAD", "EDIT_DESCRIPTION", "description", "shallow", "MERGE_AUTOSTASH", "REBASE_AUTOSTASH", "locked",
    "BISECT_LOG", "BISECT_START", "BISECT_TERMS", "BISECT_ANCESTORS_OK", "info/exclude", "info/sparse-checkout",
))  # fmt: skip
_SCRATCH = frozenset((
    "gc.log", "gc.pid", "info/refs", "objects/info/packs", "objects/info/commit-graph", "addp-hunk-edit.diff",
    "COMMIT_EDITMSG~", "gitk.cache",
))  # fmt: skip
_SCRATCH_BEGINNINGS = (
    "fsmonitor--daemon",
    "objects/info/commit-graphs/",
    "objects/pack/multi-pack-index",
    "index.stash.",
)
_SCRATCH_ENDS = (".lock", ".sample", ".swp", ".bitmap", ".rev", ".mtimes")
# Files in the state of a rebase, of `git am` or of a series of picks that say more than words and numbers.
_STATE = ("rebase-merge/", "rebase-apply/", "sequencer/")
_STATE_KINDS: dict[str, Kind] = {
    "git-rebase-todo": "steps",
    "git-rebase-todo.backup": "steps",
    "todo": "steps",
    "done": "steps",
    "author-script": "author",
    "strategy": "strategy",
    "strategy_opts": "options",
    "gpg_sign_opt": "options",
    "gpg-sign": "options",
    "opts": "options",
    "apply-opt": "blank",
}
# Directories of a git directory: below one of them no submodule's own begins.
_LAYOUT = frozenset((
    "objects", "refs", "logs", "info", "hooks", "worktrees", "modules", "sequencer", "remotes", "branches", "rr-cache",
))  # fmt: skip
_SETTINGS = ("config", "config.worktree")
_BLANK = frozenset(("BISECT_NAMES",))  # older programs evaluate it
_OWN_REFS = ("refs/bisect/", "refs/worktree/", "refs/rewritten/")  # of a linked worktree


def kind_of(path: str) -> Kind | None:
    """The kind of `path`, relative to a git directory, below which submodules' and worktrees' own may lie."""
    rest, is_linked = innermost(path)[1:]
    return _linked_kind(rest) if is_linked else _kind(rest)


def innermost(path: str) -> tuple[str, str, bool]:
    """The git directory in this one that `path` lies in ("" is itself), the rest, whether it is a linked worktree's."""
    directory, parts = "", path.split("/")
    while parts[0] == "modules" and len(parts) > 2:
        end = next((at for at in range(2, len(parts)) if _begins_layout(parts[at])), len(parts) - 1)
        directory, parts = "/".join(filter(None, (directory, *parts[:end]))), parts[end:]
    is_linked = parts[0] == "worktrees" and len(parts) > 2
    if is_linked:
        directory, parts = "/".join(filter(None, (directory, *parts[:2]))), parts[2:]
    return directory, "/".join(parts), is_linked


def _begins_layout(name: str) -> bool:
    return name in _LAYOUT or name.startswith("rebase-")


def _kind(rest: str) -> Kind | None:
    name = rest.rpartition("/")[2]
    if rest.startswith("refs/"):
        return "ref" if is_ref_name(rest) else _leftover(rest)
    if rest.startswith("objects/"):
        return _object_kind(rest)
    if rest in _SETTINGS:
        return "config"
    return None if _is_code(rest, CODE) and not name.endswith(_SCRATCH_ENDS) else _either_kind(rest)


def _linked_kind(rest: str) -> Kind | None:
    if rest in ("gitdir", "commondir"):
        return "home" if rest == "gitdir" else "shared"
    if rest == _SETTINGS[1]:
        return "config"
    if rest.startswith("refs/"):
        return "ref" if rest.startswith(_OWN_REFS) and is_ref_name(rest) else _leftover(rest)
    return None if _is_code(rest, WORKTREE_CODE) else _either_kind(rest)


def _either_kind(rest: str) -> Kind | None:
    """What a git directory and that of a linked worktree both have."""
    if rest in _HEADS:
        return "ref"
    if rest in _TEXTS:
        return "text"
    if rest == "index" or (rest.startswith("sharedindex.") and _HEX.issuperset(rest[len("sharedindex.") :])):
        return "index"
    if rest in ("packed-refs", "MERGE_HEAD"):
        return "packed" if rest == "packed-refs" else "refs"
    if rest == "logs/HEAD" or (rest.startswith("logs/refs/") and is_ref_name(rest[len("logs/") :])):
        return "log"
    return _state_kind(rest)


def _state_kind(rest: str) -> Kind | None:
    if rest in _BLANK:
        return "blank"
    if rest.startswith(_STATE) and not rest.endswith(".lock"):
        name = rest.partition("/")[2]
        return _STATE_KINDS.get(name, "text" if _is_plain(name) or name.startswith("rewritten/") else None)
    return _leftover(rest)


def _object_kind(rest: str) -> Kind | None:
    """Leftovers of objects that were never finished go for nothing."""
    folder, _, name = rest[len("objects/") :].partition("/")
    if len(folder) == 2 and _HEX.issuperset(folder) and len(folder) + len(name) in HASH_CHARS and _HEX.issuperset(name):
        return "object"
    stem, _, ending = name.partition(".")
    if folder == "pack" and stem.startswith("pack-") and ending in ("pack", "idx") and _HEX.issuperset(stem[5:]):
        return "pack"
    return "scratch" if name.startswith(("tmp_", ".tmp-")) or ending == "keep" else _leftover(rest)


def _leftover(rest: str) -> Kind | None:
    is_scratch = rest in _SCRATCH or rest.startswith(_SCRATCH_BEGINNINGS) or rest.endswith(_SCRATCH_ENDS)
    return "scratch" if is_scratch else None


def _is_code(rest: str, code: tuple[str, ...]) -> bool:
    return any(f"{rest}/".startswith(f"{name}/") for name in code)


def _is_plain(name: str) -> bool:
    return bool(name) and name.replace("-", "").replace("_", "").replace(".", "").isalnum() and name[0] != "."


def is_ref_name(name: str) -> bool:
    """git-check-ref-format(1)."""
    if not name.startswith("refs/") or ".." in name or "@{" in name or name.endswith((".", "/")):
        return False
    if any(ord(char) <= 32 or char in "~^:?*[\\\x7f" for char in name):
        return False
    return all(part and part[0] != "." and not part.endswith(".lock") for part in name.split("/"))
