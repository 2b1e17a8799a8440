"""A test stays the test that is written there, whatever the variables hold: the real shells run what is vouched for."""

from __future__ import annotations

import shutil
import subprocess
from itertools import product
from pathlib import Path

import pytest

from sandgate.commandline.split import segments
from sandgate.policy.safe_conditions import counts_in_subscripts
from sandgate.policy.safety import safe_commands
from support.suite.sampling import share

CANARY = "canary"
SUBSCRIPT = "path[$(touch${IFS}canary)]"
HOSTILE = (
    f"-v {SUBSCRIPT}",
    f"-v {SUBSCRIPT} -o a",
    f"a -o -v {SUBSCRIPT}",
    f"a -a -v {SUBSCRIPT} -o a",
    SUBSCRIPT,
    "-v",
    "-R",
    "-t",
    "!",
    "(",
    "=",
    "-a",
)
"""What a file of the workspace may hold, for a script that reads it into a variable."""
WORDS = ("$x", '"$x"', '"$y"', "-n", "=", "-a", "-eq", "1")
WORDS_MAX = 3
"""Words of a test of which all rows are tried."""


def vouched_for(shell: str, script: str) -> bool:
    return all(safe_commands(segments((shell, "-c", script))))


def runs_canary(shell: str, script: str, where: Path, **variables: str) -> bool:
    (where / CANARY).unlink(missing_ok=True)
    environment = {"PATH": "/usr/bin:/bin", "HOME": "/", **variables}
    argv = [shell, *(["-f"] if shell == "zsh" else []), "-c", script]
    subprocess.run(argv, cwd=where, env=environment, capture_output=True, check=False)
    return (where / CANARY).exists()


@pytest.mark.parametrize(
    "line",
    ["[ $x ]", "test $x", "builtin test $x", "[ -n $x ]", "[ $x = a ]", '[ "$x" "$y" ]', 'test "$x" "$y"',
     "[ $(cat f) ]", "[ `cat f` ] && ls", 'set -- "$x" "$y"; [ "$@" ]', "[ * ]"],
)  # fmt: skip
def test_a_test_that_the_shell_makes_another_one_of_is_asked_about(line: str, tmp_path: Path) -> None:
    (tmp_path / "f").write_text(HOSTILE[0])
    (tmp_path / "two").mkdir()
    for name in HOSTILE[0].split():
        (tmp_path / "two" / name).touch()
    where = tmp_path / "two" if "*" in line else tmp_path
    values = [{"x": HOSTILE[0]}, {"x": "-v", "y": SUBSCRIPT}, {"x": f"a = a -a {HOSTILE[0]} -o a"}]
    values += [{"x": f"{HOSTILE[0]} -o a"}, {"x": f"a -o {HOSTILE[0]}"}]
    assert any(runs_canary("bash", line, where, **each) for each in values)
    assert not vouched_for("bash", line)


@pytest.mark.parametrize(
    "line",
    ['[ "$x" ]', '[ -n "$x" ]', '[ "$x" = a ]', '[ "$x" = "$y" ]', '[ ! -f "$x" ]', "[ -f *.py ]", "[ -d src/* ]",
     "[ -d $HOME/x ]", "[ -d ~/x ]", "[ $? -eq 0 ]", "[ $# -gt 0 ]", "for f in a b; do [ -f $f ]; done",
     '[ -n "$x" -a -f "$y" ]'],
)  # fmt: skip
def test_a_test_that_stays_what_it_is_runs_unasked(line: str, tmp_path: Path) -> None:
    assert vouched_for("bash", line)
    for x, y in share(product(HOSTILE, HOSTILE)):
        assert not runs_canary("bash", line, tmp_path, x=x, y=y), (x, y)


def test_no_row_of_words_that_is_vouched_for_runs_what_a_variable_holds(tmp_path: Path) -> None:
    rows = [row for length in range(1, WORDS_MAX + 1) for row in product(WORDS, repeat=length)]
    vouched = [line for line in (f"[ {' '.join(row)} ]" for row in rows) if vouched_for("bash", line)]
    assert len(vouched) > len(WORDS)
    for x, y in product(HOSTILE, HOSTILE):
        assert not runs_canary("bash", "\n".join(vouched), tmp_path, x=x, y=y), (x, y)


@pytest.mark.parametrize(
    "line", ["read x < f; echo $HOME[x]", 'read x < f; echo "$HOME[$x]"', "read x < f; echo $^HOME[x]", "[ -t $x ]"]
)
def test_what_zsh_counts_with_is_asked_about(line: str, tmp_path: Path) -> None:
    unsplit = SUBSCRIPT.replace("${IFS}", " ")
    (tmp_path / "f").write_text(f"{unsplit}\n")
    if shutil.which("zsh"):
        assert runs_canary("zsh", line, tmp_path, x=unsplit)
    assert not vouched_for("zsh", line)


@pytest.mark.parametrize(
    ("script", "counts"),
    [
        ("echo $x[1]", False),
        ("echo $x[-1] $x[1,3] $x[@]", False),
        ("ls [a-z]*", False),
        ("grep '[a-z]' f", False),
        ("[ -f f ]", False),
        ("echo ${x}[y]", False),
        ("echo $x[y]", True),
        ("echo $x[1][y]", True),
        ("echo $1[y] $@[y]", True),
        ("echo $+x[y]", True),
        ("echo $^=x[(r)y]", True),
        ("echo $x[", True),
    ],
)
def test_a_subscript_behind_a_variable_counts_unless_it_is_a_number(script: str, counts: bool) -> None:
    assert counts_in_subscripts(script) is counts
