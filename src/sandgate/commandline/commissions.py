"""Options and variables by which a program is told to run another one.

A pager, a transport, a compressor, a file of code to begin with: what is named there runs as surely as a command of its
own, so it is judged as one. Told apart are values that are command lines, programs that are run over whatever files are
found, and files of code that are loaded. For finding what must be stopped or asked about: abbreviated options, clusters
of letters and values that may be no commands all count, since a text too many does no harm.
"""

from __future__ import annotations

from sandgate.commandline import git_settings, makefiles, sedscripts
from sandgate.commandline.commission_rows import (
    ABBREVIATED_MIN,
    CODE_FILES,
    COMMAND_ENDS,
    COMMAND_LINES,
    COMMAND_STARTS,
    COMMAND_VARIABLES,
    COMMISSIONED,
    FILES,
    MAKES,
    OVER_FILES,
    PIPED,
    RESTS,
    SETTINGS,
    SINGLE_DASH_WORDS,
    SOCAT,
    SSH,
    SSH_SETTINGS,
    SUBCOMMANDED,
    TOOLS,
    UNSEEN,
    WRAPPINGS,
)
from sandgate.commandline.words import joined, program_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from sandgate.commandline.commission_rows import Rest

    Argv = tuple[str, ...]


def commissioned(argv: Argv) -> Iterator[str]:
    """The scripts that options and words of this one command hand to it: what it is told to run, and `. FILE`."""
    name = program_name(argv[0])
    if name not in COMMISSIONED:
        return
    names = [name, *[f"{name} {word}" for word in argv[1:3]]] if name in SUBCOMMANDED else [name]
    clusters = name not in SINGLE_DASH_WORDS
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
        yield from [word.partition(":")[2].split(",")[0] for word in argv[1:] if word.upper().startswith(SOCAT)]
    if name in SETTINGS:
        yield from _set_commands(_values(argv, SETTINGS[name], clusters=clusters))
    if name in PIPED:
        yield from [unwrapped(value) for value in _values(argv, PIPED[name], clusters=clusters) if value[:1] in "|!"]
    if name in SSH:
        yield from _ssh_commands(argv)
    if name in MAKES:
        yield from _make_commands(argv)


def runs_value(variable: str) -> bool:
    """Whether programs run the value of this variable of the environment as a command."""
    return (
        variable in COMMAND_VARIABLES
        or variable in FILES
        or variable.endswith(COMMAND_ENDS)
        or variable.startswith(COMMAND_STARTS)
    )


def run_for(variable: str, value: str) -> Iterator[str]:
    """The scripts that a program may run because this variable has that value."""
    if not runs_value(variable):
        return
    if variable in FILES:
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
    start = next((each for each in WRAPPINGS if value.startswith(each)), "")
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
        if SSH_SETTINGS[0] not in lower and SSH_SETTINGS[1] not in lower:
            continue
        setting = word.removeprefix("-o").lstrip()
        name = setting.replace("=", " ").partition(" ")[0]
        value = setting[len(name) :].lstrip("= ")
        if name.lower().endswith("command") or name.lower() in ("pkcs11provider", "securitykeyprovider"):
            yield value


def _make_commands(argv: Argv) -> Iterator[str]:
    """`make CC=…`, `make 'X=$(shell …)'`, `make --eval='x:; …'`."""
    for word in argv[1:]:
        name, equals, value = word.partition("=")
        if equals and name in TOOLS:
            yield value
        yield from makefiles.shell_calls(word)
    for text in _values(argv, "-E --eval", clusters=True):
        yield from makefiles.recipes(text)
