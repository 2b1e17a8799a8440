"""Which commands of a script only read, and whether the line as a whole does."""

from __future__ import annotations

from sandgate.commandline.arguments import read
from sandgate.commandline.split import SHELLS, segments
from sandgate.commandline.words import program_name, words_of
from sandgate.commandline.wrappers import SHELL_PROGRAMS
from sandgate.policy.safe_programs import SAFE, SAFE_WRAPPERS
from sandgate.policy.safe_redirections import redirects_safely, shows_chosen_secrets
from sandgate.policy.safety import WRAPPERS_DEEP_MAX, all_exact, is_safe, line_of, safe_commands, trusted_program
from sandgate.policy.secret_names import names_secret
from sandgate.policy.whole_lines import harmless_together

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from sandgate.commandline.bashcommands import Script, SimpleCommand
    from sandgate.commandline.bashwords import Word
    from sandgate.commandline.split import Segments
    from sandgate.policy.safety import Sure

    Argv = tuple[str, ...]

# What may stand before the script of a shell: no `-i`, which reads start-up files of its own.
SHELL_LINE = "-celuxv -o= --noprofile --norc --posix stop *"
WATCH_LINE = (
    "-bcegptw -n= -d[=] --interval= --differences[=] --no-title --color --beep --errexit --chgexit --precise stop *"
)
SHELL_SETTINGS = words_of("pipefail errexit nounset posix xtrace noglob")
# These keep a meaning of their own in some shell, or a body may call them without meaning itself.
_OWN_MEANING = words_of("eval trap source coproc select repeat foreach always end nocorrect noglob time")


def safe_in_script(what: Segments, script: Script, system_bins: tuple[str, ...], *, confined: bool) -> tuple[bool, ...]:
    """`safe_commands` of a line that is a script for a shell."""
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
    from sandgate.commandline.heredocs import emptied

    script = emptied(what.argv[2])
    return None if script is None else segments((*what.argv[:2], script))


def _each_safe(commands: tuple[SimpleCommand, ...], system_bins: tuple[str, ...], *, confined: bool) -> Iterator[bool]:
    known: dict[int, bool] = {}  # a command that comes again may be the same value
    for command in commands:
        safe = known.get(id(command))
        if safe is None:
            safe = known[id(command)] = _is_safe_in_script(command, system_bins, confined=confined)
        yield safe


def safe_inside(name: str, argv: Argv, sure: Sure | None, system_bins: tuple[str, ...], *, confined: bool) -> bool:
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
    script = what.script
    if what.plain and script is not None and script.readable and trusted_program(what.argv[0], system_bins):
        return all(_each_safe(script.commands, system_bins, confined=confined)) and harmless_together(script)
    return all(safe_commands(what, system_bins, confined=confined))


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
