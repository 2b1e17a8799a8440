"""Scripts that travel as data: in the text that `echo` pipes to a shell, in an alias, a variable, a pager's name.

For finding what must be stopped or asked about, so a text too many does no harm: it is only read when something in
the script takes text for a program.
"""

from __future__ import annotations

from sandgate.commandline.commission_rows import COMMISSIONED, ESCAPING, LANGUAGES
from sandgate.commandline.commissions import commissioned, git_runs, run_for
from sandgate.commandline.decoding import ansi
from sandgate.commandline.embedded import COMPLETING, embedded, expanded_again
from sandgate.commandline.escapes import escaped
from sandgate.commandline.heredocs import bodies
from sandgate.commandline.subscripts import NAMING, evaluated, evaluated_anyhow
from sandgate.commandline.words import joined, program_name, split
from sandgate.commandline.wrappers import SHELL_PROGRAMS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from sandgate.commandline.bashcommands import Script

    Argv = tuple[str, ...]

KNOWN_MAX = 500  # commands whose answer is kept
KNOWN_WORDS_MAX = 40  # of one of them
_PIECES_MAX = 8  # strings of a program before those of the command it starts
TEXTS_MAX = 200  # of one script that are read as scripts
_GIT_READINGS_MAX = 8  # places at which the sub-command of git may stand, options and their values before it
_RUNNING_CODE = (
    "system",
    "exec",
    "popen",
    "Popen",
    "spawn",
    "subprocess",
    "`",
    "%x",
    "getline",
    "| ",
    "do shell script",
    "shell",
    "process",
    "run-program",
    "os:cmd",
    "Sys.command",
    ".execute",
)
# Behind one of these and a bracket stands, as text, what is run: `os.system("ls")`, `subprocess.run(["ls"])`.
_RUNNING_CALLS = (
    "system", "popen", "Popen", "run", "call", "check_call", "check_output", "exec", "execSync", "execvp", "execlp",
    "execFile", "spawn", "spawnSync", "do shell script", "run-program", "shell-command", "call-process", "shell",
)  # fmt: skip
_TEXT_READERS = frozenset(("eval", "source", "."))
_SCRIPT_TAKERS = frozenset(("at", "batch", "crontab", "ed", "make", "ssh", "xargs", "parallel", "su"))
_SETTING = ("alias", "export", "declare", "typeset", "env", "sudo", "doas")
# All programs that are looked at for what they hand over.
_TAKING = frozenset((*_SETTING, "git", *COMPLETING, *NAMING, *LANGUAGES, *COMMISSIONED, *ESCAPING))
# Sub-commands of git behind which a command stands.
_GIT_RUNNERS = {("bisect", "run"): 2, ("submodule", "foreach"): 2, ("for-each-repo",): 1, ("difftool",): 1}


def carried(text: str, script: Script) -> tuple[str, ...]:
    """The texts in `script`, which was read from `text`, that something in it may run as a script."""
    found: dict[str, None] = {}
    for assignment in [word.text for command in script.commands for word in command.assignments]:
        name, _, value = assignment.partition("=")
        for inner in run_for(name, _unquoted(value)):
            found[inner] = None
        for inner in evaluated(assignment):
            found[inner] = None
    for inner in (*evaluated_anyhow(text), *expanded_again(text)):
        found[inner] = None
    commands = [argv for argv in script.argvs() if argv]
    for argv in commands:
        for inner in handed_over(argv):
            found[inner] = None
    if any(_runs_text(argv) for argv in commands):
        for each in _texts(text, script):
            found[each] = None
    return tuple(each for each in list(found)[:TEXTS_MAX] if each.strip() and each != text)


_known: dict[Argv, tuple[str, ...]] = {}  # the same command is asked about for its verdict, its rules and its risk


def handed_over(argv: Argv) -> Iterator[str]:
    """What `argv` itself takes as a script besides wrappers: `alias x=…`, `git -c core.pager=…`, `tar --to-command`."""
    name = program_name(argv[0])
    if "=" in argv[0]:  # `time PAGER=x man ls`
        variable, _, value = argv[0].partition("=")
        return run_for(variable, value)
    if name not in _TAKING:
        return iter(())
    known = _known.get(argv)
    if known is None:
        known = tuple(_handed_to(name, argv))
        if len(_known) >= KNOWN_MAX:
            _known.clear()
        if len(argv) <= KNOWN_WORDS_MAX:
            _known[argv] = known
    return iter(known)


