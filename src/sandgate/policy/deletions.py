"""Deletions that cost nothing: what they remove can be made again.

`rm -rf build node_modules`, `git clean -fdX`, `rm -rf "$d"` of a directory that `mktemp` has just made: a question
about these teaches people to say yes. Here stands what the words of a line surely remove; whether that can be made
again is asked of `programs`, since only the disk knows. What a command in the sandbox may delete it may delete in other
ways, so this is about mistakes and no boundary. Pure.
"""

from __future__ import annotations

from sandgate.commandline.braces import CLOSE, COMMA, OPEN, braced
from sandgate.commandline.invocation import everything_run
from sandgate.commandline.split import segments
from sandgate.commandline.words import program_name
from sandgate.commandline.wrappers import STARTERS
from sandgate.policy.found_deletions import deleting_each
from sandgate.protocol.deletions import Deletion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from sandgate.commandline.bashcommands import Script, SimpleCommand
    from sandgate.commandline.split import Segments
    from sandgate.policy.program_places import ProgramPlaces

    Argv = tuple[str, ...]

WORDS_MAX = 64  # of one deletion; with more, somebody is asked
BRACED_MAX = 64  # words that the braces of one word make
COMMANDS_MAX = 64  # of one line that are looked at for deletions
_LETTERS = frozenset("rRfvdI")
_LONG = frozenset(("--recursive", "--force", "--verbose", "--dir", "--one-file-system", "--preserve-root"))
_CLEAN_LETTERS = frozenset("fdXqn")
_CLEAN_LONG = frozenset(("--force", "--quiet", "--dry-run"))
_DELETING = frozenset(("rm", "git", "find"))
_CHANGE_DIRECTORY = frozenset(("cd", "pushd", "popd", "chdir"))
_BY_NAME = frozenset(("builtin", "command"))  # run what the shell has under the name behind them
_MOVES = frozenset(("mv", "gmv", "ln", "rename", "prename", "mmv", "rsync", "git", "exch"))
_NOT_IN_PATTERNS = frozenset(
    "$`\\^<>()|&;~!\"'\n"
)  # beside `[:`: what a shell reads differently than a pattern of ours
_NOT_IN_MKTEMP = frozenset("|&;<>()`$\n{}")


def made_again(what: Segments, programs: ProgramPlaces) -> frozenset[Argv]:
    """Those commands of the line that delete, surely, only what can be made again."""
    if what.script is None:
        found = _deletion(what, what.argv, (True,) * len(what.argv))
        return frozenset((found[0],)) if found is not None and programs.makes_again(found[1]) else frozenset()
    if not (what.plain or what.complex or what.script.readable) or len(what.script.commands) > COMMANDS_MAX:
        return frozenset()
    temporary = frozenset(_of_temporary(what, what.script))
    return temporary | frozenset(_of_script(what, what.script, programs))


def _of_script(what: Segments, script: Script, programs: ProgramPlaces) -> Iterator[Argv]:
    directory = _directory(script, in_order=what.plain)
    if directory is None:
        return
    moves = any(program_name(argv[0]) in _MOVES for argv in everything_run(what).commands)
    hidden: set[Argv] | None = None
    answers: dict[Argv, bool] = {}
    finding: set[Argv] = set()
    for command in script.commands:
        if not command.words:
            continue
        found = _deletion(what, command.argv, tuple([word.certainty == "exact" for word in command.words]))
        if found is None:
            continue
        argv, deletion = found
        if argv != command.argv:
            finding.add(command.argv)
        known = answers.get(argv, True)  # quoted once and not the next time: the stricter one counts
        answers[argv] = known and programs.makes_again(deletion.but(directory=directory, may_arrive=moves))
    for argv, costs_nothing in answers.items():
        if costs_nothing:
            hidden = hidden if hidden is not None else _started_elsewhere(script, finding)
            if argv not in hidden:
                yield argv


def _directory(script: Script, *, in_order: bool) -> str | None:
    """Where the line deletes: `cd DIR` may be its first command, and no other before that; None where nobody knows."""
    running = [command for command in script.commands if command.words]
    if in_order:
        deleting = [at for at, command in enumerate(running) if program_name(command.argv[0]) in _DELETING]
        running = running[: max(deleting, default=0) + 1]
    changes = [at for at, command in enumerate(running) if _changes_directory(command.argv)]
    if not changes:
        return ""
    first = running[0]
    exact = all(word.certainty == "exact" for word in first.words)
    if changes != [0] or first.argv[0] != "cd" or len(first.words) != 2 or not exact or script.functions:
        return None
    place = first.argv[1]
    return place if place and place[0] != "-" else None


def _changes_directory(argv: Argv) -> bool:
    named = argv[1:] if argv[0] in _BY_NAME else argv[:1]
    return not _CHANGE_DIRECTORY.isdisjoint(named)


def _started_elsewhere(script: Script, finding: set[Argv]) -> set[Argv]:
    """What other commands of the line start: the same words may mean another machine, or another directory, there.

    What those of `finding` start was judged with them.
    """
    running = [each.argv for each in script.commands if each.words and each.argv not in finding]
    starters = [argv for argv in running if program_name(argv[0]) in STARTERS]
    return {argv for starter in starters for argv in everything_run(segments(starter)).commands if argv != starter}


