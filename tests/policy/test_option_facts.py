"""Whether an option takes a value is what the tables of safe programs say: the programs themselves are asked.

A flag of the table that takes a value swallows the word behind it: in `ag -g -- --pager=x`, the end of the options. A
value of the table that is a flag makes options of what is attached to it: `php -ldextension=x`. A library put before
the C library's reports with which options a program calls getopt(3), and ends it.
"""

from __future__ import annotations

import shutil
import subprocess
from itertools import product
from pathlib import Path

import pytest

from sandgate.commandline.arguments import grammar
from sandgate.policy.safe_programs import SAFE, SAFE_WRAPPERS
from sandgate.policy.safety import SYSTEM_BINS
from support.kernel.confined_runs import confined
from support.kernel.landlock_fixtures import shelf as shelf  # a fixture
from support.suite.sampling import full, share

Options = tuple[frozenset[str], frozenset[str]]
"""Those without a value, and those that must have one."""

SIGN = "@options@"

REPORTER = r"""
#define _GNU_SOURCE
#include <getopt.h>
#include <stdio.h>
#include <unistd.h>
static int report(const char *letters, const struct option *names) {
    dprintf(2, "\n@options@ %s", letters);
    for (; names && names->name; names++) dprintf(2, " %s%.*s", names->name, names->has_arg, "::");
    dprintf(2, "\n");
    _exit(0);
}
int getopt(int n, char *const *words, const char *letters) { return report(letters, 0); }
int getopt_long(int n, char *const *words, const char *letters, const struct option *names, int *at) {
    return report(letters, names);
}
"""

SEVERAL = frozenset(("cal",))
"""Programs of which there are two under one name. Neither has an option that harms."""


@pytest.fixture
def reporter(shelf: Path) -> Path:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    (shelf / "reporter.c").write_text(REPORTER)
    library = shelf / "reporter.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, shelf / "reporter.c"], check=True, capture_output=True)
    return library


def asked(program: str, reporter: Path) -> Options | None:
    """The options with which the program calls getopt(3); None when it does not."""
    line = ("/bin/sh", "-c", f'LD_PRELOAD={reporter} exec "$1" --help', "sh", program)
    said = confined(line, str(reporter.parent), writable=(), read_only=(), absent=())["output"]
    if f"\n{SIGN} " not in said:
        return None
    letters, *names = said.rpartition(f"\n{SIGN} ")[2].partition("\n")[0].split(" ")
    return options_of(letters, names)


def options_of(letters: str, names: list[str]) -> Options:
    """Those of getopt(3): `a` a flag, `a:` with a value, `a::` with one or none; the same for long names."""
    known = letters.lstrip("+-:").replace("W;", "")
    short = [f"-{part}" for part in _parts(known)]
    every = [*short, *(f"--{name}" for name in names)]
    flags = frozenset(option for option in every if not option.endswith(":"))
    return flags, frozenset(
        option.removesuffix(":") for option in every if option.endswith(":") and not option.endswith("::")
    )


def _parts(letters: str) -> list[str]:
    parts: list[str] = []
    for letter in letters:
        if letter == ":" and parts:
            parts[-1] += letter
        elif letter != ":":
            parts.append(letter)
    return parts


def test_the_letters_of_getopt_are_understood() -> None:
    assert options_of("+ab:c::d", ["all", "size:", "color::"]) == (
        frozenset(("-a", "-d", "--all")),
        frozenset(("-b", "--size")),
    )


@pytest.mark.slow
@pytest.mark.host("landlock", "notify")
def test_whether_an_option_takes_a_value_is_known(reporter: Path) -> None:
    here = {name: shutil.which(name, path=":".join(SYSTEM_BINS)) for name in sorted({*SAFE, *SAFE_WRAPPERS} - SEVERAL)}
    binaries = {name: path for name, path in here.items() if path and Path(path).read_bytes()[:2] != b"#!"}
    known = {name: found for name in share(binaries) if (found := asked(binaries[name], reporter))}
    wrong = {}
    for (name, (flags, valued)), table in product(known.items(), (SAFE, SAFE_WRAPPERS)):
        rules = grammar(table.get(name, "any"), SAFE)
        if "any" not in rules.marks:
            swallowing = (rules.flags - rules.valued - rules.optional) & valued - flags
            splitting = rules.valued & flags - valued
            if swallowing or splitting:
                wrong[name] = sorted(swallowing | splitting)
    assert wrong == {}
    assert len(known) >= (50 if full() else 1)


@pytest.mark.host("landlock", "notify")
def test_a_program_says_which_options_it_has(reporter: Path) -> None:
    found = asked("sort", reporter)
    assert found is not None
    flags, valued = found
    assert {"-r", "--reverse"} <= flags
    assert {"-o", "--output"} <= valued
