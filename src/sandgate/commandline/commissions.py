"""Options and variables by which a program is told to run another one.

A pager, a transport, a compressor, a file of code to begin with: what is named there runs as surely as a command of its
own, so it is judged as one. Told apart are values that are command lines, programs that are run over whatever files are
found, and files of code that are loaded. For finding what must be stopped or asked about: abbreviated options, clusters
of letters and values that may be no commands all count, since a text too many does no harm.
"""

from __future__ import annotations

from sandgate.commandline import git_settings, sedscripts
from sandgate.commandline.words import joined, program_name, words_of
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Argv = tuple[str, ...]

UNSEEN = "${?}"  # a script that the text does not show
ABBREVIATED_MIN = 4  # characters of a shortened long option that are enough to mean it, dashes included
# The value is a command line. A name of two words is for that sub-command alone; `-O[=]` takes an attached value only.
COMMAND_LINES: dict[str, str] = {
    "tar": (
        "--to-command --checkpoint-action -I --use-compress-program -F --rsh-command --info-script --new-volume-script"
    ),
    "rsync": "-e --rsh --rsync-path",
    "scp": "-S",
    "sftp": "-S -D",
    "man": "-P --pager -H[=]",
    "zip": "-TT --unzip-command",
    "git": (
        "--tree-filter --index-filter --msg-filter --env-filter --commit-filter --parent-filter --tag-name-filter "
        "--upload-pack --receive-pack --extcmd --exec"
    ),
    "git grep": "-O[=]",
    "git clone": "-u",
    "git difftool": "-x",
    "sort": "--compress-program",
    "split": "--filter",
    "bat": "--pager",
    "batcat": "--pager",
    "delta": "--pager",
    "fzf": "--preview",
    **dict.fromkeys(("diff3", "sdiff"), "--diff-program"),
    "svn": "--diff-cmd --diff3-cmd --editor-cmd",
    "cpio": "--rsh-command",
    "git send-email": "--sendmail-cmd",
    "sk": "--preview",
    "go": "-toolexec -vettool -exec",
    "gcc": "-wrapper",
    "g++": "-wrapper",
    "npm": "--script-shell",
    "yarn": "--script-shell",
    "pnpm": "--script-shell",
    "tcpdump": "-z",
    "wget": "--use-askpass",
    "pip": "--python",
    **dict.fromkeys(("compgen", "complete", "mapfile", "readarray"), "-C"),
    "cmake": "-DCMAKE_C_COMPILER_LAUNCHER -DCMAKE_CXX_COMPILER_LAUNCHER -DCMAKE_C_COMPILER -DCMAKE_CXX_COMPILER",
    "logrotate": "-m --mail",
    "mutt": "-e",
    "docker": "--entrypoint",
    "podman": "--entrypoint",
    "hash": "-p",  # what another name means from now on
    **dict.fromkeys(("nc", "ncat", "netcat"), "-e -c --exec --sh-exec"),
}
# The value is a program that runs with the names of the files that are found.
OVER_FILES: dict[str, str] = {
    "rg": "--pre --hostname-bin",
    "git grep": "-O[=] --open-files-in-pager",
}
# The value is a file of code, or of settings that name programs, which is loaded. Only a path counts: a bare name is
# that of something installed.
CODE_FILES: dict[str, str] = {
    **dict.fromkeys(("bash", "rbash"), "--rcfile --init-file"),
    "node": "-r --require --import --loader --experimental-loader",
    "ruby": "-r",
    "lua": "-l",
    "java": "-javaagent -agentpath",
    **dict.fromkeys(("gcc", "g++", "cc", "c++", "clang", "clang++"), "-B -fplugin -specs"),
    "openssl": "-engine -provider-path",
    "openssl engine": "-t",
    "ssh": "-F -I",
    "scp": "-F",
    "sftp": "-F",
    "ssh-keygen": "-D",
    "ssh-add": "-s",
    "enable": "-f",
    "gdb": "-x --command",
    "vim": "-S -u",
    "emacs": "-l --load",
    "tmux": "-f",
    "less": "-k --lesskey-file --lesskey-src",
    "man": "-C",
    "awk": "-l --load -i --include",
    "curl": "-K --config",
    "wget": "--config",
    "psql": "-f --file",
    "sqlite3": "-init",
}
# The value is a setting, `name=value`; a value that looks like a command counts as one.
SETTINGS: dict[str, str] = {
    "hg": "--config",
    "svn": "--config-option",
    "cargo": "--config",
    "wget": "-e --execute",
    "apt": "-o --option",
    "apt-get": "-o --option",
    "dpkg": "--pre-invoke --post-invoke",
    "pip": "--config-settings",
}
# A file to write to, and a program when `|` or `!` stands before it.
PIPED: dict[str, str] = {"strace": "-o --output"}


class Rest(Record):
    """A program whose command is all words behind one of the `marks`, and behind `skipped` more, as far as `end`."""

    marks: tuple[str, ...]
    skipped: int = 0
    end: str | None = None
    before: str = ""  # how the word before the mark begins, which may otherwise be the value of an option


