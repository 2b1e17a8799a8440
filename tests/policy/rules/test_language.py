"""The TOML form of rules: what is read, what is refused, examples included."""

from __future__ import annotations

import tomllib

import pytest

from sandgate.errors import RuleError
from sandgate.policy.rules import HostExecutable, Rule, RuleSet
from sandgate.policy.rules.language import rules_from_table
from support.suite.rows import every

GOOD = """
[[rule]]
prefix  = ["git", ["status", "diff", "log"]]
decide  = "allow"
because = "reads the repository, writes nothing"
match     = ["git status --short", "git log -3", ["git", "diff"], "/usr/bin/git log"]
not_match = ["git -c core.pager=sh log", "/opt/git log"]

[[rule]]
prefix = ["make"]
sandbox = "bypass"

[[host_executable]]
name  = "git"
paths = ["/usr/bin/git", "/usr/bin/git"]
"""


def load(text: str) -> RuleSet:
    return rules_from_table(tomllib.loads(text), "rules.toml")


def test_a_good_file_becomes_rules() -> None:
    assert load(GOOD) == RuleSet(
        (
            Rule(
                (("git",), ("status", "diff", "log")),
                "allow",
                "reads the repository, writes nothing",
                source="rules.toml: rule 1",
                examples=6,
            ),
            Rule((("make",),), "allow", sandbox="bypass", source="rules.toml: rule 2"),
        ),
        (HostExecutable("git", ("/usr/bin/git",)),),
    )


def test_an_empty_file_has_no_rules() -> None:
    assert load("") == RuleSet()


@every(
    "text, where, why",
    [
        ("[[rules]]\nprefix=['a']", "rules.toml", "unknown table `rules`"),
        ("[rule]\nprefix=['a']", "rules.toml", "not a list of tables"),
        ("rule = [1]", "rules.toml", "not a list of tables"),
        ("[[rule]]", "rule 1", "`prefix` is missing"),
        ("[[rule]]\nprefix=[]", "rule 1", "`prefix` is missing, empty"),
        ("[[rule]]\nprefix='git'", "rule 1", "not a list"),
        ("[[rule]]\nprefix=['']", "rule 1", "`prefix` holds ''"),
        ("[[rule]]\nprefix=['a',[]]", "rule 1", "`prefix` holds []"),
        ("[[rule]]\nprefix=['a',[1]]", "rule 1", "`prefix` holds [1]"),
        ("[[rule]]\nprefix=['a',2]", "rule 1", "`prefix` holds 2"),
        ("[[rule]]\nprefix=['a']\n[[rule]]\nprefix=['b']\ndecide='maybe'", "rule 2", "`decide` is 'maybe'"),
        ("[[rule]]\nprefix=['a']\ndecide=['allow']", "rule 1", "`decide` is"),
        ("[[rule]]\nprefix=['a']\nbecause=' '", "rule 1", "`because` is blank"),
        ("[[rule]]\nprefix=['a']\nbecause=3", "rule 1", "`because` is blank or not text"),
        ("[[rule]]\nprefix=['a']\nsandbox='off'", "rule 1", "`sandbox` is 'off'"),
        ("[[rule]]\nprefix=['a']\ndecide='ask'\nsandbox='bypass'", "rule 1", "does not allow"),
        ("[[rule]]\nprefix=['a']\ndecison='ask'", "rule 1", "unknown key `decison`"),
        ("[[rule]]\nprefix=['a']\nmatch='a'", "rule 1", "`match` is not a list"),
        ("[[rule]]\nprefix=['a']\nmatch=['']", "rule 1", "`match` holds ''"),
        ("[[rule]]\nprefix=['a']\nmatch=[\"a 'b\"]", "rule 1", "`match` holds"),
        ("[[rule]]\nprefix=['a']\nmatch=[[]]", "rule 1", "`match` holds []"),
        ("[[rule]]\nprefix=['a']\nmatch=[[1]]", "rule 1", "`match` holds [1]"),
        ("[[rule]]\nprefix=['a','b']\nmatch=['a c']", "rule 1", "example `a c` is not matched by prefix `a b`"),
        ("[[rule]]\nprefix=['a']\nnot_match=['a c']", "rule 1", "example `a c` is matched"),
        ("[[host_executable]]\nname='a/b'\npaths=[]", "host_executable 1", "`name` is 'a/b'"),
        ("[[host_executable]]\npaths=[]", "host_executable 1", "`name` is None"),
        ("[[host_executable]]\nname='a'", "host_executable 1", "`paths` is not a list"),
        ("[[host_executable]]\nname='a'\npaths=['a']", "host_executable 1", "path `a` does not fit"),
        ("[[host_executable]]\nname='a'\npaths=['/x/b']", "host_executable 1", "path `/x/b` does not fit"),
        ("[[host_executable]]\nname='a'\npaths=[]\nx=1", "host_executable 1", "unknown key `x`"),
    ],
)
def test_a_file_with_a_mistake_is_refused_with_its_place(text: str, where: str, why: str) -> None:
    with pytest.raises(RuleError) as problem:
        load(text)
    assert where in problem.value.what
    assert why in problem.value.why
    assert problem.value.hint
