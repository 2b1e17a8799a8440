"""Policy and the assessor never contradict each other: what runs unasked because it only reads is not called worse.

Compared are all lines of the corpora, all examples of the tables, and all short commands that the tables of harmless
commands can be made into: a program, with one option, with a sub-command, with `--help`. One difference is meant: that
a file which is shown may hold a secret is said, and asked about only where its name says so
(`assessment.places.CREDENTIAL_ENDINGS`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from sandgate.assessment.findings import EXFILTRATION, LOW
from sandgate.assessment.knowledge import ENTRIES
from sandgate.commandline.arguments import grammar
from sandgate.commandline.words import quoted
from sandgate.policy.approval import verdict_for
from sandgate.policy.safe_help import EXPLAINS_ITSELF
from sandgate.policy.safe_programs import SAFE
from sandgate.policy.safe_subcommands import FRAGMENTS, SUBCOMMANDS
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.permissions import WorkspaceWrite
from sandgate.protocol.risk import RiskAssessment
from sandgate.protocol.verdicts import Allow
from support.command.assessing import ENVIRONMENT, PROJECT, corpus, judged
from support.suite import sampling
from support.suite.rows import every

Argv = tuple[str, ...]
CORPORA = Path(__file__).resolve().parent.parent / "corpus"
# A function that is called like a program is judged as both, since where it is defined is not followed.
FUNCTIONS = ("say() { echo hi; }; say",)


def with_one_option(words: Argv, line: str, others: Mapping[str, str]) -> Iterator[Argv]:
    known = grammar(line, others)
    yield words
    for option in sorted(known.flags | known.optional):
        yield (*words, option)
    for option in sorted(known.valued):
        yield (*words, option, "x")
    if known.operands_max and "sub" not in known.marks:
        yield (*words, "x")


def short_commands() -> Iterator[Argv]:
    for name in EXPLAINS_ITSELF | SAFE.keys():
        yield (name, "--help")
        yield (name, "--version")
    for name, line in SAFE.items():
        yield from with_one_option((name,), line, SAFE)
    for name, line in SUBCOMMANDS.items():
        yield from with_one_option(tuple(name.split()), line, FRAGMENTS)
        yield (*name.split(), "--help")
    for entry in ENTRIES.values():
        yield tuple(entry.name.split())
        yield (*entry.name.split(), "--help")


def lines() -> Iterator[Argv]:
    for file in sorted(CORPORA.glob("*.txt")):
        for line in file.read_bytes().decode().split("\n"):
            if line.strip() and line[0] != "#":
                yield shell(line.split("|", 2)[2].strip().replace("\\|", "|").replace("⏎", "\n"))
    for _, _, script in corpus():
        yield shell(script)
    for entry in ENTRIES.values():
        yield from [shell(example.partition(" => ")[0]) for example in entry.examples]


def shell(script: str) -> Argv:
    return ("bash", "-lc", script)


def runs_unasked(argv: Argv) -> bool:
    command = CommandRequest(argv, PROJECT, ENVIRONMENT)
    return isinstance(verdict_for(command, policy="untrusted", sandbox=WorkspaceWrite()), Allow)


def contradicts(risk: RiskAssessment) -> bool:
    """Worse than low, for another reason than what the files that are read may hold."""
    only_shows = risk.risk_categories == (EXFILTRATION,) and risk.risk_level == "medium"
    return risk.risk_level != LOW and not (only_shows and {fact.kind for fact in risk.facts} == {"reads"})


def some_short_commands() -> Iterator[Argv]:
    yield from sampling.share(dict.fromkeys(short_commands()))


@pytest.mark.parametrize(
    ("commands", "unasked_min"),
    [(some_short_commands, 3000 if sampling.full() else 300), (lines, 3000)],
    ids=["short", "lines"],
)
def test_what_runs_unasked_is_never_called_worse_than_low(
    commands: Callable[[], Iterator[Argv]], unasked_min: int
) -> None:
    unasked = [argv for argv in dict.fromkeys(commands()) if runs_unasked(argv)]
    assert len(unasked) >= unasked_min
    wrong = [" ".join(map(quoted, argv)) for argv in unasked if argv[-1] not in FUNCTIONS and contradicts(judged(argv))]
    assert wrong == []


@every(
    "script, level",
    [
        ("ufw status", "low"),
        ("ufw enable", "high"),
        ("firewall-cmd --state", "low"),
        ("firewall-cmd --add-port=22/tcp", "high"),
        ("rfkill", "low"),
        ("rfkill block wifi", "high"),
        ("bootctl", "low"),
        ("bootctl install", "high"),
        ("hdparm /dev/sda", "low"),
        ("hdparm -S 1 /dev/sda", "high"),
        ("blockdev --getalignoff /dev/sda", "low"),
        ("blockdev --setro /dev/sda", "high"),
        ("grubby --default-kernel", "low"),
        ("grubby --remove-kernel=x", "high"),
        ("crontab --help", "low"),
        ("crontab x", "high"),
        ("bridge link", "low"),
        ("bridge link set dev eth0 state 0", "high"),
        ("ionice -c3 nice ls", "low"),
        ("ionice -c3 rm -rf /", "high"),
        ("ufw status; rm -rf /", "high"),
        ("timeout 5 cat ~/.ssh/id_rsa", "high"),
    ],
)
def test_the_same_program_reads_with_some_words_and_changes_the_machine_with_others(script: str, level: str) -> None:
    assert judged(script).risk_level == level
