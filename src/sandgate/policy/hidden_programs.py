"""Programs that a script runs without naming them where a program's name stands.

A rule speaks about words. Where some rule asks or forbids, a script must not pass it by putting the words into a
variable, a default or the input of a shell, nor by leaving open what runs: what the text gives is put in and compared
with the rules, and a program that the text does not show is asked about. Without such a rule nothing here is done, and
the sandbox decides as ever.
"""

from __future__ import annotations

from sandgate.commandline.carried import handed_over
from sandgate.commandline.commission_rows import LANGUAGES
from sandgate.commandline.commissions import run_for
from sandgate.commandline.feeding import FED, may_take_orders
from sandgate.commandline.invocation import started_by
from sandgate.commandline.printing import UNKNOWN
from sandgate.commandline.renaming import COPYING, NAMINGS, PROGRAM_PLACES
from sandgate.commandline.respelling import plainer
from sandgate.commandline.subscripts import evaluated_anyhow
from sandgate.commandline.unfolding import Work, is_known, unfold
from sandgate.commandline.words import program_name, words_of
from sandgate.commandline.wrappers import SHELL_PROGRAMS, STARTERS
from sandgate.policy.reach import despite_spelling
from sandgate.policy.rules.model import STRICTNESS, strictest
from sandgate.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from sandgate.commandline import Segments
    from sandgate.commandline.bashcommands import SimpleCommand
    from sandgate.policy.rules.model import Rule, RuleSet
    from sandgate.protocol.verdicts import RuleDecision

    Argv = tuple[str, ...]
    Held = tuple[tuple[str, tuple[str, ...]], ...]

COMMANDS_MAX = 500  # that are put together for one command line
SCRIPTS_MAX = 50  # that are read for one command line
SEARCHED_CHARACTERS_MAX = 10_000  # of a command line; beyond, a tenth of a second would go by
TOO_LONG = f"more than {SEARCHED_CHARACTERS_MAX} characters are not searched for programs the text does not name"
_PARAMETERS_MAX = 9
# What runs texts, files or words: everything else runs what it is called.
_RUNNING = SHELL_PROGRAMS | words_of(
    "eval source . trap alias exec xargs parallel at batch set shift hash enable complete crontab ed expect"
)
_TAKING = _RUNNING | FED | LANGUAGES  # or run what they are fed
# A text without any of these says all it runs, as it stands.
_HIDING = (
    "$",
    "`",
    "|",
    "<",
    "*",
    "?",
    "[",
    "alias",
    "eval",
    "xargs",
    "source",
    "trap",
    "system",
    "exec",
    "{",
    "parallel",
    ">",
    "hash",
    "/bin/",
    "/sbin/",
)


class Hidden(Record):
    """What makes a verdict stricter: a rule about a command that the words do not name, or what cannot be known."""

    rule: Rule | None = None
    argv: Argv = ()  # the command it speaks about
    unknown: str = ""  # a sentence


def hidden(what: Segments, decide: RuleDecision, rules: RuleSet) -> Hidden | None:
    """What `what` runs beside the words it shows, held against the rules; None when `decide` remains as it is."""
    tightening = any(rule.decide != "allow" for rule in rules.rules)
    if decide == "forbid" or not tightening or not any(mark in word for word in what.argv for mark in _HIDING):
        return None
    if not _may_hide(what, rules):
        return None
    if sum(map(len, what.argv)) > SEARCHED_CHARACTERS_MAX:
        return Hidden(unknown=TOO_LONG) if decide == "allow" else None
    search = _Search(what)
    search.run()
    for argv in search.commands:
        matching = [rule for rule in _about(argv, rules) if STRICTNESS[rule.decide] > STRICTNESS[decide]]
        if matching:
            return Hidden(strictest(tuple(matching)), _shown(argv))
        if any(UNKNOWN in word for word in argv[1:]) and _may_be_about(argv, rules):
            search.unknown[" ".join(_shown(argv))] = None
    if search.unknown and decide == "allow":
        return Hidden(unknown=f"names a program the text does not show: {next(iter(search.unknown))}")
    return None


def _may_hide(what: Segments, rules: RuleSet) -> bool:
    """Whether a search is worth it: a program or a word of a rule is open, or something runs texts or files."""
    script = what.script
    if script is None:
        return _hands_on(what.argv)
    if not script.readable or evaluated_anyhow(what.argv[-1]):
        return True
    writes = any(each.target is not None and each.target.text != "/dev/null" for each in script.redirections)
    once = {id(command): command for command in script.commands}
    return any(_is_open(command, rules, writes=writes) for command in once.values())