def _deletion(what: Segments, argv: Argv, exact: tuple[bool, ...]) -> tuple[Argv, Deletion] | None:
    """What this one command of the line deletes, behind the command that does it: another one where this is `find`.

    None where nothing is deleted, or its words do not say it for sure.
    """
    if len(argv) > WORDS_MAX:
        return None
    name, deletion = program_name(argv[0]), None
    if name == "rm":
        deletion = _removal(argv[1:], exact[1:])
    elif name == "git" and argv[1:2] == ("clean",) and all(exact):
        deletion = _clean(argv[2:])
    elif name == "git" and argv[1:2] == ("reset",) and all(exact):
        deletion = _reset(what, argv[2:])
    elif name == "find" and all(exact):
        return deleting_each(argv)
    return None if deletion is None else (argv, deletion)


def _removal(arguments: Argv, exact: tuple[bool, ...]) -> Deletion | None:
    operands = _operands(arguments, _LETTERS, _LONG)
    if operands is None:
        return None
    words = [arguments[at] for at in operands if exact[at]]
    patterns = [arguments[at] for at in operands if not exact[at]]
    if not operands or not all(words) or not all(map(_is_pattern, patterns)):
        return None
    spread = [word for pattern in patterns for word in braced(_marked(pattern), BRACED_MAX)]
    if len(spread) >= BRACED_MAX or any("{" in word or "}" in word or word[:1] == "-" for word in spread):
        return None
    return Deletion(tuple(words), tuple(spread))


def _clean(arguments: Argv) -> Deletion | None:
    """`git clean -fdX`; `-e` would have it take other files for ignored ones, and a second `-f` whole repositories."""
    operands = _operands(arguments, _CLEAN_LETTERS, _CLEAN_LONG)
    if operands is None or operands:
        return None
    letters = "".join([word[1:] for word in arguments if word[:2] != "--"])
    if "X" not in letters or letters.count("f") + arguments.count("--force") != 1:
        return None
    return Deletion(ignored_only=True)


def _reset(what: Segments, arguments: Argv) -> Deletion | None:
    from sandgate.policy.resets import may_turn, reset_to, stands_alone

    revision = reset_to(arguments)
    if not revision or not stands_alone(what):
        return None
    return Deletion(reset_to=revision, may_turn=may_turn(what))


def _operands(arguments: Argv, letters: frozenset[str], long: frozenset[str]) -> list[int] | None:
    """The places of those words that are no options; None where an option is not one of these."""
    found: list[int] = []
    for at, word in enumerate(arguments):
        if word == "--":
            return found + list(range(at + 1, len(arguments)))
        if word[:1] != "-" or word == "-":
            found.append(at)
        elif word not in long and (word[:2] == "--" or not letters.issuperset(word[1:])):
            return None
    return found


def _is_pattern(word: str) -> bool:
    return _NOT_IN_PATTERNS.isdisjoint(word) and "[:" not in word


def _marked(word: str) -> str:
    return word.replace("{", OPEN).replace(",", COMMA).replace("}", CLOSE)


def _of_temporary(what: Segments, script: Script) -> Iterator[Argv]:
    """Deletions of what `mktemp` makes in this very line, also in a `trap`. Where it fails, the name is empty."""
    names = _temporary_names(script)
    if not names:
        return
    values = {form for name in names for form in (f"${name}", f"${{{name}}}")}
    for argv in everything_run(what).commands:
        if program_name(argv[0]) == "rm":
            operands = _operands(argv[1:], _LETTERS, _LONG)
            if operands and values.issuperset(argv[1 + at] for at in operands):
                yield argv


def _temporary_names(script: Script) -> set[str]:
    """Variables that get one value in the whole line, and that from `mktemp`."""
    given: dict[str, list[str]] = {}
    for command in script.commands:
        for word in command.assignments:
            name, _, value = word.text.partition("=")
            given.setdefault(name.rstrip("+"), []).append(value if name[-1:] != "+" else "")
    for name, _ in script.chosen:
        given.setdefault(name, []).append("")
    taken = {word for each in script.commands if _gives_names(each) for word in each.argv[1:]}
    return {name for name, values in given.items() if len(values) == 1 and _is_made(values[0]) and name not in taken}


def _gives_names(command: SimpleCommand) -> bool:
    return bool(command.words) and command.argv[0] in (
        "read",
        "mapfile",
        "readarray",
        "getopts",
        "printf",
        "let",
        "eval",
    )


def _is_made(value: str) -> bool:
    """`$(mktemp -d)`, also in double quotes."""
    value = value[1:-1] if value[:1] == value[-1:] == '"' else value
    if value[:2] != "$(" or value[-1:] != ")":
        return False
    inner = value[2:-1].split()
    return inner[:1] == ["mktemp"] and _NOT_IN_MKTEMP.isdisjoint(value[2:-1]) and "-u" not in inner
