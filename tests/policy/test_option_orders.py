"""What is vouched for is harmless in every order of its words: the real programs run, and everything they try is seen.

Each line runs where nothing may be written, under the backend that reports what was refused. Every file it names is a
script that writes, and so is its standard input, so whoever runs one instead of reading it is reported as well.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterable, Iterator
from itertools import permutations
from pathlib import Path

import pytest

from corpus.score import files, lines
from sandgate.commandline.words import split, words_of
from sandgate.policy import safety
from sandgate.policy.safe_programs import SAFE
from sandgate.policy.safe_subcommands import SUBCOMMANDS
from sandgate.policy.safety import SYSTEM_BINS, is_safe
from support.kernel.confined_runs import confined
from support.kernel.landlock_fixtures import shelf as shelf  # a fixture
from support.suite.sampling import seed, share

Argv = tuple[str, ...]

CANARY = "canary"
PLANTED = "planted"
RUNS_MAX = 300
"""Lines run in all, others with each seed, of some 20 000; each takes some 15 ms."""
EACH_MAX = 5
"""Lines run of one program or command."""
WORDS_MAX = 4
"""Words of a line of which all orders are tried."""
SHELL_SIGNS = frozenset("|&;<>$`*?{(")
NETWORK = frozenset(("bind", "connect", "sendto"))
"""What is refused everywhere; who asks another machine is looked for elsewhere."""

SPECIAL = (
    "+n",
    "-",
    "@planted",
    "A}$(touch canary)${B",
    "|touch canary",
    ";touch canary",
    "-e'",
    "--help",
    "--version",
)
"""Words that some program somewhere does not take for the name of a file."""

SCRIPTS = {
    "node": "require('fs').writeFileSync('canary', '')\n",
    "php": "<?php touch('canary');\n",
    "perl": "open(F, '>canary');\n",
    "ruby": "File.write('canary', '')\n",
    "python3": "open('canary', 'w')\n",
}
SHELL_SCRIPT = "#!/bin/sh\n: >canary\n"

LASTING = words_of("sleep yes watch timeout top htop tail vmstat iostat mpstat pidstat ping journalctl dmesg")
"""Programs that need not end."""

SLOW = words_of("npm npx pip pip3 gem gcloud aws az conda apt-file")
"""Programs that take longer than twenty others."""

OWN_PLACES = ("/dev/", "/proc/", "/tmp/", "/run/", "/var/cache/", "/var/lib/", "/var/lock/", "/etc/.pwd.lock/")
"""Where programs keep locks, caches and temporary files of their own, whatever they are told."""

RUN = f'export HOME=/tmp/home TMPDIR=/tmp; exec "$@" <{PLANTED}'


def seeds() -> Iterator[Argv]:
    """Vouched-for command lines: those that people wrote, and one for each option that alone vouches."""
    for line in lines(files()):
        if line.kind == "read" and SHELL_SIGNS.isdisjoint(line.command) and (argv := split(line.command)):
            yield argv
    for name, row in [*SAFE.items(), *SUBCOMMANDS.items()]:
        words = tuple(name.split())
        yield (*words, PLANTED)
        for mark in row.split():
            if mark.startswith("needs:"):
                yield from ((*words, option, PLANTED) for option in mark.removeprefix("needs:").split(","))


def orders(argv: Argv) -> Iterator[Argv]:
    """The words behind the program in other orders, with one more at either end, and behind an end of the options."""
    words = argv[1:]
    yield argv
    yield from ((argv[0], *order) for order in (permutations(words) if len(words) <= WORDS_MAX else ()))
    for more in (PLANTED, *SPECIAL):
        yield (*argv, more)
        yield (argv[0], more, *words)
    yield (argv[0], "--", *words)
    yield (argv[0], *words[:1], "--", *words[1:])


def installed(name: str) -> bool:
    return name not in LASTING | SLOW and shutil.which(name, path=":".join(SYSTEM_BINS)) is not None


def chosen(every: Iterable[Argv]) -> list[Argv]:
    """At most so many of each program and of all, the same ones for the same seed; with an option behind first."""
    kept: dict[Argv, list[Argv]] = {}
    drawn = {argv: hashlib.sha256(f"{seed()} {argv!r}".encode()).digest() for argv in every}
    for argv in sorted(drawn, key=lambda argv: (not _mixed(argv), drawn[argv])):
        same = kept.setdefault(argv[:2] if "sub" in SAFE.get(argv[0], "").split() else argv[:1], [])
        if len(same) < EACH_MAX:
            same.append(argv)
    rounds = [same[at] for at in range(EACH_MAX) for same in kept.values() if at < len(same)]
    return rounds[:RUNS_MAX]


def _mixed(argv: Argv) -> bool:
    """Whether an option stands behind an operand."""
    dashed = [word[:1] == "-" for word in argv[1:]]
    return any(one and not other for one, other in zip(dashed[1:], dashed[:-1], strict=True))


def vouched_orders() -> list[Argv]:
    known = dict.fromkeys(argv for argv in seeds() if installed(argv[0]) and is_safe(argv))
    return chosen(order for argv in known for order in orders(argv) if is_safe(order))


def touched(argv: Argv, workspace: Path) -> list[tuple[str, str]]:
    """What the command tried to change: (operation, path)."""
    script = SCRIPTS.get(argv[0], SHELL_SCRIPT)
    for word in {PLANTED, *(word for word in argv[1:] if _names_file(word))}:
        (workspace / word).write_text(script)
    try:
        outcome = confined(("/bin/sh", "-c", RUN, "sh", *argv), str(workspace), writable=(), read_only=(), absent=())
    except TimeoutError:
        return []
    return [
        (refused["operation"], refused["path"])
        for refused in outcome["refused"]
        if refused["operation"] not in NETWORK
        and refused["path"] is not None
        and not f"{refused['path']}/".startswith(OWN_PLACES)
    ]


def _names_file(word: str) -> bool:
    return word[:1] not in ("-", ".", "") and "/" not in word and len(word) < os.pathconf("/", "PC_NAME_MAX")


@pytest.mark.slow
@pytest.mark.host("landlock", "notify")
def test_what_is_vouched_for_only_reads_in_every_order_of_its_words(shelf: Path) -> None:
    lines_run = vouched_orders()
    changing = {argv: tried for argv in share(lines_run) if (tried := touched(argv, shelf))}
    assert changing == {}
    assert len(lines_run) >= 100


@pytest.mark.host("landlock", "notify")
@pytest.mark.parametrize(
    "argv",
    [
        ("bash", PLANTED, "-n"),
        ("bash", "-n", "+n"),
        ("sh", PLANTED, "--version"),
        ("node", PLANTED, "-v"),
        ("perl", PLANTED, "-v"),
        ("sort", PLANTED, "-o", CANARY),
        ("uniq", PLANTED, CANARY),
        ("zgrep", "--label='", ";: >canary;#", PLANTED),
        ("info", "-w", "./a;: >canary;.gz", PLANTED),
    ],
)
def test_the_watcher_sees_what_is_asked_about(argv: Argv, shelf: Path) -> None:
    """The other half: these do write or run, and are not vouched for."""
    if not installed(argv[0]):
        pytest.skip(f"no {argv[0]} here")
    assert not is_safe(argv)
    if argv[0] == "info":
        (shelf / "a;: >canary;.gz").write_bytes(b"")
    assert touched(argv, shelf)


@pytest.mark.host("landlock", "notify")
def test_believing_options_behind_operands_would_be_seen(shelf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(safety, "permutes", lambda _command: True)
    believed = [order for order in orders(("sh", "-n", PLANTED)) if is_safe(order)]
    assert [order for order in believed if touched(order, shelf)] != []