def _is_open(command: SimpleCommand, rules: RuleSet, *, writes: bool) -> bool:
    assigned = [word.text.partition("=") for word in command.assignments]
    if any(text for name, _, value in assigned for text in run_for(name, value)):
        return True
    if any(text.startswith(NAMINGS) for text in (*[name for name, _, _ in assigned], *command.argv)):
        return True
    if not command.words:
        return False
    first = command.words[0]
    if program_name(first.text) in COPYING and any(
        word.certainty != "exact" or word.text.removeprefix("if=").startswith(PROGRAM_PLACES) for word in command.words
    ):
        return True
    if first.certainty != "exact" or (writes and "/" in first.text) or _hands_on(command.argv):
        return True
    sure = all(word.certainty == "exact" for word in command.words)
    if sure:
        return False
    if program_name(first.text) in STARTERS:
        return True
    argv = tuple([word.text if word.certainty == "exact" else UNKNOWN for word in command.words])
    return _may_be_about(argv, rules)


def _hands_on(argv: Argv) -> bool:
    """Whether a command of these words runs text, files or words that it is given."""
    name = program_name(argv[0]) if argv else ""
    if name in _RUNNING or (argv and may_take_orders(argv)):
        return True
    inside = name in STARTERS and (
        any(program_name(word) in _TAKING for word in argv[1:]) or bool(started_by(argv).scripts)
    )
    return inside or next(iter(handed_over(argv)), None) is not None


def _about(argv: Argv, rules: RuleSet) -> tuple[Rule, ...]:
    shown = _shown(argv)
    return (*rules.matching(shown), *despite_spelling(shown, rules))


def _may_be_about(argv: Argv, rules: RuleSet) -> bool:
    return any(_may_cover(rule, argv) for rule in rules.about(argv[0]) if rule.decide != "allow")


def _may_cover(rule: Rule, argv: Argv) -> bool:
    """Whether the rule speaks about `argv` if the text that is not known is what the rule names: `npm $X`."""
    for at, words in enumerate(rule.prefix):
        if at >= len(argv):
            return False
        if at and UNKNOWN in argv[at]:
            return True
        if (argv[at] if at else program_name(argv[0])) not in words:
            return False
    return False


class _Search:
    """Everything a command line runs with its values put in, within a budget."""

    def __init__(self, what: Segments) -> None:
        self.commands: dict[Argv, None] = {}
        self._work = Work()
        self.unknown: dict[str, None] = {}
        self._scripts: dict[tuple[str, Held], None] = {}
        self._waiting: list[tuple[str, Held, str]] = []
        if what.script is None:
            self._follow([what.argv], ())
            return
        text = what.argv[-1]
        for each in (text, plainer(text), *evaluated_anyhow(text)):
            self._add(each, ())

    def run(self) -> None:
        while self._waiting:
            text, held, by = self._waiting.pop()
            found = unfold(text, self._work, held)
            self.unknown.update(dict.fromkeys(by if by and "$?" in each else each for each in found.unknown))
            for script in found.scripts:
                self._add(script, found.values, by)
            self._follow(found.commands, found.values)

    def _add(self, text: str, held: Held, by: str = "") -> None:
        """`by`: the command that runs this text, for a sentence about what it leaves open."""
        key = text.replace(UNKNOWN, "${?}"), held
        if not text.strip() or key in self._scripts:
            return
        if len(self._scripts) >= SCRIPTS_MAX:
            self.unknown["more scripts than are read"] = None
            return
        self._scripts[key] = None
        self._waiting.append((*key, by))

    def _follow(self, commands: Iterable[Argv], held: Held) -> None:
        """Each command, and all it starts in turn."""
        for command in commands:
            by = " ".join(_shown(command))
            waiting = [command]
            while waiting:
                argv = waiting.pop()
                if not argv or argv in self.commands:
                    continue
                if len(self.commands) >= COMMANDS_MAX:
                    self.unknown["more commands than are looked at"] = None
                    return
                self.commands[argv] = None
                if not is_known(argv[0]):
                    self.unknown.setdefault(by)
                started = started_by(argv)
                waiting.extend(started.commands)
                self._parameters(argv)
                for text in (*started.scripts, *handed_over(argv)):
                    self._add(text, held, by)

    def _parameters(self, argv: Argv) -> None:
        """`bash -c '"$@"' _ ls`: the words behind a script are what it calls `$1` and `$@`."""
        for text in started_by(argv).scripts:
            at = argv.index(text) if text in argv else len(argv)
            rest = argv[at + 2 :]
            if "$" in text and argv[at + 1 :]:
                numbered = [(str(number), (word,)) for number, word in enumerate(rest[:_PARAMETERS_MAX], 1)]
                everything = " ".join(rest)
                self._add(text, (("0", argv[at + 1 : at + 2]), ("@", (everything,)), ("*", (everything,)), *numbered))


def _shown(argv: Argv) -> Argv:
    return tuple([word.replace(UNKNOWN, "…") for word in argv])
