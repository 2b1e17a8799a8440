"""Which commands only read.

A name proves nothing: `uniq a b` overwrites b, `sed -n 1p --file=x` runs a script, `rg --pre` runs a program. So
each safe program is described by the grammar of the arguments that keep it harmless (`safe_programs`), and an
argument the grammar does not know makes the command "not safe", which costs a question and nothing else. "Safe"
says that nothing is written, run or sent; it says nothing about secrets. Git runs programs its repository names, so
reading with it is safe only where the sandbox confines what it starts.

What the shell may still change is handled by certainty: a word it replaces by paths may be one operand among
many, a word that may become anything is only for programs that are harmless whatever they are told.
"""

from __future__ import annotations

from sandgate.commandline.arguments import ANY_NUMBER, Grammar, Reading, grammar, read, readings
from sandgate.commandline.option_places import heeds_end, permutes
from sandgate.commandline.split import SHELLS, segments
from sandgate.commandline.words import program_name, words_of
from sandgate.commandline.wrappers import SHELL_PROGRAMS
from sandgate.policy.endless import never_ends
from sandgate.policy.safe_programs import LOOSER, SAFE, SAFE_WRAPPERS
from sandgate.policy.secret_names import names_secret, shows_secrets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sandgate.commandline.bashcommands import Script, SimpleCommand
    from sandgate.commandline.bashwords import Certainty, Word
    from sandgate.commandline.split import Segments

    Argv = tuple[str, ...]
    Sure = tuple[Certainty, ...]

# Where an absolute path may point and still mean the program of that name. Only root writes there.
SYSTEM_BINS = ("/bin", "/usr/bin", "/sbin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin")

# Further directories that distributions put on every PATH and that belong to root.
_ROOT_ONLY = ("/usr/games", "/usr/local/games", "/snap/bin")

# Options whose value selects by its text, whatever program has them.
SEARCHES = frozenset(
    ("--author", "--committer", "--grep", "--since", "--until", "--after", "--before", "--include", "--exclude",
     "--exclude-dir", "--max-count")
)  # fmt: skip

WRAPPERS_DEEP_MAX = 8
_ENDLESS = frozenset(("/dev/zero", "/dev/urandom", "/dev/random"))
_COLLECTING = words_of("tail sort tac shuf column")  # wait for the end of their input, with all of it in memory


# What may stand before the script of a shell: no `-i`, which reads start-up files of its own.
SHELL_LINE = "-celuxv -o= --noprofile --norc --posix stop *"
WATCH_LINE = (
    "-bcegptw -n= -d[=] --interval= --differences[=] --no-title --color --beep --errexit --chgexit --precise stop *"
)
SHELL_SETTINGS = words_of("pipefail errexit nounset posix xtrace noglob")
# These keep a meaning of their own in some shell, or a body may call them without meaning itself.
_OWN_MEANING = words_of("eval trap source coproc select repeat foreach always end nocorrect noglob time")

_grammars: dict[str, Grammar] = {}


def safe_commands(
    what: Segments, system_bins: tuple[str, ...] = SYSTEM_BINS, *, confined: bool = True
) -> tuple[bool, ...]:
    """For each of `what.commands`: does it only read? `confined`: it will run in the sandbox."""
    script = what.script
    if script is not None:
        return _safe_in_script(what, script, system_bins, confined=confined)
    if what.complex:
        return (False,) * len(what.commands)
    argv = what.commands[0]
    return (is_safe(argv, system_bins, confined=confined) and not never_ends(argv),)


