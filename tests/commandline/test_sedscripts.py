"""What a sed script runs."""

from __future__ import annotations

import pytest

from sandgate.commandline.sedscripts import INPUT, commands, scripts_of


@pytest.mark.parametrize(
    ("script", "run"),
    [
        ("e rm x", ["rm x"]),
        ("1e rm x", ["rm x"]),
        ("$!e rm x", ["rm x"]),
        ("/a/e rm x", ["rm x"]),
        ("/a/,/b/e rm x", ["rm x"]),
        ("\\,a,e rm x", ["rm x"]),
        ("s/a/rm x/e", ["rm x"]),
        ("s,a,rm x,2ge", ["rm x"]),
        ("/a/{s/a/rm x/e}", ["rm x"]),
        ("e", [INPUT]),
        ("p;e", [INPUT]),
        ("s/a/e/", []),
        ("s/a/b/p", []),
        ("1,5p", []),
        ("/expr/d", []),
        ("/e/p", []),
    ],
)
def test_commands_in_a_sed_script_are_told_from_text(script: str, run: list[str]) -> None:
    assert list(commands(script)) == run


def test_scripts_are_found_wherever_they_may_stand() -> None:
    given = ("-n", "-e", "p", "-ed", "--expression=q", "file")
    assert list(scripts_of(given)) == ["", "p", "d", "q", "file"]
