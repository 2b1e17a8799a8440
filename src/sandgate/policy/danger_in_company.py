"""What is dangerous about a line as a whole: scripts, wrappers, redirections, and what is fetched and then run."""

from __future__ import annotations

from itertools import pairwise

from sandgate.commandline.invocation import everything_run
from sandgate.commandline.words import program_name, words_of
from sandgate.policy.danger import Danger, danger_of
from sandgate.policy.danger_checks import HARMLESS_DEVICES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.commandline.bashcommands import Redirection
    from sandgate.commandline.split import Segments

    Argv = tuple[str, ...]

_DOWNLOADERS = frozenset(("curl", "wget", "fetch", "aria2c", "http", "https", "nc", "ncat"))
_DECODERS = frozenset(("base64", "base32", "xxd", "openssl"))
_INTERPRETERS = words_of("sh bash zsh dash ksh ash fish python python3 perl ruby node php lua")
_EVALUATORS = frozenset(("eval", "source", ".", "trap"))
_STARTERS_OF_WORDS = frozenset(("exec", "command", "builtin", "coproc"))
_SUBSTITUTIONS = ("$(", "`", "<(")
_INPUTS = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")


def find_in_company(what: Segments, spared: frozenset[Argv]) -> Danger | None:
    """The first dangerous thing in all that the line runs; `spared`: commands of it that are none."""
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
