"""Scripts that travel as data: in the text that `echo` pipes to a shell, in an alias, a variable, a pager's name.

For finding what must be stopped or asked about, so a text too many does no harm: it is only read when something in
the script takes text for a program.
"""

from __future__ import annotations

from sandgate.commandline.decoding import ansi
from sandgate.commandline.heredocs import bodies
from sandgate.commandline.words import joined, program_name, split, words_of
from sandgate.commandline.wrappers import SHELL_PROGRAMS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from sandgate.commandline.bashcommands import Script

    Argv = tuple[str, ...]

TEXTS_MAX = 200  # of one script that are read as scripts
_LANGUAGES = words_of("python python2 python3 perl ruby node nodejs php lua awk gawk mawk deno bun")
_RUNNING_CODE = ("system", "exec", "popen", "Popen", "spawn", "subprocess", "`", "%x", "getline", "| ")
# A pager, an editor, a transport: programs run the values of these as commands.
_RUN_VARIABLES = words_of(
    "PAGER MANPAGER GIT_PAGER LESSOPEN LESSCLOSE EDITOR VISUAL GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_SSH_COMMAND GIT_SSH "
    "GIT_PROXY_COMMAND GIT_EXTERNAL_DIFF GIT_ASKPASS SSH_ASKPASS SUDO_ASKPASS PROMPT_COMMAND BROWSER RSYNC_RSH "
    "RSYNC_CONNECT_PROG TAR_OPTIONS SHELL MAKEFLAGS PS4 PS1 CVS_RSH SVN_SSH SVN_EDITOR HGEDITOR KUBE_EDITOR "
    "SYSTEMD_EDITOR SYSTEMD_PAGER BAT_PAGER DELTA_PAGER FCEDIT MAILER RUSTC_WRAPPER CC CXX NODE_OPTIONS"
)
_TEXT_READERS = frozenset(("eval", "source", "."))
# Options whose value is a command: with the value in the next word, or attached.
_COMMAND_OPTIONS: dict[str, tuple[str, ...]] = {
    "tar": ("--to-command", "--checkpoint-action", "-I", "--use-compress-program", "--rsh-command", "--info-script",
            "--new-volume-script"),
    "rsync": ("-e", "--rsh", "--rsync-path"),
    "scp": ("-S",),
    "sftp": ("-S",),
    "man": ("-P", "--pager", "-H"),
    "zip": ("-TT", "--unzip-command"),
    "git": ("--tree-filter", "--index-filter", "--msg-filter", "--env-filter", "--commit-filter", "--parent-filter",
            "--tag-name-filter", "--upload-pack", "--receive-pack", "--extcmd", "--exec"),
    "rg": ("--pre",),
    "sort": ("--compress-program",),
    "split": ("--filter",),
}  # fmt: skip
# Programs with a language of their own, in which these begin a command for the shell.
_ESCAPING = words_of("vim vi nvim ex view gvim vimdiff less more gdb sqlite3 psql mysql make ed")
_SETTING = ("alias", "export", "declare", "typeset", "env", "sudo", "doas")
# All programs that are looked at for what they hand over.
_TAKING = frozenset((*_SETTING, "git", *_LANGUAGES, *_COMMAND_OPTIONS, *_ESCAPING))
# Settings of git that name a command, by their beginning or their end.
_GIT_COMMANDS = (
    "core.pager", "core.editor", "core.sshcommand", "core.fsmonitor", "core.askpass", "core.gitproxy", "diff.external",
    "sequence.editor", "credential.helper", "gpg.", "pager.", "filter.", "interactive.difffilter", "uploadpack.",
)  # fmt: skip
_GIT_COMMAND_ENDS = (".textconv", ".cmd", ".command", ".driver", ".program", ".path")
# Sub-commands of git behind which a command stands.
_GIT_RUNNERS = {("bisect", "run"): 2, ("submodule", "foreach"): 2, ("for-each-repo",): 1, ("difftool",): 1}
_ESCAPES = ("!", ":!", "+!", "shell ", ".shell ", ".system ", "system ", "\\! ", "exec=", "+:!", "SHELL=")