def _safe_in_script(
    what: Segments, script: Script, system_bins: tuple[str, ...], *, confined: bool
) -> tuple[bool, ...]:
    from sandgate.policy.safe_redirections import redirects_safely, shows_chosen_secrets
    from sandgate.policy.whole_lines import harmless_together

    if not script.plain and "<<" in what.argv[2]:
        inner = _without_document(what)
        if inner is not None:
            return (all(safe_commands(inner, system_bins, confined=confined)),) * len(what.commands)
    if what.complex:
        return (False,) * len(what.commands)
    if not script.readable or not trusted_program(what.argv[0], system_bins):
        return (False,) * len(what.commands)
    if program_name(what.argv[0]) == "zsh" and "[" in what.argv[2]:
        from sandgate.policy.safe_conditions import counts_in_subscripts

        if counts_in_subscripts(what.argv[2]):
            return (False,) * len(what.commands)
    if script.chosen and shows_chosen_secrets(script):
        return (False,) * len(what.commands)
    if any(map(_has_own_meaning, script.functions)):
        return (False,) * len(what.commands)  # a function that calls what it is named after may never end
    each = _each_safe(script.commands, system_bins, confined=confined)
    if what.plain:
        found = tuple(each)
        return found if not any(found) or harmless_together(script) else (False,) * len(found)
    # One question for all of them: the first that does more than read has answered it.
    return (all(each) and redirects_safely(script) and harmless_together(script),)


def _has_own_meaning(name: str) -> bool:
    return name in _OWN_MEANING or name in SHELL_PROGRAMS or name in SAFE_WRAPPERS or name in SAFE


def _without_document(what: Segments) -> Segments | None:
    """The same without the text of its here-document, which only is the input of a command."""
    from sandgate.commandline.heredocs import without_here_document

    script = without_here_document(what.argv[2])
    return None if script is None else segments((*what.argv[:2], script))


def _each_safe(commands: tuple[SimpleCommand, ...], system_bins: tuple[str, ...], *, confined: bool) -> Iterator[bool]:
    known: dict[int, bool] = {}  # a command that comes again may be the same value
    for command in commands:
        safe = known.get(id(command))
        if safe is None:
            safe = known[id(command)] = _is_safe_in_script(command, system_bins, confined=confined)
        yield safe


def is_safe(
    argv: Argv, system_bins: tuple[str, ...] = SYSTEM_BINS, sure: Sure | None = None, *, confined: bool = True
) -> bool:
    """True when this one command only reads. `sure` tells how certain each word is; all exact when left out."""
    for _ in range(WRAPPERS_DEEP_MAX):
        if not argv or not trusted_program(argv[0], system_bins):
            return False
        name = program_name(argv[0])
        if shows_secrets(name, argv[1:]) or (name in _COLLECTING and not _ENDLESS.isdisjoint(argv)):
            return False
        if name == "find" and "-exec" in " ".join(argv):
            from sandgate.policy.safe_find import without_exec

            stripped = without_exec(
                argv, sure, lambda inner, known: is_safe(inner, system_bins, known, confined=confined)
            )
            if stripped is None:
                return False
            argv, sure = stripped
        if name in ("fd", "fdfind"):
            from sandgate.policy.safe_wrappers import RUNS_EACH, at_exec

            if not RUNS_EACH.isdisjoint(argv):
                split = at_exec(argv, sure)
                if split is None or not is_safe(split[0], system_bins, split[1], confined=confined):
                    return False
                argv, sure = split[2], None
        if name in SAFE and _fits(name, argv, sure, confined=confined):
            return True
        if (sure is None or all_exact(sure)) and _explains(name, argv, confined=confined):
            return True
        if name in SHELL_PROGRAMS or name in ("eval", "trap", "watch"):
            return _safe_inside(name, argv, sure, system_bins, confined=confined)
        from sandgate.policy.safe_wrappers import module, through_wrapper

        inner = module(name, argv, sure) if confined and argv[1:2] == ("-m",) else through_wrapper(name, argv, sure)
        if inner is None:
            return False
        argv, sure = inner
    return False


def _explains(name: str, argv: Argv, *, confined: bool) -> bool:
    """`rm --version`, `cargo build --help`."""
    if len(argv) != 2 and argv[-1] != "--help":
        return False
    from sandgate.policy.safe_help import explains_command, only_explains

    if not confined and name in SAFE and "confined" in line_of(name, SAFE[name], SAFE).marks:
        return False  # what its line says of it is said of its help, too
    if len(argv) == 2 and only_explains(name, argv, confined=confined):
        return True
    return confined and argv[-1] == "--help" and explains_command(name, argv)


