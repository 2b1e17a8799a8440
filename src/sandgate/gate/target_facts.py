"""Looks up what the risk assessor wants to know about paths: the only part of an assessment that touches the disk.

Bounded on purpose: at most `facts.MAX_TARGETS` paths, at most `MAX_ENTRIES` entries below each, one walk upwards
for a repository. Nothing is opened but settings of git, no program is started, and a path that cannot be looked at
counts as absent.
"""

from __future__ import annotations

import os
from os.path import basename, dirname, join, realpath

from sandgate.assessment.facts import MAX_ENTRIES, AssessmentFacts, TargetFacts, Targets
from sandgate.sandbox.project_roots import is_marked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from sandgate.protocol.commands import CommandRequest

DIRECTORY = 0o040000  # S_IFDIR (inode(7)); the `stat` module would cost an import
LINK = 0o120000  # S_IFLNK
KIND_MASK = 0o170000  # S_IFMT


def facts_for(command: CommandRequest, *, environ: Mapping[str, str], writable: tuple[str, ...]) -> AssessmentFacts:
    """Everything `assess` may know about this command's circumstances.

    `environ`: of this process; `writable`: the roots the command may write below.
    """
    return AssessmentFacts(
        home=_account_home(environ),
        cwd=realpath(command.cwd),
        environment=command.env,
        writable_roots=writable,
        targets=on_disk(),
        remotes=lambda top, at: _remotes_of(top, at, command.env),
        as_written=lambda: _as_written(command.env),
        loses_nothing=lambda directory, revision: _loses_nothing(directory, revision, writable),
    )


def _remotes_of(
    top: str, at: str, environ: Mapping[str, str]
) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]] | None:
    from sandgate.sandbox.git_remotes import remotes_of

    return remotes_of(top, environ, at=at)


def _as_written(environ: Mapping[str, str]) -> bool:
    from sandgate.sandbox.git_remotes import are_taken_as_written

    return are_taken_as_written(environ)


def _loses_nothing(directory: str, revision: str, writable: tuple[str, ...]) -> bool:
    from sandgate.sandbox.clean_tree import loses_nothing

    return loses_nothing(directory, revision, map(realpath, writable))


def _account_home(environ: Mapping[str, str]) -> str:
    """The home directory the account database names; `$HOME` may say anything, so it only stands in."""
    import pwd

    try:
        return pwd.getpwuid(os.geteuid()).pw_dir
    except KeyError:
        return environ.get("HOME") or "/"


def on_disk() -> Targets:
    """Paths are looked at when they are asked about."""
    roots: dict[str, str | None] = {}
    return Targets(look=lambda path: _look_at(path, roots))


def _look_at(path: str, roots: dict[str, str | None]) -> TargetFacts:
    try:
        place = join(realpath(dirname(path)), basename(path)) if path != "/" else path
        kind = os.lstat(path).st_mode & KIND_MASK
    except (OSError, ValueError):  # absent, forbidden, or a name no file can have
        return TargetFacts()
    is_directory = kind == DIRECTORY
    return TargetFacts(
        exists=True,
        is_directory=is_directory,
        is_symlink=kind == LINK,
        place=place,
        real=realpath(path),
        entries=_entries(path) if is_directory else None,
        git_root=_git_root(place if is_directory else dirname(place), roots),
        holds_git=is_directory and os.path.lexists(join(path, ".git")),
    )


def _entries(path: str) -> int | None:
    """Entries below `path`, links not followed, counting no further than `MAX_ENTRIES`."""
    count = 0
    waiting = [path]
    while waiting and count < MAX_ENTRIES:
        try:
            with os.scandir(waiting.pop()) as listing:
                for entry in listing:
                    count += 1
                    if count >= MAX_ENTRIES:
                        break
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
        except OSError:
            if count == 0:
                return None
    return count


def _git_root(directory: str, known: dict[str, str | None]) -> str | None:
    """The nearest directory upwards that holds a `.git`."""
    passed: list[str] = []
    current = directory
    root: str | None = None
    while current not in known:
        passed.append(current)
        if is_marked(current, ".git"):
            root = current
            break
        if current == "/":
            break
        current = dirname(current)
    else:
        root = known[current]
    known.update(dict.fromkeys(passed, root))
    return root
