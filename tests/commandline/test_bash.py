"""What is found in a script, how certain its words are, and that hostile text does no harm."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.commandline import segments
from sandgate.commandline.bash import parse
from sandgate.commandline.bashcommands import Script
from sandgate.commandline.grammar import PARENTHESES_MAX, SCRIPT_BYTES_MAX
from support.suite.rows import every


def found(script: str) -> list[tuple[str, ...]]:
    return [command.argv for command in parse(script).commands]


@every(
    "script",
    [
        "(rm -rf x)",
        "f() { rm -rf x; }",
        "if true; then rm -rf x; fi",
        "for a in b; do rm -rf x; done",
        "echo $(rm -rf x)",
        "echo `rm -rf x`",
        'echo "a $(rm -rf x) b"',
        "cat <(rm -rf x)",
        "cat <<EOF\n$(rm -rf x)\nEOF",
        "cat <<EOF\n`rm -rf x`\nEOF",
        'echo "a `rm -rf x` b"',
        "cat <<EOF | rm -rf x\nhi\nEOF",
        "A=$(rm -rf x) ls",
        "A=$(rm -rf x)",
        "export A=$(rm -rf x)",
        "case a in b) rm -rf x;; esac",
        "ls & rm -rf x",
        "rm 2>/dev/null -rf x",
        "ls | rm >/dev/null -rf x | cat",
        "echo ${a:-$(rm -rf x)}",
        "[[ $(rm -rf x) ]]",
        "[ $(rm -rf x) ]",
        "(( $(rm -rf x) ))",
        "! rm -rf x",
        "\\rm -rf x",
        "$'r\\x6d' -rf x",
        "head -20\n'rm' -rf x",
        "ls\n\\rm -rf x",
        "a | head -20\n'rm' -rf x\nls",
        "echo $((ls) ; (rm -rf x))",
        "'r'\\m -r'f' x",
        "'rm' -r\"f\" x",
        "rm -rf x\n)",
        "{rm,-rf,x}",
        "rm -rf x 'open",
        "while rm -rf x; do ls; done",
    ],
)
def test_a_command_is_found_wherever_it_hides(script: str) -> None:
    assert ("rm", "-rf", "x") in [argv[:3] for argv in found(script)]


@every(
    "script",
    [
        "ls 2>/dev/null",
        "(ls)",
        "{ ls; }",
        "! ls",
        "if [ -f x ]; then ls; else pwd; fi",
        "for f in a b; do cat $f; done",
        "while read -r x; do echo $x; done < f",
        "echo $(ls) `pwd`",
        "A=1 ls",
        "ls # comment",
        "find . \\( -name a \\)",
        "A=1; ls",
        "a=1 b=$(pwd); ls $a",
        "x=(a b); ls",
        "ls & wait",
        "[[ -f x && $a == b* || $# -gt 1 ]] && ls",
        'echo ${x:-y} ${#x} ${x%.txt} ${a[1]} ${a[@]} "${x//a/b}"',
        "echo $((1+1)); i=0; i=$((i+1)); echo $i",
        "diff <(sort a) <(ls)",
        "while read -r x; do echo $x; done < <(ls)",
        "ls $'x\\ty'",
        "export A=1; ls",
        "f() { ls; }; f",
        "function f { local a=$1; ls; }; f x",
        "case $x in a|b*) ls;; *) pwd;; esac",
        "i=0; while [ $i -lt 3 ]; do ls; i=$((i+1)); done",
    ],
)
def test_a_readable_script_accounts_for_all_it_runs(script: str) -> None:
    assert parse(script).readable


@every(
    "script",
    [
        "export A; ls",
        "declare -n a=b; ls",
        "if ls; then f() { ls; }; fi; f",
        "f() ( ls ); f",
        "PATH() { ls; }; ls",
        "case x in $((a[0]))) ls;; esac",
        "((x=1)) && ls",
        "echo ${x@P}",
        "echo ${!x}",
        "echo ${x:y}",
        "echo ${x:=$(ls)}",
        "echo ${a[x]}",
        "echo ${(e)x}",
        "echo $((x+1))",
        "x=$(cat f); echo $((x+1))",
        "x=1; read x; echo $((x+1))",
        "x=1; x+=$y; echo $((x+1))",
        "x=1; for x in $y; do echo $((x+1)); done",
        "x=$((1))$(cat f)$((2)); echo $((x+1))",
        "echo $((ls) | (sh))",
        "echo $((a[0]))",
        "[[ $x -eq 1 ]] && ls",
        "[[ -v x ]] && ls",
        "tee >(ls)",
        "ls $'a\\'b'",
        "cat <<EOF\nx\nEOF",
        "for PATH in a; do ls; done",
        "for path in a; do ls; done",
        "select x in a; do ls; done",
        "for ((;;)); do ls; done",
        "ls\x0b-la",
        "ls )",
        "ls\n\\rm x",
    ],
)
def test_a_script_with_anything_else_is_not_readable(script: str) -> None:
    assert not parse(script).readable


@pytest.mark.parametrize(
    "script",
    [
        "(" * 60_000,
        "{ " * 60_000,
        "$(" * 900,
        "a=(" * 900,
        "((1" * 450,
        "'\"`" * 40_000,
        "<<E " * 3_000,
        "${" * 3_000,
        "if a; then " * 5_000,
        "\\" * 100_000,
        "x" * 131_000,
        "ls\n" * 10_000,
        "x" * 1_000_000,
        "ls \0 rm",
        "ls \ud800",
        "ls \udcff\udc80",
        "\x01\x02\x1b[31m",
    ],
)
def test_hostile_text_is_read_without_crashing_or_hanging(script: str) -> None:
    """Our choice: seconds are generous for a shared machine; the slowest takes about half of one."""
    before = time.monotonic()
    assert isinstance(parse(script), Script)
    assert time.monotonic() - before < 10


def test_text_beyond_the_limits_is_never_vouched_for() -> None:
    long = parse("ls " + "a" * SCRIPT_BYTES_MAX)
    tangled = parse("ls; " + "'('" * (PARENTHESES_MAX + 1))
    assert [(each.plain, each.readable, each.beyond_limits) for each in (long, tangled)] == [(False, False, True)] * 2


HANDLER = """
command_not_found_handle() { printf '%s\\0' "$@"; printf '\\1\\0'; }
PATH=/nonexistent; set -f
"""


def run_by_bash(script: str, directory: Path) -> list[tuple[str, ...]]:
    """The argv of each command as bash itself makes them: every program is unknown, so its handler prints them."""
    done = subprocess.run(
        ["/bin/bash", "--norc", "--noprofile", "-c", HANDLER + script],
        capture_output=True,
        timeout=20,
        cwd=directory,
        env={"LC_ALL": "C.UTF-8"},
        check=False,
    )
    words = os.fsdecode(done.stdout).split("\0")
    commands: list[tuple[str, ...]] = []
    current: list[str] = []
    for word in words:
        if word == "\1":
            commands.append(tuple(current))
            current = []
        else:
            current.append(word)
    return commands


PIECE = st.one_of(
    st.sampled_from(
        ["xa", "xb", "-n", "12", "'q r'", '"d q"', "''", '""', '"a\\"b"', '"a\\\\b"', "a\\ b", '"$"', "x#y"]
    ),
    st.text(st.sampled_from("ab '\"\\$`#!~=,.-+@^%:/{}[]*?\t\n\r\u00a0\x0b\u00e9"), min_size=1, max_size=6),
)
SCRIPTS = st.lists(
    st.tuples(st.lists(PIECE, min_size=0, max_size=4), st.sampled_from([" && ", "; ", "\n", " || ", ";", " "])),
    min_size=1,
    max_size=3,
).map(lambda parts: "".join("xprog " + " ".join(words) + separator for words, separator in parts))


def reaches_the_handler(program: str) -> bool:
    """Builtins, paths and job names (`%1`) are not looked up, so bash does not call the handler for them."""
    return program not in (":", ".", "[") and "/" not in program and program[:1] != "%"


@given(SCRIPTS)
def test_plain_means_bash_runs_exactly_these_words(script: str) -> None:
    """Required: rules match what runs. What the shell would still expand stays as written, and is left out here."""
    what = segments(("bash", "-c", script))
    expands = any(set("*?[{~") & set(word) for command in what.commands for word in command)
    skipped = "||" in script or "\r" in script  # the right side may not run; a CR at the end of a line is accepted
    if not what.plain or expands or skipped or not all(reaches_the_handler(argv[0]) for argv in what.commands):
        return
    assert run_by_bash(script, Path("/")) == list(what.commands)


PROGRAMS = st.sampled_from(
    ["xprog", "'xprog'", '"xprog"', "\\xprog", "x'prog'", "2>/dev/null xprog", "( xprog", "! xprog"]
)
TAILS = st.sampled_from(["", " 2>/dev/null", " # note", " )", " </dev/null xtail", " | cat"])
READABLE = st.lists(
    st.tuples(PROGRAMS, st.lists(PIECE, max_size=3), TAILS, st.sampled_from(["\n", "; ", "\n\n", " \n "])),
    min_size=1,
    max_size=4,
).map(lambda parts: "".join(" ".join([program, *words]) + tail + end for program, words, tail, end in parts))


@given(READABLE)
def test_readable_means_bash_runs_nothing_else(script: str) -> None:
    """Required: what we judge one by one is all that runs, word for word, where every word is certain."""
    read = parse(script)
    words = [word for command in read.commands for word in command.words]
    certain = all(word.certainty == "exact" for word in words)
    seen = [command.argv for command in read.commands if command.argv != ("cat",)]
    piped = "|" in script.replace(" | cat", "")  # `cat` would read what was printed, not print its own words
    if not read.readable or not certain or piped or "\r" in script or "&&" in script:
        return
    if all(argv and reaches_the_handler(argv[0]) and argv[0] != "cat" for argv in seen):
        assert run_by_bash("cat() { /bin/cat; }\n" + script, Path("/")) == seen


@pytest.mark.parametrize(
    ("script", "found"),
    [
        ("exec 3<>/dev/tcp/h/80", [("3", "<>", "/dev/tcp/h/80")]),
        ("cat <> f > g", [("", "<>", "f"), ("", ">", "g")]),
        ("(exec 3<>a) 2>> b", [("2", ">>", "b"), ("3", "<>", "a")]),
    ],
)
def test_opening_for_both_is_a_redirection_like_any_other(script: str, found: list[tuple[str, str, str]]) -> None:
    read = parse(script)
    assert read.readable
    assert sorted(
        (each.descriptor, each.operator, each.target.text if each.target else "") for each in read.redirections
    ) == sorted(found)


@pytest.mark.parametrize("script", ["echo '<>'", 'echo "a<>b"', "cat <<'<>'\na<>b\n<>", "echo \\<>f", "# <>\nls"])
def test_what_only_looks_like_it_is_text(script: str) -> None:
    assert all(each.operator != "<>" for each in parse(script).redirections)
    assert "<>" not in script or ">>" not in str(parse(script).commands)
