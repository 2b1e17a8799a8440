"""Where a repository's remotes lead, as its own settings say: git-config(1), `remote.*`.

Other settings may turn any address into another one (`url.*.insteadOf`), also those of the user and of the machine.
Where one of these files has such a setting, or takes settings from other files, nothing is said here.
"""

from __future__ import annotations

import os
from os.path import dirname, join

from sandgate.commandline.git_settings import settings_in
from sandgate.places import git
from sandgate.sandbox.file_bytes import whole_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Addresses = tuple[tuple[str, ...], tuple[str, ...]]  # fetched from, pushed to

CONFIG_BYTES_MAX = 256 << 10  # of one file
MACHINE_SETTINGS = "/etc/gitconfig"
_REWRITING = ("insteadof", "include")  # anywhere in a file, be it in a comment
_ELSEWHERE = ("[remote", "[branch", "pushdefault", "pushremote")  # settings of remotes beside the repository's own
_NAMING = ("remote", "pushremote")  # of a branch: a remote, or an address
_LEADING = ("vcs", "receivepack", "uploadpack", "proxy")  # of a remote: programs and ways in between
_OLD_PLACES = ("remotes", "branches")  # directories in which older ones kept remotes


def remotes_of(top: str, environ: Mapping[str, str], *, at: str = "") -> dict[str, Addresses] | None:
    """The addresses of each remote of the repository at `top`; None where that is not all that counts, or where git
    has another one in the directory `at`, which is real and lies below."""
    own = join(top, git.DIRECTORY)
    try:
        if os.path.lexists(join(own, "commondir")) or any(map(_is_repository, _between(at, top))):
            return None
        if any(map(os.listdir, filter(os.path.isdir, (join(own, name) for name in _OLD_PLACES)))):
            return None
        text = _text(join(own, "config"))
        others = _texts_beside(environ)
    except (OSError, ValueError):
        return None
    if _have_any(_REWRITING, text, *others) or _have_any(("worktreeconfig",), text):
        return None
    if _have_any(_ELSEWHERE, *others):
        return None
    return _addresses(settings_in(text))


def are_taken_as_written(environ: Mapping[str, str]) -> bool:
    """Whether no setting of the user or of the machine turns an address into another one."""
    try:
        return not _have_any(_REWRITING, *_texts_beside(environ))
    except (OSError, ValueError):
        return False


def _texts_beside(environ: Mapping[str, str]) -> list[str]:
    return [_text(path) for path in _beside(environ) if os.path.lexists(path)]


def _have_any(marks: tuple[str, ...], *texts: str) -> bool:
    return any(mark in each.lower() for each in texts for mark in marks)


def _between(at: str, top: str) -> Iterator[str]:
    """The directory `at`, and those above it below `top`."""
    while at.startswith(top.rstrip("/") + "/"):
        yield at
        at = dirname(at)


def _is_repository(directory: str) -> bool:
    """Whether git takes it for a bare one."""
    return all(os.path.lexists(join(directory, name)) for name in ("HEAD", "objects", "refs"))


def _beside(environ: Mapping[str, str]) -> tuple[str, ...]:
    home = environ.get("HOME", "/")
    return (
        MACHINE_SETTINGS,
        join(home, ".gitconfig"),
        join(environ.get("XDG_CONFIG_HOME") or join(home, ".config"), "git/config"),
    )


def _addresses(settings: list[tuple[str, str]]) -> dict[str, Addresses] | None:
    found: dict[str, tuple[list[str], list[str]]] = {}
    named = []
    for key, value in settings:
        section, _, rest = key.partition(".")
        name, _, last = rest.rpartition(".")
        if section == "remote" and last in _LEADING:
            return None
        if section == "remote" and last in ("url", "pushurl"):
            found.setdefault(name, ([], []))[last == "pushurl"].append(value)
        elif (section == "branch" and last in _NAMING) or key == "remote.pushdefault":
            named.append(value)
    if any(name not in found for name in named):
        return None  # a branch that is pushed to an address, or into the repository itself
    return {name: (tuple(urls), tuple(pushed or urls)) for name, (urls, pushed) in found.items()}


def _text(path: str) -> str:
    return whole_bytes(path, CONFIG_BYTES_MAX, follows=True).decode("utf-8", "surrogateescape")
