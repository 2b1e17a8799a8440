"""A command line in a few words: reads this file, lists that directory, searches for something.

For displays only. A summary is a guess about intentions and never an input to a decision; those are made in `policy`
from what will really run. It is silent rather than wrong: when one command of a line is not understood, the whole line
is shown as it is. Never raises.
"""

from __future__ import annotations

import posixpath

from sandgate.commandline.split import SCRIPT_FLAGS, SHELLS
from sandgate.commandline.summary_programs import classify, formats
from sandgate.commandline.words import joined, program_name
from sandgate.protocol.summaries import ListFiles, Read, Search, Unknown
from sandgate.record import Record, never_reached

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from sandgate.protocol.summaries import Summary

    Argv = tuple[str, ...]

CONNECTORS = frozenset(("&&", "||", "|", ";"))
CHARS_MAX = 16_384  # of a command line that is looked at; nobody reads the summary of a longer one
_POWERSHELLS = frozenset(("pwsh", "powershell"))
_POWERSHELL_SWITCHES = frozenset(("-nologo", "-noprofile", "-noninteractive"))
_YES_MEN = frozenset(("yes", "y", "no", "n"))


class _Part(Record):
    """One command and what it looks like."""

    words: tuple[str, ...]
    summary: Summary


def summarize(argv: tuple[str, ...]) -> tuple[Summary, ...]:
    """What each command of `argv` looks like it does, in order; at least one, and a single `Unknown` if in doubt."""
    argv = tuple(argv)
    if sum(map(len, argv)) > CHARS_MAX:
        return (Unknown(argv[2] if _is_script(argv) else joined(argv)),)
    script = _script(argv)
    if script is not None:
        return _settled(_of_script(argv[2], script), argv[2])
    powershell = _powershell_script(argv)
    if powershell is not None:
        return (Unknown(powershell),)
    return _settled(_simplified(_parts(_split(argv))), joined(argv))


def summary_json(summary: Summary) -> dict[str, str | None]:
    """The wire's form; `path` and `query` are null when there is none."""
    return {"type": _tag(summary), **summary.fields()}


def summaries_json(argv: tuple[str, ...]) -> tuple[dict[str, str | None], ...]:
    """What `argv` does, as events and questions carry it."""
    return tuple([summary_json(each) for each in summarize(argv)])


def _tag(summary: Summary) -> str:
    match summary:
        case Read():
            return "read"
        case ListFiles():
            return "list_files"
        case Search():
            return "search"
        case Unknown():
            return "unknown"
        case _:
            return str(never_reached(summary))


def _script(argv: Argv) -> tuple[Argv, ...] | None:
    """The commands of a shell's script, () when it is more than a sequence of plain ones; None: no such argv."""
    if not _is_script(argv):
        return None
    from sandgate.commandline.bash import parse

    script = parse(argv[2])
    return tuple([command.argv for command in script.commands]) if script.plain else ()


def _is_script(argv: Argv) -> bool:
    return len(argv) == 3 and argv[1] in SCRIPT_FLAGS and program_name(argv[0]) in SHELLS


def _powershell_script(argv: Argv) -> str | None:
    if len(argv) < 3 or program_name(argv[0]).lower().removesuffix(".exe") not in _POWERSHELLS:
        return None
    *switches, command = [word.lower() for word in argv[1:-1]]
    return argv[-1] if command in ("-command", "-c") and _POWERSHELL_SWITCHES.issuperset(switches) else None


def _of_script(script: str, commands: tuple[Argv, ...]) -> tuple[_Part, ...]:
    parts = _simplified(_parts([words for words in commands if not formats(words)]))
    if len(parts) != 1:
        return parts
    (only,) = parts
    piped_to_sed = any(words[:2] == ("sed", "-n") for words in commands[1:])
    if len(commands) == 1:
        return (only.but(summary=only.summary.but(cmd=joined(commands[0]))),)
    if piped_to_sed and isinstance(only.summary, Read) and "|" in script:
        return (only.but(summary=only.summary.but(cmd=script)),)
    return parts


def _split(argv: Argv) -> list[Argv]:
    """An argv that holds `|` and the like as words of their own: no shell will see them, but somebody meant them."""
    if len(argv) > 2 and argv[0] in _YES_MEN and argv[1] == "|":
        argv = argv[2:]
    commands: list[list[str]] = [[]]
    for word in argv:
        if word in CONNECTORS:
            commands.append([])
        else:
            commands[-1].append(word)
    return [tuple(words) for words in commands if words]


def _parts(commands: Sequence[Argv]) -> tuple[_Part, ...]:
    """The commands classified; `cd` only moves the paths that are read after it."""
    directory = ""
    parts = []
    for words in commands:
        if words[0] == "cd":
            directory = posixpath.join(directory, _cd_target(words[1:]))
            continue
        summary = classify(words)
        if isinstance(summary, Read):
            summary = summary.but(path=posixpath.join(directory, summary.path))
        parts.append(_Part(words, summary))
    return tuple(parts)


def _cd_target(rest: Argv) -> str:
    """The last operand; "" stays where we are."""
    if "--" in rest:
        return (*rest[rest.index("--") + 1 :], "")[0]
    operands = [word for word in rest if word[:1] != "-"]
    return operands[-1] if operands else ""


def _simplified(parts: tuple[_Part, ...]) -> tuple[_Part, ...]:
    """Without what says nothing beside the rest: an `echo` in front, `true`, an `nl` that numbers what it is fed."""
    kept = tuple([part for part in parts if not _says_nothing(part.words)]) or parts[-1:]
    first = 0
    while first < len(kept) - 1 and kept[first].words[0] == "echo":
        first += 1
    return kept[first:]


def _says_nothing(words: Argv) -> bool:
    return words == ("true",) or (words[0] == "nl" and all(word[:1] == "-" for word in words[1:]))


def _settled(parts: tuple[_Part, ...], whole: str) -> tuple[Summary, ...]:
    """One after the other without repetition, or the whole line when any of it is not understood."""
    if not parts or any(isinstance(part.summary, Unknown) for part in parts):
        return (Unknown(whole),)
    found: list[Summary] = []
    for part in parts:
        if not found or found[-1] != part.summary:
            found.append(part.summary)
    return tuple(found)
