"""What a grammar cannot say about programs of administration that only read.

Each check sees an argument list its grammar has already accepted, as in `safe_checks`: it understands a little and
refuses the rest.
"""

from __future__ import annotations

from sandgate.commandline.arguments import Reading, grammar, readings
from sandgate.commandline.words import words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from sandgate.commandline.bashwords import Certainty

    Argv = tuple[str, ...]
    Sure = tuple[Certainty, ...]
    Check = Callable[[Reading, Argv, Sure | None], bool]

_TAR_LISTING = grammar(
    "-ajJOtvxz -f= --list --extract --get --to-stdout --verbose --file= --gzip --gunzip --bzip2 --xz --zstd "
    "--auto-compress --wildcards "
    "--no-wildcards --full-time --utc --numeric-owner --totals --exclude= --occurrence[=] *",
    {},
)
_TO_STDOUT = ("-c", "--stdout", "--to-stdout")
_TESTS = ("-l", "-t", "--list", "--test")
_UNPACKS = ("-d", "--decompress", "--uncompress")
_PARTED = words_of("print p free all list devices unit s B kB MB GB TB KiB MiB GiB TiB compact")
_BTRFS = frozenset(
    (group, command)
    for groups, commands in (
        (("filesystem", "fi"), ("df", "usage", "show", "du")),
        (("subvolume", "sub"), ("list", "show", "get-default")),
        (("device", "dev"), ("stats", "usage")),
        (("scrub", "balance"), ("status",)),
        (("qgroup",), ("show",)),
        (("property",), ("get", "list")),
    )
    for group in groups
    for command in commands
)
_BTRFS_OPTIONS = frozenset(("-h", "-H", "-b", "-g", "-k", "-m", "-t", "-T", "-s", "-o", "-p", "-u", "-a", "-q", "-d"))
_TERMINAL_FACTS = words_of("cols lines colors longname bold dim sgr0 smso rmso smul rmul setaf setab rev el op")
_SOCKET_WORDS = words_of(
    "state exclude established syn-sent syn-recv fin-wait-1 fin-wait-2 time-wait closed close-wait last-ack listening "
    "listen closing all connected synchronized bucket big sport dport src dst and or not eq ne gt lt ge le"
)
_BECOMES_OPTION = frozenset("-*?[{$`\"'")  # with these begins a word of which the shell may make an option
_EVALUATED = frozenset("$`'\"\\;|&<>(){}%!# \t\n")  # means something to a shell or a macro
_DD_SETTINGS = words_of("if bs ibs obs count skip status iflag conv cbs iseek")


def _tar(_reading: Reading, argv: Argv, _sure: Sure | None) -> bool:
    """Listing alone, or unpacking to standard output: `tar -tzf a.tgz`, `tar xOf a.tar member`.

    `host:file` would start a remote shell. In letters without a dash, the values follow in the words behind; only `f`
    has one here.
    """
    words = argv[1:]
    if words and words[0][:1] not in ("-", ""):
        if words[0].count("f") != 1 or len(words) < 2:
            return False
        words = (f"-{words[0].replace('f', '')}f", *words[1:])
    meant = readings(words, _TAR_LISTING, permutes=False)  # GNU tar permutes, that of libarchive does not
    return meant is not None and all(_lists_archive(reading) for reading in meant)


def _lists_archive(reading: Reading) -> bool:
    if not reading.has("-t", "--list", "-O", "--to-stdout"):
        return False
    if reading.has("-x", "--extract", "--get") != reading.has("-O", "--to-stdout"):
        return False
    archives = [value for name, value in reading.options if name in ("-f", "--file")]
    return bool(archives) and all(value is not None and ":" not in value for value in archives)


