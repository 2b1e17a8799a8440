"""Which programs really run: looks through `env`, `sudo`, `timeout`, `xargs`, `find -exec`, `bash -c` and the like.

`everything_run` lists the command itself and all we can see it start, nested to any depth within a budget. It is
for finding what must be stopped or asked about, so it prefers one candidate too many to one too few: where a
wrapper carries an option we do not know, every tail of its arguments counts. Deciding that a wrapped command is
harmless is another matter, and needs certainty; see policy/safety.py.
"""

from __future__ import annotations

from sandgate.commandline.arguments import grammar, read
from sandgate.commandline.carried import carried, handed_over
from sandgate.commandline.grammar import SCRIPT_BYTES_MAX
from sandgate.commandline.launcher_rows import LAUNCHING
from sandgate.commandline.respelling import plainer
from sandgate.commandline.words import program_name, split
from sandgate.commandline.wrappers import (
    COMMAND_FOLLOWS,
    FIND_RUNNERS,
    GIT_GLOBALS,
    SHELL_PROGRAMS,
    SSH_OPTIONS,
    WRAPPERS,
)
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.commandline.arguments import Grammar, Reading
    from sandgate.commandline.bashcommands import Redirection
    from sandgate.commandline.split import Segments

    Argv = tuple[str, ...]

COMMANDS_MAX = 2_000  # looked at for one command line; beyond it the answer says "incomplete"
WORDS_MAX = 200_000  # in all of them together: `env env env …` is as many commands as words, each nearly as long
SCRIPTS_MAX = 300  # read for one command line
SCRIPTS_CHARACTERS_MAX = 2 * SCRIPT_BYTES_MAX  # of them together, besides the command line itself
HERE_DOCUMENTS_MAX = 2_000  # in all of them together; the grammar takes long for a script that leaves many of them open
INNER_MAX = 12  # programs inside one another whose place is looked for
_COMMAND_OPTIONS = ("-c", "--command", "--session-command")
TAILS_MAX = 40  # tried behind a wrapper whose options we do not know


class Started(Record):
    """Commands and scripts one argv starts by itself."""

    commands: tuple[Argv, ...] = ()
    scripts: tuple[str, ...] = ()


class Everything(Record):
    """All commands a command line runs, as far as text can tell. `incomplete`: there were too many to look at."""

    commands: tuple[Argv, ...]
    redirections: tuple[Redirection, ...] = ()
    scripts: tuple[str, ...] = ()  # the text of every shell script among them
    incomplete: bool = False


_NOTHING = Started()
# Every name `started_by` has an answer for; most programs have none.
_STARTING = frozenset(
    (*SHELL_PROGRAMS, *COMMAND_FOLLOWS, *WRAPPERS, *LAUNCHING, "coproc", "function", "find", "git", "ssh")
)
_grammars: dict[str, Grammar] = {}  # of the lines of our own tables


def _grammar(line: str) -> Grammar:
    """Read once: wrappers are met again and again."""
    found = _grammars.get(line)
    if found is None:
        found = _grammars[line] = grammar(line, WRAPPERS)
    return found


_last: tuple[Segments, Everything] | None = None  # danger and rules ask about the same command line


def everything_run(what: Segments) -> Everything:
    """The commands of `what`, of its script whether readable or not, and all they start in turn."""
    global _last
    last = _last
    if last is None or (last[0] is not what and last[0] != what):
        last = _last = (what, _everything(what))
    return last[1]


def _everything(what: Segments) -> Everything:
    seen: dict[Argv, None] = {}
    words = here_documents = characters = 0
    queue: list[Argv] = [what.argv, *(what.script.argvs() if what.plain and what.script else what.commands)]
    scripts: list[str] = [] if what.script is not None or not what.argv else list(handed_over(what.argv))
    texts: list[str] = []
    redirections: list[Redirection] = []
    incomplete = False
    read_already: set[str] = set()
    if what.script is not None:
        texts.append(what.argv[-1])
        scripts.extend((*_otherwise(what.argv[-1]), *carried(what.argv[-1], what.script)))
        redirections.extend(what.script.redirections)
        if not what.plain:  # otherwise these are `what.commands`
            queue.extend(what.script.argvs())
        incomplete = what.script.beyond_limits
    while queue or scripts:
        if len(seen) >= COMMANDS_MAX or words > WORDS_MAX:
            return Everything(tuple(seen), tuple(redirections), tuple(texts), incomplete=True)
        if scripts:
            from sandgate.commandline.bash import parse

            text = scripts.pop()
            if text in read_already:
                continue
            here_documents += text.count("<<")
            characters += len(text)
            if (
                len(read_already) >= SCRIPTS_MAX
                or here_documents > HERE_DOCUMENTS_MAX
                or characters > SCRIPTS_CHARACTERS_MAX
            ):
                return Everything(tuple(seen), tuple(redirections), tuple(texts), incomplete=True)
            read_already.add(text)
            texts.append(text)
            script = parse(text)
            scripts.extend((*_otherwise(text), *carried(text, script)))
            redirections.extend(script.redirections)
            incomplete = incomplete or script.beyond_limits
            queue.extend(script.argvs())
            continue
        argv = queue.pop()
        if not argv or argv in seen:
            continue
        seen[argv] = None
        words += len(argv)
        inner = started_by(argv)
        queue.extend(inner.commands)
        scripts.extend(handed_over(argv))
        if what.script is None or argv != what.argv:
            scripts.extend(inner.scripts)
    return Everything(tuple(seen), tuple(redirections), tuple(texts), incomplete)


