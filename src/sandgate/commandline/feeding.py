"""Programs that take commands from their input in a form of their own: tables of times, queues, makefiles, editors."""

from __future__ import annotations

from sandgate.commandline import makefiles
from sandgate.commandline.carried import handed_over
from sandgate.commandline.commission_rows import ESCAPING, LANGUAGES
from sandgate.commandline.escapes import LINEWISE
from sandgate.commandline.words import program_name, words_of
from sandgate.commandline.wrappers import SHELL_PROGRAMS, WRAPPERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Argv = tuple[str, ...]

STANDARD_INPUT = ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")
_QUEUES = words_of("at batch")  # run later, in a shell, what they are fed
_MAKES = words_of("make gmake")
FED = _QUEUES | _MAKES | {"crontab", "sed"} | ESCAPING
WORDS_MAX = 64  # of one `parallel` that are put together
_SCHEDULE_FIELDS = 5  # of a line of crontab(5), in front of its command


def takes_input(argv: Argv) -> bool:
    """Whether what this program is fed is surely for running."""
    name = program_name(argv[0])
    if name in _MAKES:
        return any(word in STANDARD_INPUT for word in argv)
    if name == "crontab":
        return not any(word in ("-l", "-r", "-e") for word in argv)
    return name in _QUEUES


def may_take_orders(argv: Argv) -> bool:
    """Whether this program may run, or find commands in, what it is fed."""
    name = program_name(argv[0])
    if name in _MAKES:
        return takes_input(argv)
    if name == "sed":  # `sed -f -`
        return any(word in STANDARD_INPUT or word.endswith(("f-", "file=-")) for word in argv[1:])
    return name in FED or reads_code(argv)


def reads_code(argv: Argv) -> bool:
    """Whether it is an interpreter that nobody names a file to: `python3 - << EOF`."""
    return program_name(argv[0]) in LANGUAGES and all(word[:1] == "-" or word in STANDARD_INPUT for word in argv[1:])


def fed(argv: Argv, text: str) -> Iterator[str]:
    """The scripts in `text`, which one of `FED` reads from its input."""
    name = program_name(argv[0])
    if name in _QUEUES:
        yield text
    elif name in ESCAPING:
        if name in LINEWISE:
            yield from text.splitlines()
        for line in text.splitlines():
            yield from handed_over((name, line))
    elif name == "sed":
        yield from handed_over((name, "-e", text))
    elif name in _MAKES and takes_input(argv):
        yield from makefiles.recipes(text)
    elif takes_input(argv):
        for line in text.splitlines():
            yield line.split(None, 1 if line[:1] == "@" else _SCHEDULE_FIELDS)[-1] if line.strip() else ""


def in_parallel(argv: Argv, inner: Argv) -> Iterator[str]:
    """`parallel git ::: push pull`: each word behind the colons makes a script. `inner`: all the words."""
    at = argv.index(":::")
    words = " ".join([word for word in inner[: inner.index(":::")] if word] if ":::" in inner else [])
    for number in "123456789":  # `{1}` of several groups
        words = words.replace(f"{{{number}}}", "{}")
    for word in argv[at + 1 : at + 1 + WORDS_MAX]:
        yield words.replace("{}", word) if "{}" in words else f"{words} {word}".strip()


def replaced(argv: Argv) -> str:
    """What xargs puts the input in the place of."""
    for at, word in enumerate(argv[1:-1], 1):
        if word in ("-I", "-J", "--replace"):
            return argv[at + 1]
        if word[:2] in ("-I", "-J") or word.startswith("--replace="):
            return word[2:] if word[1] != "-" else word[10:]
    return "{}"


def open_ended(argv: Argv, mark: str) -> bool:
    """A wrapper or a shell for which the input is what it runs."""
    from sandgate.commandline.invocation import started_by

    started = started_by(argv)
    if any(mark in script for script in started.scripts):
        return True
    name = program_name(argv[0])
    return (name in WRAPPERS or name in SHELL_PROGRAMS) and not started.commands and not started.scripts
