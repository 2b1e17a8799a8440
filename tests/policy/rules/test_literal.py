"""Rule files of literal calls, read without an interpreter: the same answer as Starlark's, or none."""

from __future__ import annotations

from typing import Any

import starlark
from hypothesis import given
from hypothesis import strategies as st

from sandgate.policy.rules.literal import CALL_NAMES, Beyond, RuleCall, literal_calls
from support.suite.rows import every

GOOD = """# ours
prefix_rule(pattern=["git", ["status", 'log']], decision="allow")

host_executable(
    name = "git",   # which
    paths = ["/usr/bin/git",],
)
network_rule("a.example", "https", "deny", None)
prefix_rule(["a \\"b\\" \\\\ \\n"], uses=3, canonical_matching=True, match=[])
"""


def test_literal_calls_are_read_with_their_lines() -> None:
    assert literal_calls(GOOD) == (
        RuleCall("prefix_rule", (), {"pattern": ["git", ["status", "log"]], "decision": "allow"}, 2),
        RuleCall("host_executable", (), {"name": "git", "paths": ["/usr/bin/git"]}, 4),
        RuleCall("network_rule", ("a.example", "https", "deny", None), {}, 8),
        RuleCall("prefix_rule", (['a "b" \\ \n'],), {"uses": 3, "canonical_matching": True, "match": []}, 9),
    )


def test_files_with_other_line_ends_and_without_calls_are_read_too() -> None:
    assert literal_calls(GOOD.replace("\n", "\r\n")) == literal_calls(GOOD)
    assert literal_calls("") == literal_calls("# nothing\n\n") == ()


@every(
    "text, line",
    [
        ("x = 1", 1),
        ("\nprefix_rule(x)", 2),
        ("prefix_rule()\n\nprefix_rule(['a'] + ['b'])", 3),
        ("prefix_rule(f'a')", 1),
        ("prefix_rule(r'a')", 1),
        ("prefix_rule(b'a')", 1),
        ("prefix_rule('a' 'b')", 1),
        ("prefix_rule('''a''')", 1),
        ("prefix_rule('\\x41')", 1),
        ("prefix_rule('a\n')", 1),
        ("prefix_rule(-1)", 1),
        ("prefix_rule(1.5)", 1),
        ("prefix_rule(01)", 1),
        ("prefix_rule((1,))", 1),
        ("prefix_rule({})", 1),
        ("prefix_rule(a=1, 2)", 1),
        ("prefix_rule(a=1, a=2)", 1),
        ("prefix_rule(a==1)", 1),
        ("prefix_rule(,)", 1),
        ("prefix_rule(1,,2)", 1),
        ("prefix_rule(1 2)", 1),
        ("prefix_rule(", 1),
        ("prefix_rule('a", 1),
        ("prefix_rule(['a'", 1),
        ("prefix_rule() prefix_rule()", 1),
        ("prefix_rule();", 1),
        ("  prefix_rule()", 1),
        ("prefix_rule(*[1])", 1),
        ("load('a', 'b')", 1),
        ("\ufeffprefix_rule()", 1),
        ("# \0", 1),
        ("#\n# \u202e", 2),
        ("\tprefix_rule()", 1),
        ("prefix_rule(" + "[" * 9 + "]" * 9 + ")", 1),
    ],
)
def test_what_is_more_or_less_than_that_is_left_to_starlark(text: str, line: int) -> None:
    assert literal_calls(text) == Beyond(line)


def test_a_long_file_is_read_in_one_pass() -> None:
    """A megabyte of what costs most: brackets, quotes, escapes. Quadratic work would take minutes here."""
    for piece in ("[", '"', "\\n", "\\", "#\n", "prefix_rule(", "0", "\n"):
        literal_calls("prefix_rule('" + piece * (1_000_000 // len(piece)))
        literal_calls(piece * (1_000_000 // len(piece)))


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(0, 10**6) | st.text(st.sampled_from("ab \"'\\\n#,])=é"), max_size=6),
    lambda inside: st.lists(inside, max_size=3),
    max_leaves=5,
)
PIECES = st.sampled_from(
    ["prefix_rule", "(", ")", "[", "]", ",", "=", "'a'", '"b"', "'\\'", "\\", "a", "1", "0", "True", "None",
     " ", "\n", "#", '"""', "r'", "+", ";", "\t", "\r\n", "-", ".", "é"]
)  # fmt: skip


def by_starlark(text: str) -> list[tuple[str, list[Any], dict[str, Any]]] | None:
    calls: list[tuple[str, list[Any], dict[str, Any]]] = []
    module = starlark.Module()
    for name in CALL_NAMES:
        module.add_callable(name, lambda *values, _name=name, **named: calls.append((_name, list(values), named)))
    try:
        starlark.eval(module, starlark.parse("rules", text, starlark.Dialect.extended()), starlark.Globals.standard())
    except starlark.StarlarkError:
        return None
    return calls


@given(st.lists(st.tuples(st.lists(VALUES, max_size=3), st.dictionaries(st.sampled_from("xyz"), VALUES, max_size=2))))
def test_what_is_written_with_python_literals_is_read_back(calls: list[tuple[list[Any], dict[str, Any]]]) -> None:
    lines = []
    for values, named in calls:
        arguments = [*(repr(value) for value in values), *(f"{key} = {value!r}" for key, value in named.items())]
        lines.append(f"prefix_rule({', '.join(arguments)})\n")
    found = literal_calls("".join(lines))
    assert not isinstance(found, Beyond)
    assert [(list(call.positional), call.named, call.line) for call in found] == [
        (values, named, at) for at, (values, named) in enumerate(calls, 1)
    ]


@given(st.lists(PIECES, max_size=12).map("".join))
def test_where_it_answers_starlark_answers_the_same(text: str) -> None:
    """Required: one file means one thing, however it was read."""
    for whole in (text, f"prefix_rule({text})"):
        found = literal_calls(whole)
        if not isinstance(found, Beyond):
            assert [(call.name, list(call.positional), call.named) for call in found] == by_starlark(whole)
