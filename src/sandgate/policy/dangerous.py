"""Commands that can destroy more than they should, recognised however they are dressed.

The list is short on purpose: a prompt for every delete teaches people to say yes. It looks at everything a
command line runs, through wrappers and inside scripts we could not fully read, because a match may only ever
make a verdict stricter.
"""

from __future__ import annotations

from itertools import pairwise

from sandgate.commandline.split import segments
from sandgate.commandline.words import program_name, words_of
from sandgate.commandline.wrappers import STARTERS
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.commandline.bashcommands import Redirection
    from sandgate.commandline.split import Segments

    Argv = tuple[str, ...]


class Danger(Record):
    """Which command, and what is dangerous about it."""

    argv: Argv
    why: str


HARMLESS_DEVICES = frozenset(
    ("/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/zero", "/dev/full", "/dev/tty")
)
_DISKS = ("sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "loop", "dm-", "mapper/", "md", "mem", "kmem", "port")
_TOP_DIRECTORIES = words_of(
    "bin boot dev etc home lib lib32 lib64 media mnt opt proc root run sbin srv sys usr var Users System Library"
)
_HOME_WORDS = frozenset(("~", "$HOME", "${HOME}", "~root", "~+"))
_DOWNLOADERS = frozenset(("curl", "wget", "fetch", "aria2c", "http", "https", "nc", "ncat"))
_DECODERS = frozenset(("base64", "base32", "xxd", "openssl"))
_INTERPRETERS = words_of("sh bash zsh dash ksh ash fish python python3 perl ruby node php lua")
# What narrows down what find finds; `-type f` alone does not.
_FIND_TESTS = (
    "-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex", "-newer", "-mtime", "-mmin", "-ctime",
    "-cmin", "-atime", "-amin", "-size", "-empty", "-lname", "-xtype", "-perm", "-user", "-group", "-inum", "-samefile",
)  # fmt: skip
_EVALUATORS = frozenset(("eval", "source", ".", "trap"))
_STARTERS_OF_WORDS = frozenset(("exec", "command", "builtin", "coproc"))
_SUBSTITUTIONS = ("$(", "`", "<(")
_INPUTS = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")


NONE_SPARED: frozenset[Argv] = frozenset()


def find_danger(what: Segments, spared: frozenset[Argv] = NONE_SPARED) -> Danger | None:
    """The first dangerous thing a command line does, or None. `spared`: commands of it that are none, as is known."""
    if what.script is None and (not what.argv or program_name(what.argv[0]) not in STARTERS):
        why = danger_of(what.argv) if what.argv and what.argv not in spared else ""
        return Danger(what.argv, why) if why else None
    return _find_inside(what, spared)


def dangerous_segments(what: Segments, danger: Danger | None, spared: frozenset[Argv]) -> list[bool]:
    """Which segments are dangerous by themselves; the last one stands for a danger of the line as a whole."""
    if danger is None:
        return [False] * len(what.commands)
    if len(what.commands) == 1:
        return [True]
    found = {command: find_danger(segments(command), spared) is not None for command in dict.fromkeys(what.commands)}
    each = [found[command] for command in what.commands]
    return each if any(each) else [*each[:-1], True]


def _find_inside(what: Segments, spared: frozenset[Argv]) -> Danger | None:
    from sandgate.commandline.invocation import everything_run

    everything = everything_run(what)
    if any(_hits_device(redirection) for redirection in everything.redirections):
        return Danger(what.argv, "writes to a device")
    connected = [
        each.target.text for each in everything.redirections if each.target is not None and is_connection(each)
    ]
    inside = _started_inside(what, everything.commands)
    if connected and (why := _connection_danger(connected, inside)):
        return Danger(what.argv, why)
    if any(_is_fork_bomb(script) for script in everything.scripts):
        return Danger(what.argv, "starts copies of itself without end")
    for argv in everything.commands:
        why = danger_of(argv)
        if why and argv not in spared:
            return Danger(argv, why)
    if len(everything.commands) > 1 and _runs_what_it_fetches(inside, kept=_substitutes(everything.commands)):
        return Danger(what.argv, "runs code it downloads or decodes")
    if everything.incomplete:
        return Danger(what.argv, "too long to be understood")
    return None


def _started_inside(what: Segments, commands: tuple[Argv, ...]) -> tuple[Argv, ...]:
    """Without the shell that was given the script: no substitution in it made its words, and what they hold is read."""
    return commands if what.script is None else tuple(argv for argv in commands if argv != what.argv)


def danger_of(argv: Argv) -> str:
    """What is dangerous about one simple command itself; empty when nothing is."""
    name = program_name(argv[0])
    check = _CHECKS.get(name)
    if check is not None:
        return check(argv[1:])
    if name.startswith("mkfs"):
        return "makes a new file system"
    if argv[0][:1] in ("$", "`") and any(word in ("-rf", "-fr") for word in argv[1:]):
        return "a program we cannot name is told to delete recursively"
    return ""


def _rm(arguments: Argv) -> str:
    if _has(arguments, "f", "--force"):
        return "deletes without asking"
    if _has(arguments, "rR", "--recursive") and _names_a_root(arguments):
        return "deletes a system or home directory"
    return ""


def _find(arguments: Argv) -> str:
    """`find . -delete` deletes the whole tree; with a test beside it, only what passes."""
    deletes = "-delete" in arguments or any(
        word in ("-exec", "-execdir") and program_name(then) in ("rm", "unlink", "rmdir", "shred")
        for word, then in pairwise(arguments)
    )
    tested = any(word.startswith(_FIND_TESTS) for word in arguments)
    return "deletes everything it finds" if deletes and not tested else ""


def _recursive_on_root(arguments: Argv) -> str:
    hit = _has(arguments, "R", "--recursive") and _names_a_root(arguments)
    return "changes a whole system or home directory" if hit else ""


def _dd(arguments: Argv) -> str:
    hit = any(word.startswith("of=/dev/") and word[3:] not in HARMLESS_DEVICES for word in arguments)
    return "writes to a device" if hit else ""


def _onto_disk(arguments: Argv) -> str:
    return "writes to a device" if any(_is_disk(word) for word in arguments) else ""


def _mv(arguments: Argv) -> str:
    return "moves files into nothing" if arguments[-1:] == ("/dev/null",) else _onto_disk(arguments)


def _git(arguments: Argv) -> str:
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


def _kill(arguments: Argv) -> str:
    return "ends every process it may" if "-1" in arguments[1:] else ""


def _crontab(arguments: Argv) -> str:
    return "deletes all scheduled jobs" if _has(arguments, "r", "") else ""


def _wipefs(arguments: Argv) -> str:
    return "erases file system signatures" if _has(arguments, "a", "--all") else ""


def _always(why: str) -> Callable[[Argv], str]:
    return lambda _arguments: why


_CHECKS: dict[str, Callable[[Argv], str]] = {
    "rm": _rm,
    "find": _find,
    "chmod": _recursive_on_root,
    "chown": _recursive_on_root,
    "chgrp": _recursive_on_root,
    "dd": _dd,
    "tee": _onto_disk,
    "cp": _onto_disk,
    "mv": _mv,
    "git": _git,
    "kill": _kill,
    "crontab": _crontab,
    "wipefs": _wipefs,
    "shred": _always("overwrites files beyond recovery"),
    "srm": _always("overwrites files beyond recovery"),
    "mke2fs": _always("makes a new file system"),
    "mkswap": _always("overwrites a disk"),
    "blkdiscard": _always("erases a disk"),
    "shutdown": _always("stops the machine"),
    "reboot": _always("stops the machine"),
    "halt": _always("stops the machine"),
    "poweroff": _always("stops the machine"),
}


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


def _hits_device(redirection: Redirection) -> bool:
    target = redirection.target
    if target is None or not target.text.startswith("/dev/") or target.text in HARMLESS_DEVICES:
        return False
    if is_connection(redirection):
        return False
    return ">" in redirection.operator and not target.text.startswith(("/dev/fd/", "/dev/shm/", "/dev/pts/"))


def is_connection(redirection: Redirection) -> bool:
    """Bash opens a connection for these names, in either direction."""
    return redirection.target is not None and redirection.target.text.startswith(("/dev/tcp/", "/dev/udp/"))


def _connection_danger(targets: list[str], commands: tuple[Argv, ...]) -> str:
    """`exec 3<>/dev/tcp/localhost/5432` waits for a server of one's own; with a shell behind it, it takes orders."""
    if any(argv[0][:1] in ("$", "`") or _takes_orders(argv) for argv in commands):
        return "runs what comes over a connection"
    hosts = [target.split("/")[3] for target in targets]
    return "" if all(map(_is_this_machine, hosts)) else "opens a connection to another machine"


def _takes_orders(argv: Argv) -> bool:
    """`sh -i 0>&1`: a number in front of a redirection that comes late looks like an operand."""
    words = tuple(word for word in argv if not word.isdigit())
    return _runs_its_input(program_name(argv[0]), words)


def _is_this_machine(host: str) -> bool:
    octets = host.split(".")
    return host in ("localhost", "::1") or (
        len(octets) == 4 and octets[0] == "127" and all(octet.isascii() and octet.isdigit() for octet in octets)
    )


def _is_fork_bomb(script: str) -> bool:
    """`:(){ :|:& };:` under any name."""
    dense = "".join(script.split())
    at = dense.find("(){")
    while at >= 0:
        start = max(dense.rfind(separator, 0, at) for separator in ";&|\n})") + 1
        name = dense[start:at].removeprefix("function")
        if name and f"{name}|{name}" in dense[at : at + 2 * len(name) + 40]:
            return True
        at = dense.find("(){", at + 1)
    return False


def _runs_what_it_fetches(commands: tuple[Argv, ...], *, kept: bool) -> bool:
    """`kept`: something in the line substitutes, so that a variable may hold what was fetched."""
    names = [program_name(argv[0]) for argv in commands]
    named = list(zip(names, commands, strict=True))
    fetches = any(name in _DOWNLOADERS for name in names) or any(
        name in _DECODERS and _decodes(argv) for name, argv in named
    )
    return fetches and any(_runs_its_input(*each) or (kept and _runs_a_variable(*each)) for each in named)


def _substitutes(commands: tuple[Argv, ...]) -> bool:
    return any(mark in word for argv in commands for word in argv for mark in _SUBSTITUTIONS)


def _decodes(argv: Argv) -> bool:
    return any(word in ("-d", "-D", "--decode", "-r", "-di") or word[:2] == "-r" for word in argv[1:])


def _runs_its_input(name: str, argv: Argv) -> bool:
    words = argv[1:]
    substituted = any(mark in word for word in words for mark in _SUBSTITUTIONS)
    if name in _EVALUATORS:
        return substituted or any(word.startswith(_INPUTS) for word in words)
    if name not in _INTERPRETERS:
        return False
    return substituted or all((word[:1] == "-" and word[:2] != "-c") or word.startswith(_INPUTS) for word in words)


def _runs_a_variable(name: str, argv: Argv) -> bool:
    words = argv[1:]
    if argv[0][:1] in ("$", "`") or (name in _STARTERS_OF_WORDS and any(word[:1] in ("$", "`") for word in words)):
        return True
    if name in _EVALUATORS:
        return any("$" in word for word in words)
    return name in _INTERPRETERS and any(option[:1] == "-" and "$" in word for option, word in pairwise(words))