RESTS: dict[str, Rest] = {
    # `fd -x ls -x` runs `ls -x`, and `fd -x ls ';' -x id` both (fd(1)).
    **dict.fromkeys(("fd", "fdfind"), Rest(("-x", "-X", "--exec", "--exec-batch"), end=";")),
    # `ip netns exec NAME ls`; the beginning of a word will do (ip(8)).
    "ip": Rest(("e", "ex", "exe", "exec"), skipped=1, before="net"),
}
# Programs whose options are words behind one dash: a cluster of letters means nothing there.
_SINGLE_DASH_WORDS = words_of("go gcc g++ cc c++ clang clang++ java openssl cmake sqlite3 zip gdb")
_SSH = words_of("ssh scp sftp autossh mosh sshfs")
_SSH_SETTINGS = ("command", "provider")  # in the name of each setting that names a program
# `make CC=…`: variables by which a makefile calls its tools.
_TOOLS = words_of("SHELL CC CXX CPP LD AR AS NM RANLIB STRIP OBJCOPY FC YACC LEX INSTALL MAKE RM CP MV LN MKDIR")
_MAKES = words_of("make gmake ninja")
# A pager, an editor, a transport: programs run the values of these as commands.
_COMMAND_VARIABLES = words_of(
    "LESSOPEN LESSCLOSE VISUAL GIT_SSH_COMMAND GIT_SSH GIT_PROXY_COMMAND GIT_EXTERNAL_DIFF PROMPT_COMMAND BROWSER "
    "RSYNC_RSH RSYNC_CONNECT_PROG TAR_OPTIONS SHELL MAKEFLAGS PS4 PS1 PS0 CVS_RSH SVN_SSH FCEDIT MAILER RUSTC_WRAPPER "
    "RUSTC_WORKSPACE_WRAPPER RUSTC CC CXX NODE_OPTIONS FZF_DEFAULT_COMMAND FZF_DEFAULT_OPTS VIMINIT EXINIT RSH "
    "npm_config_script_shell NPM_CONFIG_SCRIPT_SHELL npm_config_node_options CMAKE_C_COMPILER_LAUNCHER "
    "CMAKE_CXX_COMPILER_LAUNCHER PERL5DB PERL5OPT RUBYOPT GOFLAGS LUA_INIT DOCKER_SSH_COMMAND PYTHONBREAKPOINT "
    "SSH_SK_HELPER XDG_OPEN GIT_CONFIG_PARAMETERS"
)
_FILES = ("BASH_ENV", "ENV")  # a shell reads such a file before anything else
_COMMAND_ENDS = ("PAGER", "EDITOR", "_ASKPASS", "_RUNNER", "_LINKER")
_COMMAND_STARTS = ("GIT_CONFIG_VALUE_", "BASH_FUNC_")
_SOCAT = ("EXEC:", "SYSTEM:", "SHELL:")
_WRAPPINGS = ("exec=", "|-", "||", "|", "!")

_NAMES = (*COMMAND_LINES, *OVER_FILES, *CODE_FILES, *SETTINGS, *PIPED, *RESTS)
# All programs that take a command, or a file of code, in an option or a word of theirs.
COMMISSIONED = frozenset(name.partition(" ")[0] for name in _NAMES) | _SSH | _MAKES | {"sed", "socat"}
_SUBCOMMANDED = frozenset(name.partition(" ")[0] for name in _NAMES if " " in name)
# Programs with a language of their own on the command line, in which a text can be a command.
LANGUAGES = words_of(
    "python python2 python3 perl ruby node nodejs php lua awk gawk mawk deno bun ts-node tsx osascript"
)
ESCAPING = words_of("vim vi nvim ex view gvim vimdiff less more gdb sqlite3 psql mysql ed")


def commissioned(argv: Argv) -> Iterator[str]:
    """The scripts that options and words of this one command hand to it: what it is told to run, and `. FILE`."""
    name = program_name(argv[0])
    if name not in COMMISSIONED:
        return
    names = [name, *[f"{name} {word}" for word in argv[1:3]]] if name in _SUBCOMMANDED else [name]
    clusters = name not in _SINGLE_DASH_WORDS
    for each in names:
        if each in COMMAND_LINES:
            yield from [unwrapped(value) for value in _values(argv, COMMAND_LINES[each], clusters=clusters)]
        if each in OVER_FILES:
            for value in _values(argv, OVER_FILES[each], clusters=clusters):
                yield value
                yield f"find . -exec {value} {{}} +"
        if each in CODE_FILES:
            yield from loading(*_values(argv, CODE_FILES[each], clusters=clusters))
    if name in RESTS:
        yield from _rests(argv, RESTS[name])
    if name == "sed":
        for script in sedscripts.scripts_of(argv[1:]):
            yield from [command.replace(sedscripts.INPUT, UNSEEN) for command in sedscripts.commands(script)]
    if name == "socat":  # `EXEC:'ls -l',pty`
        yield from [word.partition(":")[2].split(",")[0] for word in argv[1:] if word.upper().startswith(_SOCAT)]
    if name in SETTINGS:
        yield from _set_commands(_values(argv, SETTINGS[name], clusters=clusters))
    if name in PIPED:
        yield from [unwrapped(value) for value in _values(argv, PIPED[name], clusters=clusters) if value[:1] in "|!"]
    if name in _SSH:
        yield from _ssh_commands(argv)
    if name in _MAKES:
        yield from _make_commands(argv)