def _handed_to(name: str, argv: Argv) -> Iterator[str]:
    if name in _SETTING:
        for word in argv[1:]:
            variable, equals, value = word.partition("=")
            if equals and name == "alias":
                yield value
            elif equals:
                yield from run_for(variable, value)
    if name == "git":
        yield from _of_git(argv)
    if name in LANGUAGES:
        yield from _of_code(argv)
    if name in COMMISSIONED:
        yield from commissioned(argv)
    if name in COMPLETING:
        for word in argv[1:]:
            yield from embedded(word)
    if name in NAMING and (name != "printf" or "-v" in argv or any("%d" in word for word in argv)):
        for word in argv[1:]:
            yield from evaluated(word)
    if name in ESCAPING:
        for word in argv[1:]:
            yield from escaped(name, word)
        if name not in LANGUAGES:
            yield from _of_code(argv)


def _of_git(argv: Argv) -> Iterator[str]:
    for key, value in _git_settings(argv):
        if key.startswith("alias."):
            yield value.removeprefix("!") if value[:1] == "!" else f"git {value}"
        elif git_runs(key):
            yield value.removeprefix("!")
    rebases = "rebase" in argv
    for at, word in enumerate(argv[1:], 1):
        if rebases and word in ("-x", "--exec"):
            yield from argv[at + 1 : at + 2]
        elif word.startswith("ext::"):  # an address that is a command: gitremote-helpers(7), git-remote-ext(1)
            yield word[5:].replace("% ", " ")
    for words, skip in _GIT_RUNNERS.items():
        places = [at for at in range(1, len(argv) - skip + 1) if argv[at : at + len(words)] == words]
        for at in places[:_GIT_READINGS_MAX]:
            rest = [word for word in argv[at + skip :] if word not in ("--recursive", "--")]
            yield rest[0] if len(rest) == 1 else joined(tuple(rest))


def _git_settings(argv: Argv) -> Iterator[tuple[str, str]]:
    """Name and value of what git is told in words, or to keep: `-c`, `clone --config`, `git config KEY VALUE`."""
    kept = argv.index("config") if "config" in argv else len(argv)
    for at, word in enumerate(argv[1:], 1):
        following = argv[at + 1] if at + 1 < len(argv) else ""
        if word in ("-c", "--config"):
            key, equals, value = following.partition("=")
        elif word.startswith("--config="):
            key, equals, value = word[9:].partition("=")
        else:
            key, equals, value = word, "=" if at > kept and "." in word else "", following
        if equals and value:
            yield key, value


def _of_code(argv: Argv) -> Iterator[str]:
    """The strings of a program on a command line that starts other programs."""
    for code in argv[1:]:
        if len(code) > 3 and any(mark in code for mark in _RUNNING_CODE):
            for quote in "'\"`":
                for piece in code.split(quote)[1::2]:
                    if " " in piece or (quote == "`" and program_name(argv[0]) in ("perl", "ruby", "php")):
                        yield piece
            pieces = [piece for piece in code.replace("'", '"').split('"')[1::2] if piece.strip(", ")]
            for at in range(min(len(pieces) - 1, _PIECES_MAX)):  # `require("x").spawnSync("ls", ["-l"])`
                yield " ".join(pieces[at:])
            for mark in _RUNNING_CALLS:
                for after in code.split(mark)[1:]:
                    text = after.lstrip(" ([")
                    if text[:1] in ("'", '"') and text != after:
                        yield text[1:].partition(text[0])[0]


def _runs_text(argv: Argv) -> bool:
    """Whether this command runs a text that stands elsewhere in the script."""
    name = program_name(argv[0])
    if name in _TEXT_READERS:
        return len(argv) == 1 or _is_unseen(argv)
    if name in SHELL_PROGRAMS:
        return all(word[:1] in "-+" for word in argv[1:]) or _is_unseen(argv)
    if name in _SCRIPT_TAKERS:
        return True
    return not SHELL_PROGRAMS.isdisjoint([program_name(word) for word in argv[1:]])


def _is_unseen(argv: Argv) -> bool:
    """Whether one of the words stands for a text that only the running shell knows."""
    return any(
        word[:1] in ("$", "`") or "<(" in word or "/dev/stdin" in word or "/dev/fd/" in word for word in argv[1:]
    )


def _texts(text: str, script: Script) -> Iterator[str]:
    yield from bodies(text)
    words = [word for command in script.commands for word in command.argv]
    words += [each.target.text for each in script.redirections if each.target is not None]
    words += [_unquoted(word.text.partition("=")[2]) for command in script.commands for word in command.assignments]
    for word in words:
        if (" " in word or "\t" in word or "\n" in word) and not _substitution(word):
            yield word
            if "\\" in word:
                yield ansi(word)


def _substitution(word: str) -> bool:
    """Whether it is nothing but `$(…)`, whose commands have been found where it stands."""
    return word[:2] == "$(" and word.find(")") == len(word) - 1


def _unquoted(value: str) -> str:
    """The value of an assignment as written, its quotes taken off."""
    words = split(value)
    return words[0] if words is not None and len(words) == 1 else value.strip("'\"")