def started_by(argv: Argv) -> Started:
    """What this one command starts directly. Empty for a program that is no wrapper."""
    name = program_name(argv[0])
    if name not in _STARTING and "=" not in argv[0]:
        return _NOTHING
    if name in SHELL_PROGRAMS:
        return _by_shell(argv)
    if name in COMMAND_FOLLOWS and name not in WRAPPERS:
        return Started(commands=(argv[1:],))
    if name == "coproc" and argv[2:3] and argv[2] in COMMAND_FOLLOWS:  # `coproc NAME { …; }`
        return Started(commands=(argv[2:],))
    if name == "function":
        return Started(commands=(argv[2:],))
    if name == "command" and argv[1:2] in (("-v",), ("-V",)):  # only asks where it is
        return _NOTHING
    if "=" in argv[0] and argv[0].partition("=")[0].isidentifier():
        return Started(commands=(argv[1:],))
    if name == "find":
        return Started(commands=tuple(_by_find(argv)))
    if name == "git":
        plain = without_git_globals(argv)
        return Started(commands=(plain,)) if plain != argv else _NOTHING
    if name == "ssh":
        return _by_ssh(argv)
    if name not in WRAPPERS:
        return _by_launcher(name, argv) if name in LAUNCHING else _NOTHING
    reading = read(argv[1:], _grammar(WRAPPERS[name]))
    return Started(commands=_tails(argv)) if reading is None else _by_wrapper(name, reading)


def inner_place(argv: Argv) -> int | None:
    """Where in `argv` stands what it runs in the end: a program's name, a script, a host. None: it starts nothing.

    Behind options we do not know, in a shell that reads its input, or nested too deeply, that is behind the last word.
    """
    found: int | None = None
    start = depth = 0
    while start < len(argv):
        depth += 1
        if depth > INNER_MAX:
            return len(argv)
        place = _next_place(argv[start:])
        if place is None:
            break
        start += place
        found = start
        if program_name(argv[start - place]) in SHELL_PROGRAMS:
            break
    return found


def _next_place(argv: Argv) -> int | None:
    name = program_name(argv[0])
    if name in SHELL_PROGRAMS:
        return _script_place(argv)
    if name == "find":
        return max([at + 1 for at, word in enumerate(argv) if word in FIND_RUNNERS], default=None)
    if name in LAUNCHING and name not in WRAPPERS:
        return _last_launched(name, argv)
    line = SSH_OPTIONS if name == "ssh" else WRAPPERS.get(name)
    if line is None:
        return None
    by = _grammar(line)
    reading = read(argv[1:], by)
    if reading is None or "command_option" in by.marks or reading.has("-S", "--split-string", "--command"):
        return len(argv)
    places = [place + 1 for place in reading.operand_places][("skip1" in by.marks) :]
    if name == "flock" and places and argv[places[0]] == "-c":
        places = places[1:]
    if "assigned" in by.marks:
        places = [place for place in places if "=" not in argv[place]]
    if places and "script" in by.marks and any(";" in argv[at] or "&" in argv[at] or "|" in argv[at] for at in places):
        return len(argv)
    return places[0] if places else None


def _last_launched(name: str, argv: Argv) -> int | None:
    """Of all that a launcher surely starts the last: `hyperfine ls` says nothing about `hyperfine ls 'rm x'`."""
    from sandgate.commandline import launchers

    places = [each for each in launchers.launched_by(name, argv) if not each.doubtful]
    if any(each.together and each.several for each in places) or (name == "tmux" and ";" in argv):
        return len(argv)
    return max([each.at for each in places], default=None)


def _script_place(argv: Argv) -> int | None:
    """Of a shell's script on the command line or its input; None for one in a file, which is its own operand."""
    at = 1
    inline = False
    while at < len(argv) and argv[at][:1] in ("-", "+"):
        inline = inline or (argv[at][0] == "-" and argv[at][:2] != "--" and "c" in argv[at])
        at += 1 + (argv[at] in ("-o", "+o", "-O", "+O", "--rcfile", "--init-file"))
    return at if inline or at >= len(argv) else None


def _tails(argv: Argv) -> tuple[Argv, ...]:
    """Wherever the inner command may begin, when the options before it are not known."""
    return tuple([argv[at:] for at in range(2, min(len(argv), TAILS_MAX)) if argv[at][:1] != "-"])


