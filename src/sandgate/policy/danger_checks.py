"""What is dangerous about a single command, by its program. `dangerous.py` says which function is asked."""

from __future__ import annotations

from itertools import pairwise

from sandgate.commandline.words import program_name, words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Argv = tuple[str, ...]

HARMLESS_DEVICES = frozenset(
    ("/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/zero", "/dev/full", "/dev/tty")
)
_DISKS = ("sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "loop", "dm-", "mapper/", "md", "mem", "kmem", "port")
_TOP_DIRECTORIES = words_of(
    "bin boot dev etc home lib lib32 lib64 media mnt opt proc root run sbin srv sys usr var Users System Library"
)
_HOME_WORDS = frozenset(("~", "$HOME", "${HOME}", "~root", "~+"))
# What narrows down what find finds; `-type f` alone does not.
_FIND_TESTS = (
    "-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex", "-newer", "-mtime", "-mmin", "-ctime",
    "-cmin", "-atime", "-amin", "-size", "-empty", "-lname", "-xtype", "-perm", "-user", "-group", "-inum", "-samefile",
)  # fmt: skip


def rm(arguments: Argv) -> str:
    """Deleting without asking, or a system or home directory with all that is in it."""
    if _has(arguments, "f", "--force"):
        return "deletes without asking"
    if _has(arguments, "rR", "--recursive") and _names_a_root(arguments):
        return "deletes a system or home directory"
    return ""


def find(arguments: Argv) -> str:
    """`find . -delete` deletes the whole tree; with a test beside it, only what passes."""
    deletes = "-delete" in arguments or any(
        word in ("-exec", "-execdir") and program_name(then) in ("rm", "unlink", "rmdir", "shred")
        for word, then in pairwise(arguments)
    )
    tested = any(word.startswith(_FIND_TESTS) for word in arguments)
    return "deletes everything it finds" if deletes and not tested else ""


def recursive_on_root(arguments: Argv) -> str:
    """Owners and modes of a whole system or home directory."""
    hit = _has(arguments, "R", "--recursive") and _names_a_root(arguments)
    return "changes a whole system or home directory" if hit else ""


def dd(arguments: Argv) -> str:
    """An image written over a device."""
    hit = any(word.startswith("of=/dev/") and word[3:] not in HARMLESS_DEVICES for word in arguments)
    return "writes to a device" if hit else ""


def onto_disk(arguments: Argv) -> str:
    """Anything written over a disk."""
    return "writes to a device" if any(_is_disk(word) for word in arguments) else ""


def mv(arguments: Argv) -> str:
    """Files moved onto a disk, or into nothing."""
    return "moves files into nothing" if arguments[-1:] == ("/dev/null",) else onto_disk(arguments)


def git(arguments: Argv) -> str:
    """Work and history that git cannot bring back."""
    if not arguments:
        return ""
    command, rest = arguments[0], arguments[1:]
    if command == "push" and (
        _has(rest, "f", "--force") or _has(rest, "", "--mirror") or any(word[:1] == "+" for word in rest)
    ):
        return "overwrites history on a remote"
    if command == "push" and any(word.startswith("--force") for word in rest):
        return "overwrites history on a remote"
    if command == "clean" and _has(rest, "f", "--force") and not _has(rest, "n", "--dry-run"):
        return "deletes untracked files"
    if command == "reset" and _has(rest, "", "--hard"):
        return "throws away uncommitted work"
    return ""


def signals_everything(arguments: Argv) -> str:
    """Signals to every process there is."""
    return "ends every process it may" if "-1" in arguments[1:] else ""


def crontab(arguments: Argv) -> str:
    """A user's whole table of jobs deleted."""
    return "deletes all scheduled jobs" if _has(arguments, "r", "") else ""


def wipefs(arguments: Argv) -> str:
    """What says which file system a disk has, erased."""
    return "erases file system signatures" if _has(arguments, "a", "--all") else ""


def _always(why: str) -> Callable[[Argv], str]:
    return lambda _arguments: why


overwrites_files = _always("overwrites files beyond recovery")
makes_file_system = _always("makes a new file system")
overwrites_disk = _always("overwrites a disk")
erases_disk = _always("erases a disk")
stops_machine = _always("stops the machine")


def _has(arguments: Argv, letters: str, long_name: str) -> bool:
    """An option in any cluster and position before `--`; long ones also abbreviated, as getopt accepts them."""
    for word in arguments:
        if word == "--":
            return False
        if word[:2] == "--":
            name = word.partition("=")[0]
            if long_name and len(name) > 2 and long_name.startswith(name):
                return True
        elif word[:1] == "-" and any(letter in word for letter in letters):
            return True
    return False


def _names_a_root(arguments: Argv) -> bool:
    return any(_is_root(word) for word in arguments if word[:1] != "-")


def _is_root(word: str) -> bool:
    """`/`, `/*`, `~`, `$HOME/`, `/etc`, `/home/somebody`: places no recursive change should begin at."""
    parts = [part for part in word.split("/") if part not in ("", ".", "*", ".*")]
    if word[:1] == "/":
        if ".." in parts or not parts:
            return True
        return (len(parts) == 1 and parts[0] in _TOP_DIRECTORIES) or (len(parts) == 2 and parts[0] in ("home", "Users"))
    return len(parts) == 1 and parts[0] in _HOME_WORDS


def _is_disk(word: str) -> bool:
    return word.startswith("/dev/") and word[5:].startswith(_DISKS)
