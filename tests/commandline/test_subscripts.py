"""Commands in the subscript of a name."""

from __future__ import annotations

import pytest

from sandgate.commandline import segments
from sandgate.commandline.invocation import everything_run
from sandgate.commandline.subscripts import SUBSCRIPTS_MAX, evaluated


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a[$(rm x)]", ("rm x",)),
        ("a[\\$(rm x)]", ("rm x",)),
        ("a[`rm x`]", ("rm x",)),
        ("a[1+$(rm $(ls))] b[0] c[$(id)]", ("rm $(ls)", "id")),
        ("a[$(rm x", ("rm x",)),
        ("a[b[0]+$(rm x)]", ("rm x",)),
        ("a[']'$(rm x)]", ("rm x",)),
        ("a[0] $(rm x)", ()),
        ("[$(date)]", ()),
        ('[ -n "$(ls)" ]', ()),
        ("a[i]", ()),
        ("plain", ()),
    ],
)
def test_only_substitutions_inside_a_subscript_count(text: str, found: tuple[str, ...]) -> None:
    assert evaluated(text) == found


@pytest.mark.parametrize(
    "script",
    [
        '[[ "a[\\$(rm -rf y)]" -eq 1 ]]',
        "test -v 'a[$(rm -rf y)]'",
        "[ -v 'a[$(rm -rf y)]' ]",
        "printf -v 'a[$(rm -rf y)]' x",
        "read 'a[$(rm -rf y)]' <<< 1",
        "unset 'a[`rm -rf y`]'",
        "v='a[$(rm -rf y)]'; echo $((v))",
        "declare 'a[$(rm -rf y)]=1'",
    ],
)
def test_the_shell_runs_a_quoted_subscript(script: str) -> None:
    assert ("rm", "-rf", "y") in everything_run(segments(("bash", "-c", script))).commands


def test_a_text_of_many_subscripts_is_looked_at_up_to_a_limit() -> None:
    assert len(evaluated("a[$(x)] " * 10_000)) == SUBSCRIPTS_MAX
    assert evaluated("a[" * 20_000 + "]`x") == ("x",)


def test_a_sum_is_no_command_and_hides_none() -> None:
    assert evaluated("${a[$((i + 1))]}") == ()
    assert evaluated("a[$((b[$(ls)]))]") == ("ls",)
    assert evaluated("a[$((ls) | cat)]") == ("(ls) | cat",)