def carried(text: str, script: Script) -> tuple[str, ...]:
    """The texts in `script`, which was read from `text`, that something in it may run as a script."""
    found: dict[str, None] = {}
    for assignment in [word.text for command in script.commands for word in command.assignments]:
        name, _, value = assignment.partition("=")
        if name in _RUN_VARIABLES:
            found[_unquoted(value)] = None
    commands = [argv for argv in script.argvs() if argv]
    for argv in commands:
        for inner in handed_over(argv):
            found[inner] = None
    if any(_runs_text(argv) for argv in commands):
        for each in _texts(text, script):
            found[each] = None
    return tuple(each for each in list(found)[:TEXTS_MAX] if each.strip() and each != text)


def handed_over(argv: Argv) -> Iterator[str]:
    """What `argv` itself takes as a script besides wrappers: `alias x=…`, `git -c core.pager=…`, `tar --to-command`."""
    name = program_name(argv[0])
    return _handed_to(name, argv) if name in _TAKING else iter(())


def _handed_to(name: str, argv: Argv) -> Iterator[str]:
    if name in _SETTING:
        for word in argv[1:]:
            variable, equals, value = word.partition("=")
            if equals and (name == "alias" or variable in _RUN_VARIABLES):
                yield value
    if name == "git":
        yield from _of_git(argv)
    if name in _LANGUAGES:
        yield from _of_code(argv)
    for at, word in enumerate(argv[1:], 1):
        if name in _COMMAND_OPTIONS:
            yield from _of_option(word, argv[at - 1], _COMMAND_OPTIONS[name])
        elif name in _ESCAPING:
            escape = next((each for each in _ESCAPES if word.startswith(each)), "")
            if escape:
                yield word[len(escape) :]


def _of_option(word: str, before: str, options: tuple[str, ...]) -> Iterator[str]:
    if before in options:
        yield word.removeprefix("exec=")
    for option in options:
        if word.startswith(option) and len(word) > len(option):
            yield word[len(option) :].removeprefix("=").removeprefix("exec=")


def _of_git(argv: Argv) -> Iterator[str]:
    for at, word in enumerate(argv[1:-1], 1):
        if word == "-c":
            key, _, value = argv[at + 1].partition("=")
            if key.startswith("alias."):
                yield value.removeprefix("!") if value[:1] == "!" else f"git {value}"
            elif key.lower().startswith(_GIT_COMMANDS) or key.lower().endswith(_GIT_COMMAND_ENDS):
                yield value.removeprefix("!")
        elif word in ("-x", "--exec") and "rebase" in argv:
            yield argv[at + 1]
    for words, skip in _GIT_RUNNERS.items():
        for at in range(1, len(argv) - skip + 1):
            if argv[at : at + len(words)] == words:
                rest = [word for word in argv[at + skip :] if word not in ("--recursive", "--")]
                yield rest[0] if len(rest) == 1 else joined(tuple(rest))


def _of_code(argv: Argv) -> Iterator[str]:
    """The strings of a program on a command line that starts other programs."""
    for code in argv[1:]:
        if len(code) > 3 and any(mark in code for mark in _RUNNING_CODE):
            for quote in "'\"`":
                for piece in code.split(quote)[1::2]:
                    if " " in piece:
                        yield piece
            pieces = [piece for piece in code.replace("'", '"').split('"')[1::2] if piece.strip(", ")]
            if len(pieces) > 1:
                yield " ".join(pieces)


def _runs_text(argv: Argv) -> bool:
    """Whether this command runs a text that stands elsewhere in the script."""
    name = program_name(argv[0])
    unseen = any(
        word[:1] in ("$", "`") or "<(" in word or "/dev/stdin" in word or "/dev/fd/" in word for word in argv[1:]
    )
    if name in _TEXT_READERS:
        return unseen or len(argv) == 1
    if name in SHELL_PROGRAMS or name in ("at", "batch", "crontab", "ed", "make", "ssh", "xargs", "parallel", "su"):
        operands = [word for word in argv[1:] if word[:1] not in "-+"]
        return unseen or not operands or name not in SHELL_PROGRAMS
    return any(program_name(word) in SHELL_PROGRAMS for word in argv[1:])


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