def without_git_globals(argv: Argv) -> Argv:
    """`git -C x -c a=b push` → `git push`; unchanged where the options are not known."""
    reading = read(argv[1:], _grammar(GIT_GLOBALS))
    if reading is None or not reading.operands or len(reading.operands) == len(argv) - 1:
        return argv
    return (argv[0], *reading.operands)


def _by_wrapper(name: str, reading: Reading) -> Started:
    marks = _grammar(WRAPPERS[name]).marks
    rest = reading.operands
    if "assigned" in marks:
        return _by_assigning(name, rest, reading)
    option_script = reading.value("-c", "--command", "--session-command") if "-c" in WRAPPERS[name] else None
    if option_script is None and "--command=" in WRAPPERS[name]:  # `runuser -l nobody -c 'ls'`
        option_script = next((rest[at + 1] for at, word in enumerate(rest[:-1]) if word in _COMMAND_OPTIONS), None)
    if "command_option" in marks or (option_script is not None and "--command=" in WRAPPERS[name]):
        return Started(scripts=(option_script,)) if option_script is not None else _NOTHING
    if "skip1" in marks:
        rest = rest[1:]
    if name == "entr" and reading.has("-s"):
        return Started(scripts=rest[:1])
    if name == "flock" and rest[:1] in (("-c",), ("--command",)):
        return Started(scripts=rest[1:2])
    if "script" in marks:
        return Started(scripts=(" ".join(rest),), commands=(rest,)) if rest else _NOTHING
    if "operand" in marks:
        return Started(scripts=rest[:1])
    return Started(commands=(rest,) if rest else ())


def _by_launcher(name: str, argv: Argv) -> Started:
    from sandgate.commandline import launchers

    places = list(launchers.launched_by(name, argv))
    commands = [launchers.command_at(argv, each) for each in places if each.script is None]
    named = launchers.composed(name, argv)
    if named:
        commands.append(named)
    if name == "tmux" and ";" in argv:  # another command for the same server
        commands.append((argv[0], *argv[argv.index(";") + 1 :]))
    return Started(tuple(commands), tuple([each.script for each in places if each.script is not None]))


def _by_ssh(argv: Argv) -> Started:
    """The command for the other host, which is a script there, and those that ssh runs here to connect."""
    by = _grammar(SSH_OPTIONS)
    reading = read(argv[1:], by)
    again = read(reading.operands[1:], by) if reading is not None else None  # options may follow the host, too
    if reading is None or again is None:
        tails = _tails(argv)
        return Started(commands=tails, scripts=tuple([" ".join(tail) for tail in tails]))
    options, rest = reading.options + again.options, again.operands
    settings = [value.replace("=", " ", 1).split(None, 1) for name, value in options if name == "-o" and value]
    here = [words[1] for words in settings if len(words) > 1 and words[0].lower().endswith("command")]
    there = [" ".join(rest)] if rest else []
    return Started(commands=(rest,) if rest else (), scripts=(*there, *here))


def _otherwise(script: str) -> tuple[str, ...]:
    """The script in plainer spelling, if it has one: the grammar tears some words apart that the shell joins."""
    plain = plainer(script)
    return (plain,) if plain != script else ()


def _by_assigning(name: str, rest: Argv, reading: Reading) -> Started:
    split_value = reading.value("-S", "--split-string") if name == "env" else None
    if split_value is not None:
        rest = (split(split_value) or (split_value,)) + rest
    while rest and "=" in rest[0]:
        rest = rest[1:]
    if not rest:
        return _NOTHING
    if name == "sudo" and reading.has("-s", "-i", "--shell", "--login"):
        return Started(commands=(rest,), scripts=(" ".join(rest),))
    return Started(commands=(rest,))


def _by_shell(argv: Argv) -> Started:
    """`bash -euo pipefail -c SCRIPT name`: the script is the first operand once `-c` is among the options."""
    takes_script = False
    at = 1
    while at < len(argv) and argv[at][:1] in ("-", "+") and len(argv[at]) > 1:
        word = argv[at]
        at += 1
        if word == "--":
            break
        if word[:2] == "--":
            at += word in ("--init-file", "--rcfile")
            continue
        takes_script = takes_script or (word[0] == "-" and "c" in word)
        at += word.count("o") + word.count("O") if word[-1:] in ("o", "O") else 0
    return Started(scripts=(argv[at],)) if takes_script and at < len(argv) else _NOTHING


def _by_find(argv: Argv) -> list[Argv]:
    found: list[Argv] = []
    at = 1
    while at < len(argv):
        if argv[at] not in FIND_RUNNERS:
            at += 1
            continue
        start = at = at + 1
        while at < len(argv) and argv[at] not in (";", "+"):
            at += 1
        if at > start:
            found.append(argv[start:at])
    return found
