"""What judging a command costs, by generated scripts and by the tables: work grows with the length and no faster.

Counted are calls, of Python and of C: the same text makes the same calls on every machine. What one call costs (a copy,
a search through the rest of the text) is seen in the processor time of a text four times as long, in the best of three.
"""

from __future__ import annotations

import cProfile
import random
import time

import pytest

from sandgate.assessment.static import assess
from sandgate.commandline import commission_rows, launcher_rows, wrappers
from sandgate.commandline.words import words_of
from sandgate.policy.approval import verdict_for
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.permissions import WorkspaceWrite
from sandgate.protocol.verdicts import Ask
from support.command.assessing import facts
from support.suite.sampling import share

TOKENS = words_of(
    "<> << <<< ( ) { } [ ] [[ ]] (( )) $( ${ ` \" ' \\ | || & && ; ;; a a=1 x=( = + * ? ~ ! # {a,b} {1..2} $a ${a:-b} "
    "$((1+1)) a() function if then fi else for in do done while case esac a) <<E <( >( &> 2>&1 >x <x @( a[1]=2 a[ 'a' "
    '"a" $\'a\' $"a" `a` "$( "${ export declare test : . , % / // [@] eval bash_-c env xargs sudo awk sed find -exec '
    "printf %s echo ls rm_-rf git python3_-c cat tee cd alias_a=b a+=b {a,b}{a,b} ssh make ./x -o --x=y ../ a@b:c "
    "s/a/b/ {} \\; while_read -delete /etc ~/x $i"
)
JOINTS = ("", " ", " ", "\n", ";", " ; ", "\t\\\n")
HEADS = (
    *(
        "",
        "",
        "",
        "find ",
        "tar ",
        "rm ",
        "for i in ",
        "x=(",
        "a=(",
        "case $x in ",
        "sed -e ",
        "ssh h ",
        "xargs ",
        "env ",
    ),
    *("sudo ", "echo ", "[[ ", "((", "${", '"', "`", "$((", "{ ", 'bash -c "', "cat <<E\n", "eval ", "function f { "),
)
SCRIPTS = 30
SHORT_CHARACTERS = 800
EACH_MAX = 300  # calls for each character: three times what the dearest of some thousands needs
EACH_COMMON = 100  # so many are no reason to look at the growth: whether a quote is closed may depend on the length
GROWTH_MAX = 2.6  # of the calls, when the text is twice as long
COPIES_MAX = 10.0  # of the processor time, when it is four times as long; the square would be 16
SLOW_S = 0.04  # below, processor time says nothing