def _unpacked(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    """To standard output, or a mere test. Of `-t` and `-d` the later wins in some of these programs."""
    return reading.has(*_TO_STDOUT) or (reading.has(*_TESTS) and not reading.has(*_UNPACKS))


def _service(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    """`service NAME status`; the name becomes part of a path that is run."""
    rest = reading.operands
    if not rest:
        return bool(reading.options)
    return len(rest) == 2 and rest[1] == "status" and "/" not in rest[0] and rest[0][:1] != "."


def _parted(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    rest = reading.operands[1:]
    if not rest:
        return reading.has("-l", "--list")
    return ("print" in rest or "p" in rest) and all(word in _PARTED or word.isdecimal() for word in rest)


def _btrfs(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    """`device stats -z` resets them, so options are counted off."""
    rest = reading.operands
    return rest[:2] in _BTRFS and all(word[:1] != "-" or word in _BTRFS_OPTIONS for word in rest[2:])


def _only_shown(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    """`dnf history`, `dnf history info 3`, `dnf group list`: the word behind says whether it only shows."""
    return not reading.operands or reading.operands[0] in ("list", "info", "summary", "userinstalled")


def _no_host(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    return not any("@" in word for word in reading.operands)


def _stty(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    return all(word in ("size", "speed") for word in reading.operands)


def _tput(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    """What asks and colours; `tput init` may run a program."""
    rest = reading.operands
    return bool(rest) and rest[0] in _TERMINAL_FACTS and all(word.isdecimal() for word in rest[1:])


def _jar(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    rest = reading.operands
    return len(rest) > 1 and rest[0] in ("t", "tf", "tvf", "vtf") and all(word[:1] != "@" for word in rest)


def _ar(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    rest = reading.operands
    if not rest:
        return reading.has("--version")
    return rest[0] in ("t", "tv", "p") and all(word[:1] != "@" for word in rest)


def _no_plus(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    """Pagers take `+command`; `+G` and `+20` only say where to begin."""
    return all(word[:1] != "+" or word in ("+G", "+F") or word[1:].isdecimal() for word in reading.operands)


def _no_url(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    """No address; `^/` is Subversion's word for the repository's."""
    return all("://" not in word and word[:1] != "^" for word in reading.operands)


def _no_remote(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    """`22,host,80/tcp` has the host looked up."""
    return all("," not in word for word in reading.operands)


def _socket_filter(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    """Words of the filter language, numbers and `:port`; the name of a host would be looked up."""
    return all(
        word in _SOCKET_WORDS or word[:1] == ":" or not any(sign.isalpha() for sign in word)
        for operand in reading.operands
        for word in operand.split()
    )


def _no_pipe(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    """Perl's `open` runs a name that ends in `|`."""
    return all("|" not in word for word in reading.operands)


def _only_xpath(reading: Reading, argv: Argv, _sure: Sure | None) -> bool:
    """XPath that opens no further document; `--output` here is text to print."""
    return _no_url(reading, argv, _sure) and not any("document" in word or "evaluate" in word for word in argv)


def _sox(_reading: Reading, argv: Argv, _sure: Sure | None) -> bool:
    """Only as its first word does `--i` turn sox into soxi."""
    return argv[1:2] in (("--i",), ("--info",)) or argv[1:] in (("--version",), ("--help",))


def _man(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    """Names of pages, not files; the pager is a program."""
    pagers = [value for name, value in reading.options if name in ("-P", "--pager")]
    return all(value == "cat" for value in pagers) and all("/" not in word for word in reading.operands)


def _dscl(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    """`dscl . -read PATH`: one verb, directly behind the directory asked."""
    return reading.operands[1:2] in (("-read",), ("-list",), ("-search",), ("-readall",))


def _quotes(reading: Reading, argv: Argv, sure: Sure | None) -> bool:
    """Scripts that put their options together for `eval`, some with a quote too few: `zgrep --label=\\' ';rm x;#'`."""
    for at, word in enumerate(argv[1:]):
        certainty = "exact" if sure is None else sure[at + 1]
        becomes_option = word[:1] in _BECOMES_OPTION and word[:2] != "{}"  # `find` puts a path there
        if certainty == "unknown" or (certainty != "exact" and becomes_option):
            return False
        if "'" in word and at not in reading.operand_places:
            return False
    return True


def _names(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    """Names that no shell and no macro takes for more: `diffstat '$(x).gz'` and `rpm -qf '%(x)'` run x."""
    return all(_EVALUATED.isdisjoint(word) for word in reading.operands)


def _dd(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    """Without `of=` it writes to standard output."""
    return bool(reading.operands or reading.options) and all(
        word.partition("=")[0] in _DD_SETTINGS and "=" in word for word in reading.operands
    )


def _local_media(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    """Files by plain names: before a colon stands a protocol or a decoder, `@` is a list, `|` a program."""
    inputs = [*reading.operands, *(value or "" for name, value in reading.options if name == "-i")]
    return all(word == "-" or (":" not in word and word[:1] not in ("@", "|")) for word in inputs)


def _own_files(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    """No `host:path`, no `rsync://host`: nothing is contacted."""
    return all(":" not in word for word in reading.operands)


def _to_stdout(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    return len(reading.operands) == 2 and reading.operands[1] == "-"


def _discards(reading: Reading, _argv: Argv, _sure: Sure | None) -> bool:
    """`tee /dev/null`: writes nothing that stays."""
    return all(word in ("/dev/null", "/dev/stderr", "/dev/stdout") for word in reading.operands)


SYSTEM_CHECKS: dict[str, Check] = {
    "discards": _discards,
    "tar": _tar,
    "unpacked": _unpacked,
    "service": _service,
    "parted": _parted,
    "btrfs": _btrfs,
    "no_host": _no_host,
    "only_shown": _only_shown,
    "stty": _stty,
    "tput": _tput,
    "jar": _jar,
    "ar": _ar,
    "no_plus": _no_plus,
    "no_url": _no_url,
    "no_remote": _no_remote,
    "socket_filter": _socket_filter,
    "no_pipe": _no_pipe,
    "only_xpath": _only_xpath,
    "sox": _sox,
    "man": _man,
    "dd": _dd,
    "names": _names,
    "quotes": _quotes,
    "dscl": _dscl,
    "local_media": _local_media,
    "own_files": _own_files,
    "to_stdout": _to_stdout,
}