def _safe_inside(name: str, argv: Argv, sure: Sure | None, system_bins: tuple[str, ...], *, confined: bool) -> bool:
    """`bash -c 'ls; pwd'`, `eval ls`: when every word up to the script is certain and the script only reads."""
    if name == "eval":
        start, script = len(argv) - 1, " ".join(argv[1:])
    elif name == "trap":
        if len(argv) < 3 or not all(signal.isalnum() for signal in argv[2:]):
            return False
        start, script = len(argv) - 1, ":" if argv[1] in ("", "-") else argv[1]
    elif name == "watch":  # joins its words, for a shell
        reading = read(argv[1:], line_of("watch", WATCH_LINE, SAFE))
        if reading is None or not reading.operands:
            return False
        start, script = len(argv) - 1, " ".join(reading.operands)
    else:
        reading = read(argv[1:], line_of("shell", SHELL_LINE, SAFE))
        if reading is None or not reading.has("-c") or not reading.operands:
            return False
        if any(value not in SHELL_SETTINGS for option, value in reading.options if option == "-o"):
            return False
        start = reading.operand_places[0] + 1
        script = argv[start]
    if (sure is not None and not all_exact(sure[: start + 1])) or script.count("eval") > WRAPPERS_DEEP_MAX:
        return False  # `eval` nests without quotes, thousands of times
    shell = name if name in SHELLS else "sh"
    inner = segments((shell, "-c", script))
    return inner.script is not None and _only_reading(inner, system_bins, confined=confined)


def _only_reading(what: Segments, system_bins: tuple[str, ...], *, confined: bool) -> bool:
    """`all(safe_commands(…))`, which for a long script ends at the first command that does more."""
    from sandgate.policy.whole_lines import harmless_together

    script = what.script
    if what.plain and script is not None and script.readable and trusted_program(what.argv[0], system_bins):
        return all(_each_safe(script.commands, system_bins, confined=confined)) and harmless_together(script)
    return all(safe_commands(what, system_bins, confined=confined))


def trusted_program(path: str, system_bins: tuple[str, ...] = SYSTEM_BINS) -> bool:
    """A bare name, or an absolute path directly inside a system directory."""
    slash = path.rfind("/")
    return slash < 0 or path[:slash] in system_bins


def only_system_bins(path: str | None, system_bins: tuple[str, ...] = SYSTEM_BINS) -> bool:
    """True when a bare name can only be found in a system directory. `path` is the command's PATH, None without one.

    Every entry counts, not just those before the first system directory: `make` may be in none of them, or only in
    the last, and then whoever can write to another entry decides what runs. An empty entry is the working directory.
    """
    return path is None or all(entry in system_bins or entry in _ROOT_ONLY for entry in path.split(":"))


def _is_safe_in_script(command: SimpleCommand, system_bins: tuple[str, ...], *, confined: bool) -> bool:
    from sandgate.policy.safe_variables import may_hand_over, may_set

    words = command.words
    if not words:
        return all(may_set(each.text) for each in command.assignments)
    if command.calls_function:
        return not any(names_secret(word.text) for word in words)
    if not words[0].bare or words[0].certainty != "exact":
        return False
    if not all(may_hand_over(each.text) and each.certainty == "exact" for each in command.assignments):
        return False
    from sandgate.policy.safe_commits import is_commit
    from sandgate.policy.safe_conditions import stays_a_test

    if not stays_a_test(words):
        return False
    sure: Sure = tuple(["exact" if _is_one_path(word) or is_commit(word) else word.certainty for word in words])
    return is_safe(command.argv, system_bins, sure, confined=confined)


def _is_one_path(word: Word) -> bool:
    """`~/dir/file`, `~`, `"$PWD/src"`: the shell makes one path of it, which begins like no option."""
    text = word.text
    if text[:1] == "$" and word.certainty == "expanded":
        name, _, rest = text[1:].partition("/")
        return name in ("HOME", "PWD") and not any(mark in rest for mark in "*?[{$`\\")
    return (text[:2] == "~/" or text == "~") and not any(mark in text for mark in "*?[{$`\\")


def _fits(name: str, argv: Argv, sure: Sure | None, *, confined: bool) -> bool:
    if confined and name in LOOSER:  # an odd name does no more harm than the sandbox lets it
        return _fits_line(line_of(f"{name} there", LOOSER[name], SAFE), name, argv, sure)
    rules = line_of(name, SAFE[name], SAFE)
    return (confined or "confined" not in rules.marks) and _fits_line(rules, name, argv, sure)