def generated(number: int, characters: int) -> str:
    """A script of that length: something first, one thing again and again, and mostly another one after it."""
    chance = random.Random(number)

    def unit() -> str:
        words = [chance.choice(sorted(TOKENS)).replace("_", " ") for _ in range(chance.choice((1, 1, 2, 3, 4)))]
        return chance.choice(("", " ")).join(words) + chance.choice(JOINTS)

    head, first, second = chance.choice(HEADS), unit(), chance.choice((unit(), ""))
    share = characters // 2 if second else characters
    return head + first * (share // len(first)) + second * (share // len(second) if second else 0)


def judge(script: str) -> None:
    command = CommandRequest(("bash", "-c", script), "/w", {})
    verdict_for(command, policy="untrusted", sandbox=WorkspaceWrite())
    assess(command, facts=facts())


def calls(script: str) -> int:
    profile = cProfile.Profile()
    profile.runcall(judge, script)
    return sum(entry.callcount for entry in profile.getstats())


def seconds(script: str, attempt: int) -> float:
    """Processor time; each time another text, as judged texts are remembered."""
    start = time.thread_time()
    judge(f"{script}\n: {attempt}")
    return time.thread_time() - start


def copies_little(short: str, long: str) -> bool:
    """Whether a text four times as long takes little more than four times as long, in one of three attempts."""
    attempts = ((seconds(long, attempt), seconds(short, attempt)) for attempt in range(3))
    return any(took <= COPIES_MAX * max(before, SLOW_S) for took, before in attempts)


def grows_with_length(short: str, long: str) -> None:
    made = calls(long)
    assert made <= EACH_MAX * len(long)
    if made > EACH_COMMON * len(long):
        assert made <= GROWTH_MAX * calls(short)


@pytest.mark.parametrize("number", share(range(SCRIPTS)))
def test_a_generated_script_costs_what_its_length_does(number: int) -> None:
    judge("warm $up | (a b)")
    grows_with_length(generated(number, SHORT_CHARACTERS), generated(number, 2 * SHORT_CHARACTERS))


KNOWN = {  # what was slower than linear once
    "an array that every word repeats": ("a=(", "-c declare find $'a' \\\n", 120),
    "places of a find": ("find ", "a ", 1_500),
    "places and commands of a find": ("find ", "a a a a a -exec x ; ", 80),
    "one word of many parts": ("", "\\;\\;\n", 500),
    "tasks of one make": ("make ", "sed ", 600),
    "redirections without a command": ("", "<>", 1_000),
    "commands of one fd": ("fd a ", "-x rm ", 200),
    "commands of one find": ("find ", "-exec cat {} \\; ", 200),
    "sub-commands of one git": ("git ", "difftool -x ", 200),
    "hosts of one ssh": ("ssh ", "ssh ", 400),
}


@pytest.mark.parametrize("name", KNOWN)
def test_what_was_slow_once_is_not(name: str) -> None:
    head, unit, times = KNOWN[name]
    grows_with_length(head + unit * times, head + unit * 2 * times)
    assert copies_little(head + unit * 2 * times, head + unit * 8 * times)


# What may stand behind any program that starts others, again and again.
STARTING = (
    "-x rm -c ls -e 'rm x' -o a=b a=b rm -- rm \\; rm -exec rm {} \\; --exec rm --exec='rm x' 'rm x' -n run rm "
    "bash -c rm "
)
TABLE_CHARACTERS = 1_200


def _named(line: str) -> list[str]:
    """The options that a line of a table names, as they are typed."""
    return [word.removesuffix("[=]").rstrip("=…") for word in line.split() if word[:1] == "-"]


def _repeated() -> dict[str, str]:
    """Beginning of a command → what is repeated behind it: options and commands, for all programs that start others."""
    found: dict[str, list[str]] = {}
    told = commission_rows
    lines = (told.COMMAND_LINES, told.OVER_FILES, told.CODE_FILES, told.SETTINGS, told.PIPED, wrappers.WRAPPERS)
    for table in lines:
        for name, line in table.items():
            found.setdefault(name, []).extend(_named(line))
    for name, row in commission_rows.RESTS.items():
        found.setdefault(name, []).extend(row.marks)
    for program, rows in launcher_rows.LAUNCHERS.items():
        for sub, places in rows:
            found.setdefault(" ".join((program, *sub)), []).extend(_named(" ".join(places)))
    for program, word in launcher_rows.RUNNERS.items():
        found.setdefault(f"{program} {word}", [])
    for program, subs in launcher_rows.CONTAINERS.items():
        found.update({f"{program} {' '.join(sub)}": found.get(f"{program} {' '.join(sub)}", []) for sub in subs})
    others = (*launcher_rows.DIRECT_RUNNERS, *wrappers.SHELL_PROGRAMS, *wrappers.COMMAND_FOLLOWS, *wrappers.STARTERS)
    for program in others:
        found.setdefault(program, [])
    return {
        head: "".join([f"{option} rm " for option in options]) + head.partition(" ")[0] + " " + STARTING
        for head, options in found.items()
    }


REPEATED = _repeated()
SLICES = 12


@pytest.mark.parametrize("part", range(SLICES))
def test_repeated_options_and_commands_of_each_program_cost_what_their_length_does(part: int) -> None:
    judge("warm $up | (a b)")
    for head in share(sorted(REPEATED)[part::SLICES]):
        text = f"{head} a " + REPEATED[head] * (TABLE_CHARACTERS // len(REPEATED[head]) + 1)
        assert calls(text) <= EACH_MAX * len(text), head


STARTED = {  # more words than were written, and who makes them
    "values of a loop": "for i in " + "a " * 400 + "; do rm " + "$i " * 400 + "; done",
    "lines for xargs": "printf '%s\\n' " + "a " * 400 + "| xargs -I{} rm " + "{} " * 400,
    "commands in commands": "uvx " * 4_000,
}


@pytest.mark.parametrize("name", STARTED)
def test_words_that_nobody_wrote_are_counted_and_given_up(name: str) -> None:
    command = CommandRequest(("bash", "-c", STARTED[name]), "/w", {})
    risk = assess(command, facts=facts())
    assert risk is not None
    assert risk.risk_level == "high"
    assert "the command is too long to be judged" in risk.reasons
    assert isinstance(verdict_for(command, policy="untrusted", sandbox=WorkspaceWrite()), Ask)


@pytest.mark.slow
@pytest.mark.parametrize("number", share(range(SCRIPTS, SCRIPTS + 10)))
def test_no_call_copies_the_rest_again_and_again(number: int) -> None:
    assert copies_little(generated(number, 3 * SHORT_CHARACTERS), generated(number, 12 * SHORT_CHARACTERS))
