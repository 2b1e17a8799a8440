"""Rules taken over: nothing is looser than it was, and what changed is said."""

from __future__ import annotations

import json
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.config.claude_settings import rules_of_claude
from sandgate.config.gemini_policy import rules_of_gemini
from sandgate.config.imported_rules import ENTRIES_MAX, Imported, Note, Taking, whole_words
from sandgate.errors import RuleError
from sandgate.policy.rules import Rule, RuleSet
from sandgate.policy.rules.language import rules_from_table


def said(found: Imported) -> list[tuple[str, str]]:
    return [(rule.shown_prefix, rule.decide) for rule in found.rules]


@pytest.mark.parametrize(
    ("text", "words", "rest"),
    [
        ("git diff", ("git", "diff"), ""),
        ("  git   diff ", ("git", "diff"), ""),
        ("git 'a b'", ("git", "a b"), ""),
        ("git di*", ("git",), "di*"),
        ("git | sh", ("git",), "| sh"),
        ("git 'a", ("git",), "'a"),
        ("A=1 git", (), "A=1 git"),
        ("git A=1", ("git", "A=1"), ""),
        ("$x", (), "$x"),
        ("a\x07b", (), "a\x07b"),
        ("", (), ""),
    ],
)
def test_whole_words_end_where_a_pattern_begins(text: str, words: tuple[str, ...], rest: str) -> None:
    assert whole_words(text) == (words, rest)


def test_an_entry_that_allows_is_taken_whole_or_not_at_all() -> None:
    taking = Taking()
    taking.allow("a", "git diff", exact=False)
    taking.allow("b", "git d*ff", exact=False)
    taking.allow("c", "git log", exact=False, whole=False)
    taking.allow("d", "python -c", exact=False)
    found = taking.finished()
    assert said(found) == [("git diff", "allow")]
    assert [(note.entry, note.change) for note in found.notes] == [
        ("b", "left out"),
        ("c", "left out"),
        ("d", "left out"),
    ]


def test_an_entry_that_holds_back_is_made_wider_rather_than_lost() -> None:
    taking = Taking()
    taking.tighten("a", "git push *--force", "forbid", certain=True)
    taking.tighten("b", "npm publish", "ask", certain=True)
    found = taking.finished()
    assert said(found) == [("git push", "forbid"), ("npm publish", "ask")]
    assert found.notes == (Note("a", "wider", "here it is about everything that begins with `git push`"),)


def test_what_a_lost_entry_held_back_is_not_allowed_by_another() -> None:
    """Required: else a command that was forbidden there would run unasked here."""
    taking = Taking()
    taking.allow("build", "make build", exact=False)
    taking.allow("list", "kubectl get pods", exact=False)
    taking.lose("deny: kub*", ("kub*",), "why")
    found = taking.finished()
    assert said(found) == [("make build", "allow")]
    assert [(note.entry, note.change) for note in found.notes] == [("deny: kub*", "lost"), ("list", "left out")]


@pytest.mark.parametrize("lost", ["", "*", "X=1 make", "m*", "make  build --all", "mak?"])
def test_beginnings_that_may_mean_a_rule_take_it_away(lost: str) -> None:
    taking = Taking()
    taking.allow("build", "make build", exact=False)
    taking.lose("lost", (lost,), "why")
    assert said(taking.finished()) == []


def test_an_exception_of_a_higher_rank_stays() -> None:
    taking = Taking()
    taking.allow("high", "make build", exact=False, rank=2)
    taking.allow("low", "make test", exact=False, rank=1)
    taking.lose("all", ("",), "why", rank=1)
    assert said(taking.finished()) == [("make build", "allow")]


def test_hosts_are_held_back_by_name() -> None:
    taking = Taking()
    taking.tighten_host("a", "*.Example.com", "forbid")
    taking.tighten_host("b", "ex*mple", "forbid")
    found = taking.finished()
    assert [(rule.host, rule.decide) for rule in found.network] == [("example.com", "forbid")]
    assert [(note.entry, note.change) for note in found.notes] == [("a", "wider"), ("b", "advice")]


@given(
    st.lists(
        st.tuples(st.text(max_size=20), st.sampled_from(["allow", "ask", "forbid"]), st.text(max_size=20)), max_size=8
    )
)
def test_what_comes_out_is_always_a_rules_file_that_says_the_same(entries: list[tuple[str, str, str]]) -> None:
    """Required: no text in a foreign file breaks ours, or says more in it than its entry."""
    taking = Taking()
    for text, decide, other in entries:
        if decide == "allow":
            taking.allow(other, text, exact=bool(other))
        else:
            taking.tighten(other, text, "ask" if decide == "ask" else "forbid", certain=True, because=other)
        taking.tighten_host(other, text, "forbid")
    found = taking.finished()
    read = rules_from_table(tomllib.loads(found.toml("/a\nb")), "x")

    def bare(rule: Rule) -> Rule:
        return rule.but(source="", line=0, because=rule.because.strip() and rule.because)

    assert [bare(rule) for rule in read.rules] == [bare(rule) for rule in found.rules]
    assert isinstance(read, RuleSet)


def test_more_entries_than_anybody_means_are_refused() -> None:
    text = json.dumps({"permissions": {"allow": ["Bash(a b)"] * (ENTRIES_MAX + 1)}})
    with pytest.raises(RuleError, match="more than 5000 entries"):
        rules_of_claude(text)
    with pytest.raises(RuleError, match="more than 5000 entries"):
        rules_of_gemini("[[rule]]\ndecision='allow'\n" * (ENTRIES_MAX + 1))
