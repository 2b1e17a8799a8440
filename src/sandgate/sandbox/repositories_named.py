"""Whether a command works with a repository that commands may have made: in its directory, or named by its words.

Git runs the hooks and settings of the repository in which it is started, and the hooks of one on this machine to which
it pushes. Those of a workspace's own repository are closed to commands; those of one that was made below it are not. So
a rule that takes `git push` out of the sandbox speaks for none of these.
"""

from __future__ import annotations

import os
from os.path import join, realpath

from sandgate.places import git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

NAMES = (git.DIRECTORY, ".hg", ".jj", ".sl", ".svn", ".bzr")  # each with settings or hooks that are run
SUFFIXES = ("", "/.git", ".git")  # git tries them behind the address of a repository on this machine, git-fetch(1)
WORDS_MAX = 64  # of one command that are looked at; with more, it is not known
BASES_MAX = 64  # directories above one another that relative paths are looked up in
GLOBBED_MAX = 64  # paths that one word stands for; with more, it is not known
_LOCAL = "file://"
_POINTER = b"gitdir:"
_GLOBS, _BRACE = "*?[", "{"
_LETTERS_MAX = 4096  # PATH_MAX


def repository_worked_with(cwd: str, words: tuple[str, ...], roots: tuple[str, ...], home: str) -> str:
    """The first one, or the word of which it cannot be told; "" for none. `roots`: where commands may write."""
    ends = frozenset(map(realpath, roots))
    found = _repository_at(cwd, ends)
    if found:
        return found
    if len(words) > WORDS_MAX:
        return words[WORDS_MAX]
    return next(filter(None, (_repository_of(word, base, ends, home) for base in _bases(cwd) for word in words)), "")


def _bases(cwd: str) -> Iterator[str]:
    """Where a relative path may count from: git goes to the top of its repository first."""
    base = realpath(cwd)
    for _ in range(BASES_MAX):
        yield base
        if base == "/":
            return
        base = os.path.dirname(base)


def _repository_of(word: str, base: str, ends: frozenset[str], home: str) -> str:
    for path in _paths(word, base, home):
        if path is None:
            return word
        for suffix in SUFFIXES:
            if found := _named(path + suffix, ends):
                return found
    return ""


def _named(path: str, ends: frozenset[str]) -> str:
    if os.path.isdir(path):
        return _repository_at(path, ends)
    return path if _is_pointer(path) else ""


def _is_pointer(path: str) -> bool:
    """A file that says where the repository is, gitrepository-layout(5)."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return os.read(descriptor, len(_POINTER)) == _POINTER
    except OSError:
        return False
    finally:
        os.close(descriptor)


def _paths(word: str, cwd: str, home: str) -> Iterator[str | None]:
    """What a word, or the value of an option, may name; None for what only the shell knows."""
    for text in dict.fromkeys((word, word.partition("=")[2])):
        path = text.removeprefix(_LOCAL)
        if path != text and "%" in path:
            from urllib.parse import unquote

            path = unquote(path, errors="surrogateescape")
        if path[:2] == "~/" and home:
            path = join(home, path[2:])
        if not path or len(path) > _LETTERS_MAX or "\0" in path:
            continue
        yield join(cwd, path)
        if _BRACE in path:
            yield None
        elif any(mark in path for mark in _GLOBS):
            yield from _globbed(path, cwd)


def _globbed(pattern: str, cwd: str) -> Iterator[str | None]:
    from glob import iglob

    for number, path in enumerate(iglob(pattern, root_dir=cwd)):
        yield join(cwd, path) if number < GLOBBED_MAX else None
        if number >= GLOBBED_MAX:
            return


def _repository_at(path: str, ends: frozenset[str]) -> str:
    """The outermost repository in which `path` lies below the nearest of `ends`; "" for none, and outside of them."""
    directory = realpath(path)
    found = ""
    while directory not in ends:
        if directory == "/":
            return ""
        found = directory if _is_repository(directory) else found
        directory = os.path.dirname(directory)
    return found


def _is_repository(directory: str) -> bool:
    if any(os.path.lexists(f"{directory}/{name}") for name in NAMES):
        return True
    return all(os.path.lexists(f"{directory}/{name}") for name in (git.BARE_MARK, *git.BARE_DIRECTORIES))