def runs_value(variable: str) -> bool:
    """Whether programs run the value of this variable of the environment as a command."""
    return (
        variable in _COMMAND_VARIABLES
        or variable in _FILES
        or variable.endswith(_COMMAND_ENDS)
        or variable.startswith(_COMMAND_STARTS)
    )


def run_for(variable: str, value: str) -> Iterator[str]:
    """The scripts that a program may run because this variable has that value."""
    if not runs_value(variable):
        return
    if variable in _FILES:
        yield f". {value}"
        return
    if variable.startswith("BASH_FUNC_"):  # `() { body; }`
        yield value.partition(")")[2]
        return
    yield unwrapped(value)
    if variable.startswith("GIT_CONFIG_VALUE_"):  # of an alias it may be
        yield f"git {value}"
    if value[:1] == "-":  # `NODE_OPTIONS='--require x'`, `GOFLAGS=-toolexec=x`
        words = value.replace("=", " ").split()
        yield from loading(*[word.removeprefix("-r").removeprefix("-M").removeprefix("-I") for word in words])
        yield " ".join(words[1:])


def git_runs(key: str) -> bool:
    """Whether git runs the value of this setting as a command, or finds one by it."""
    return git_settings.runs(key) or git_settings.loads(key)


def loading(*values: str) -> Iterator[str]:
    """`. FILE` for each value that is a path."""
    for value in values:
        if value.startswith(("/", "./", "../", "~/")):
            yield ". '" + value.replace("'", "'\\''") + "'"


def unwrapped(value: str) -> str:
    """The command in `exec=rm x`, `|cat %s`, `!rm x`."""
    start = next((each for each in _WRAPPINGS if value.startswith(each)), "")
    return value[len(start) :]


def _values(argv: Argv, line: str, *, clusters: bool) -> Iterator[str]:
    """The values of these options, wherever they may stand."""
    options = line.split()
    attached = frozenset(each.removesuffix("[=]") for each in options if each.endswith("[=]"))
    options = [each.removesuffix("[=]") for each in options]
    letters = frozenset(each[1] for each in options if len(each) == 2)
    for at, word in enumerate(argv[1:], 1):
        if len(word) < 2 or word[0] != "-":
            continue
        following = argv[at + 1 : at + 2]
        named, equals, value = word.partition("=")
        long = word[:2] == "--" and len(named) >= ABBREVIATED_MIN
        if named in options or (long and any(each.startswith(named) for each in options)):
            yield from [value] if equals else following if named not in attached else ()
        elif word[:2] != "--":
            found = [each for each in options if len(each) > 2 and each[:2] != "--" and word.startswith(each)]
            yield from [word[len(each) :].lstrip(":=") for each in found]  # `-javaagent:x.jar`
            for place, letter in enumerate(word[1 : None if clusters else 2], 1):
                if letter in letters:
                    yield from [word[place + 1 :]] if word[place + 1 :] else following
                elif not letter.isalnum():
                    break


def _rests(argv: Argv, rest: Rest) -> Iterator[str]:
    """The commands behind the marks. Each word is in one of them, however many marks there are."""
    start = 0
    for at, word in enumerate(argv):
        if start and word == rest.end:
            yield joined(argv[start:at])
            start = 0
        elif not start and word in rest.marks and argv[at - 1].startswith(rest.before):
            start = at + 1 + rest.skipped
    if start:
        yield joined(argv[start:])


def _set_commands(settings: Iterator[str]) -> Iterator[str]:
    for setting in settings:
        value = (setting.partition("=")[2] or setting).strip("'\"[] ")
        if value[:1] == "!" or "/" in value or " " in value:
            yield unwrapped(value)


def _ssh_commands(argv: Argv) -> Iterator[str]:
    """`-o ProxyCommand=…` and the other settings of ssh that name a command here."""
    for word in argv[1:]:
        lower = word.lower()
        if _SSH_SETTINGS[0] not in lower and _SSH_SETTINGS[1] not in lower:
            continue
        setting = word.removeprefix("-o").lstrip()
        name = setting.replace("=", " ").partition(" ")[0]
        value = setting[len(name) :].lstrip("= ")
        if name.lower().endswith("command") or name.lower() in ("pkcs11provider", "securitykeyprovider"):
            yield value


def _make_commands(argv: Argv) -> Iterator[str]:
    """`make CC=…`, `make --eval='$(shell …)'`."""
    for word in argv[1:]:
        name, equals, value = word.partition("=")
        if equals and name in _TOOLS:
            yield value
        for piece in word.split("$(shell ")[1:]:
            yield piece.rpartition(")")[0] or piece