def _fits_line(rules: Grammar, name: str, argv: Argv, sure: Sure | None) -> bool:
    marks = rules.marks
    words = argv[1:]
    if "sub" in marks:
        return _fits_subcommand(name, rules, argv, sure)
    if "any" in marks:
        if "!" not in marks and sure is not None and "exact" in marks and not all_exact(sure):
            return False
        return _passes_checks(marks, Reading((), words, tuple(range(len(words)))), argv, sure)
    if sure is not None and not all_exact(sure):
        if not _may_expand(words, sure[1:], rules):
            return False
        # The shell decides what stands there; for a harmless program it reads as one more operand.
        words = tuple([w if s == "exact" or _is_search(w) else "x" for w, s in zip(words, sure[1:], strict=True)])
    meant = readings(words, rules, permutes=permutes(name), heeds_end="!" in marks or heeds_end(name))
    return meant is not None and all(_passes_checks(marks, reading, argv, sure) for reading in meant)


def _may_expand(words: Argv, sure: Sure, rules: Grammar) -> bool:
    """Words the shell replaces are fine for a harmless program, or as some more inputs."""
    if "!" in rules.marks:
        return True
    if rules.operands_max < ANY_NUMBER or "exact" in rules.marks or "unknown" in sure:
        return False
    if rules.single_dash_words:  # what begins like a word of the expression would be one
        return not any(s != "exact" and word[:1] in ("-", "(", "!", ",") for s, word in zip(sure, words, strict=True))
    reading = read(words, rules)
    if reading is None:
        return False
    inputs = reading.operand_places
    if "program" in rules.marks:
        inputs = inputs[1:]
    return all(
        s == "exact" or _is_search(words[at]) or (at in inputs and words[at][:1] != "-") for at, s in enumerate(sure)
    )


def _is_search(word: str) -> bool:
    """`--author="$(git config user.name)"`: the shell only decides what is looked for, since what it makes of the word
    begins as the word does. Only `$@` and its like make several words of one."""
    return word.partition("=")[0] in SEARCHES and "@" not in word


def _fits_subcommand(name: str, rules: Grammar, argv: Argv, sure: Sure | None) -> bool:
    """`git -C dir log …`: the options of `git`, then a table line of its own for `git log`."""
    reading = read(argv[1:], rules)
    if reading is None or not _passes_checks(_checks(rules.marks), reading, argv, sure):
        return False
    if not reading.operands:
        alone = "alone" in rules.marks and (sure is None or all_exact(sure))
        return alone and _passes_checks(rules.marks, reading, argv, sure)  # a bare `yarn` installs
    start = reading.operand_places[0] + 1
    if sure is not None and not all_exact(sure[: start + 1]):
        return False
    from sandgate.policy.safe_subcommands import FRAGMENTS, SUBCOMMANDS

    key = f"{name.removesuffix('3')} {argv[start]}"
    if key not in SUBCOMMANDS:
        return False
    return _fits_line(
        line_of(key, SUBCOMMANDS[key], FRAGMENTS), key, argv[start:], None if sure is None else sure[start:]
    )


def _checks(marks: frozenset[str]) -> frozenset[str]:
    """The checks alone; what `needs` asks for is asked of a command without a sub-command."""
    return frozenset([mark for mark in marks if mark.startswith("check:")])


def _passes_checks(marks: frozenset[str], reading: Reading, argv: Argv, sure: Sure | None) -> bool:
    for mark in marks:
        kind, _, value = mark.partition(":")
        if kind == "needs" and not reading.has(*value.split(",")):
            return False
        if kind == "check" and value:
            from sandgate.policy.safe_checks import CHECKS

            if not CHECKS[value](reading, argv, sure):
                return False
    return True


def all_exact(sure: Sure) -> bool:
    """Whether the shell changes no word of it."""
    return sure.count("exact") == len(sure)


def line_of(key: str, line: str, fragments: Mapping[str, str]) -> Grammar:
    """A line of the tables as a grammar, taken apart once; `key` names the line."""
    if key not in _grammars:
        _grammars[key] = grammar(line, fragments)
    return _grammars[key]
