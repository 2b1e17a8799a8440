"""Words with known values put in."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandgate.commandline.printing import UNKNOWN
from sandgate.commandline.unfolding import ALTERNATIVES_MAX, STEPS_MAX, Work, is_known, unfold
from support.suite.rows import every
from support.suite.searches import examples


def found(script: str) -> tuple[set[tuple[str, ...]], set[str]]:
    """What becomes of the script: its commands, and the texts that shells are fed."""
    result = unfold(script, Work())
    return set(result.commands), {text.strip() for text in result.scripts}


@every(
    "script",
    [
        "x=rm; $x y", "x=rm; \"$x\" y", "x='rm y'; $x", "a=r; b=m; $a$b y", "x=r; x+=m; $x y", "x=$(echo rm); $x y",
        "x=$y; y=rm; $x y", "for c in ls rm; do $c y; done", "a=(rm y); \"${a[@]}\"", "${x:-rm} y", ": ${x:=rm}; $x y",
        "$(printf %s rm) y", "`echo rm` y", "$(which rm) y", "$(command -v rm) y", "set -- rm y; \"$@\"",
        "f() { \"$@\"; }; f rm y", "f() { $1 $2; }; f rm y", "read c <<< rm; $c y", "printf -v x rm; $x y",
        "declare x=rm; $x y", "r$(echo m) y", "rm$z y", "r$@m y", "x=rm; { $x y; }", "x=rm; echo $($x y)", "r{m,n} y",
    ],
)  # fmt: skip
def test_a_value_that_the_text_gives_stands_where_it_is_used(script: str) -> None:
    commands, _ = found(script)
    assert any(argv[0] == "rm" and "y" in argv for argv in commands)


@pytest.mark.parametrize(
    "script",
    [
        "echo rm y | sh", "echo 'rm y' | cat | bash", "printf 'rm y' | sudo sh", "bash <<E\nrm y\nE", "sh <<< 'rm y'",
        "cat <<E | bash\nrm y\nE", "{ echo rm y; } | sh", "source <(echo rm y)", "bash <(printf 'rm y')",
        ". /dev/stdin <<< 'rm y'", "exec <<< 'rm y'; sh", "sh 0<<<'rm y'", "echo rm y | xargs env",
        "printf 'rm y' | xargs -I% sh -c %", "parallel ::: 'rm y'", "echo rm y > a.sh; sh a.sh",
        "GIT_PAGER='rm y' git log",
    ],
)  # fmt: skip
def test_a_text_that_reaches_a_shell_is_a_script(script: str) -> None:
    assert any("rm y" in text for text in found(script)[1])


@pytest.mark.parametrize(
    ("script", "unknown"),
    [
        ("$x y", "$x"),
        ("$(cat f) y", "$(cat f)"),
        ("timeout 5 ls; ${x#y} z", "${x#y}"),
        ("read c < f; $c", "$c"),
        ("base64 -d f | sh", "what `sh` is fed"),
        ("sh < f", "what `sh` is fed"),
        ("xargs -a f env", "what `xargs` is fed"),
        ("/bin/l[s] x", "/bin/l[s]"),
        ("if [ x; then $(", "a part that cannot be read"),
    ],
)
def test_what_the_text_does_not_show_is_said(script: str, unknown: str) -> None:
    assert unknown in unfold(script, Work()).unknown


@pytest.mark.parametrize(
    "script",
    [
        "echo $x", "cd $d && make", 'if [ "$x" = y ]; then ls; fi', "for f in *.py; do python3 $f; done", "sh x.sh",
        '"$HOME/bin/tool" x', "cat a | grep b | xargs wc -l", "bash -c 'ls $x'", "FOO=$BAR make", "[[ -n $x ]]", "bash",
    ],
)  # fmt: skip
def test_ordinary_scripts_leave_nothing_open(script: str) -> None:
    assert unfold(script, Work()).unknown == ()


def test_the_last_part_of_a_path_names_the_program() -> None:
    assert is_known(f"{UNKNOWN}/bin/ls")
    assert not is_known(f"/bin/{UNKNOWN}")
    assert not is_known("{}")


def test_a_name_holds_so_many_values_and_then_anything() -> None:
    many = "for c in " + " ".join(f"c{n}" for n in range(ALTERNATIVES_MAX + 5)) + "; do $c; done"
    result = unfold(many, Work())
    assert ("c0",) in result.commands
    assert "$c" in result.unknown


@pytest.mark.parametrize(
    "script",
    [
        "x=ab; " + "x=$x$x; " * 2_000 + "$x",
        "$(" * 60 + "echo a" + ")" * 60,
        "{a,b}" * 2_000,
        "exec <<< ls; sh; " * 1_500,
        "cat | " * 500 + "sh",
        "f(){ :; }; f " + "$a " * 10_000,
    ],
    ids=["doubling", "nested", "braces", "many shells", "many cats", "many words"],
)
def test_a_hostile_script_costs_no_more_than_its_share(script: str) -> None:
    """Required: the work is counted, so that a text can take neither time nor memory without end."""
    work = Work()
    unfold(script, work)
    assert work.left > -STEPS_MAX


PIECES = [
    "x=", "$x", "${x:-a}", "$(echo a)", "`b`", "| sh", "<<< a", "{a,b}", "f(){ ", "}", ";", "eval ", "set -- ", '"',
    "'", "xargs -I% ", "$@", "for i in a; do ", "done", "<(a)", "> f", "\n", "alias q=", " ", "a",
]  # fmt: skip


@settings(max_examples=examples(200), deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=20).map("".join))
def test_no_script_breaks_it(script: str) -> None:
    result = unfold(script, Work())
    assert all(argv and all(argv) for argv in result.commands)
