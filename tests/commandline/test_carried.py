"""Scripts that travel as data are found."""

from __future__ import annotations

import pytest

from sandgate.commandline import segments
from sandgate.commandline.carried import handed_over
from sandgate.commandline.invocation import everything_run
from support.suite.rows import every


def runs(script: str) -> set[tuple[str, ...]]:
    return set(everything_run(segments(("bash", "-lc", script))).commands)


@every(
    "script",
    [
        "alias x='rm -rf y'; x",
        "printf '%s\\n' 'rm -rf y' | bash",
        "echo 'ls; rm -rf y' | sh -s",
        "bash <<< 'rm -rf y'",
        "bash <<'E'\nrm -rf y\nE",
        "cat <<A\nit's\nA\nbash <<'E'\nrm -rf y\nE",
        "bash <<A\nbash <<B\nrm -rf y\nB\nA",
        "bash <<A\nrm -rf y",
        "eval 'time case x in *) rm \\\n-rf \\\ny ;; esac'",
        "source <(printf %s 'rm -rf y')",
        "x='rm -rf y'; bash -c \"$x\"",
        "x='rm -rf y'; eval \"$x\"",
        "PAGER='rm -rf y' git log",
        "GIT_SSH_COMMAND='rm -rf y' git fetch",
        "git -c core.pager='rm -rf y' log",
        "git -c alias.z='!rm -rf y' z",
        "git -c filter.x.clean='rm -rf y' add .",
        "git bisect run rm -rf y",
        "git submodule foreach 'rm -rf y'",
        "git rebase -x 'rm -rf y' HEAD~2",
        "git filter-branch --tree-filter 'rm -rf y' HEAD",
        "tar cf a b --checkpoint-action=exec='rm -rf y'",
        "tar xf a --to-command 'rm -rf y'",
        "rsync -e 'rm -rf y' a b",
        "man -P 'rm -rf y' ls",
        "vim -c ':!rm -rf y' f",
        "gdb -ex 'shell rm -rf y'",
        "make SHELL='rm -rf y'",
        "python3 -c 'import os; os.system(\"rm -rf y\")'",
        'python3 -c \'import subprocess; subprocess.run(["rm", "-rf", "y"])\'',
        "perl -e 'exec \"rm -rf y\"'",
        "time for i in a; do coproc rm -rf y; done",
        "r\\\nm -rf $'\\x79'",
    ],
)
def test_what_is_run_in_the_end_is_found(script: str) -> None:
    assert any(argv[:2] == ("rm", "-rf") for argv in runs(script))


@pytest.mark.parametrize(
    "argv",
    [
        ("git", "commit", "-m", "rm -rf y"),
        ("git", "-c", "user.name=rm -rf y", "commit"),
        ("git", "clean", "-n", "-x", "build"),
        ("echo", "rm -rf y"),
        ("grep", "rm -rf y", "f"),
        ("python3", "-c", "print('rm -rf y')"),
        ("psql", "-c", "select 1"),
        ("tar", "xf", "a"),
    ],
)
def test_text_that_nothing_runs_stays_text(argv: tuple[str, ...]) -> None:
    assert list(handed_over(argv)) == []
    assert ("rm", "-rf", "y") not in everything_run(segments(argv)).commands


def test_a_script_that_hands_itself_on_comes_to_an_end() -> None:
    script = 'bash <<< "$0"; x=\'x\'; eval "$x $x"; ' * 200
    assert len(everything_run(segments(("bash", "-lc", script))).scripts) <= 300
