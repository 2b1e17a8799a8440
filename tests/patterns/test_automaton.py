"""Regular expressions that look at every character once."""

import re

import pytest

from sandgate.errors import RequestError
from sandgate.patterns.automaton import NODES_MAX, NOTHING, Nodes, add_regex, add_text
from support.suite.rows import every


def matches(pattern: str, text: str) -> bool:
    """Whether `pattern` stands for exactly `text`."""
    nodes = Nodes()
    now, before = {add_regex(nodes, pattern, 0)}, NOTHING
    for char in text:
        reached = nodes.reached(now, before, char)
        now = {nodes.following[node][0] for node in reached if node in nodes.tests and nodes.tests[node](char)}
        before = char
    return any(node in nodes.ends for node in nodes.reached(now, before, NOTHING))


SYNTAX = [
    "abc", "a.c", "a[bc]d", "a[^bc]d", "[a-c]+", r"\d+", r"\D+", r"\w+", r"\W+", r"\s+", r"\S+", "[^\\W\\d]+",
    "a*b", "a+?b", "a{2}", "a{2,}", "a{1,3}b", "(ab|cd)+", "(?:a|)b", "(?i)AbC", "(?i:a)B", "(?s)a.b", "(?P<name>a)b",
    "a?b", "[^a]", "(?i)[^a-c]", r"a\.b", "(a*)*b", r"\bab\b", r"a\Bb", r"[\d.]+", "(?i)é+", "a|b|cd",
]  # fmt: skip
TEXTS = [
    "abc", "ABC", "a.c", "a\nb", "aaab", "b", "", "abd", "aed", "123", "12 3", "a_1", " \t", "cdab", "É", "é", "ab",
    "aB", "1.5", "٣", "a", "aa", "aaa", "d", "a.b", "aab", "cd",
]  # fmt: skip


@every("pattern", SYNTAX)
def test_it_reads_patterns_as_python_does(pattern: str) -> None:
    assert [text for text in TEXTS if matches(pattern, text)] == [
        text for text in TEXTS if re.fullmatch(pattern, text) is not None
    ]


def test_lines_end_where_a_terminal_breaks_them() -> None:
    """Our choice: unlike Python's, `^` and `$` need no flag and know the carriage return."""
    nodes = Nodes()
    first = nodes.reached([add_regex(nodes, "^a", 0)], "\r", "a")
    assert [node in nodes.tests for node in first] == [True]
    assert nodes.reached([add_regex(nodes, "^a", 0)], "x", "a") == []
    assert matches("a$", "a")
    end = [node for after in "\r\nx" for node in nodes.reached([add_regex(nodes, "$", 1)], "a", after)]
    assert [nodes.ends[node] for node in end] == [1, 1]


def test_a_text_stands_for_itself() -> None:
    nodes = Nodes()
    node = add_text(nodes, ".*", 7)
    assert nodes.tests[node](".")
    assert not nodes.tests[node]("x")


@pytest.mark.parametrize("pattern", ["(", "[", "a{9999999999}", "*", r"\q", "(" * 500 + ")" * 500])
def test_what_is_no_pattern_is_the_caller_s_mistake(pattern: str) -> None:
    with pytest.raises(RequestError, match=r"cannot read the pattern|too long"):
        add_regex(Nodes(), pattern, 0)


@pytest.mark.parametrize("pattern", [r"(?=a)", "(?!a)", "(?<=a)b", r"(a)\1", "(?>a)", "a++", "(a)?(?(1)b|c)"])
def test_what_needs_to_look_twice_is_refused(pattern: str) -> None:
    with pytest.raises(RequestError, match="looks around, refers back or repeats possessively"):
        add_regex(Nodes(), pattern, 0)


@pytest.mark.parametrize("pattern", ["a{300}", "((a{20}){20}){20}", "((((){1000}){1000}){1000}){1000}", "(ab|cd){100}"])
def test_a_machine_that_would_be_large_is_refused_before_it_is_built(pattern: str) -> None:
    nodes = Nodes()
    with pytest.raises(RequestError, match="too long"):
        add_regex(nodes, pattern, 0)
    assert len(nodes.following) <= NODES_MAX
