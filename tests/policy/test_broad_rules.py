"""Rules that allow more than they say are told."""

from __future__ import annotations

import pytest

from sandgate.policy.amendment_bans import why_banned
from sandgate.policy.approval import verdict_for
from sandgate.policy.broad_rules import WARNINGS_MAX, too_broad
from sandgate.policy.rules.model import Rule, RuleSet
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.permissions import WorkspaceWrite
from sandgate.protocol.verdicts import Allow
from support.command.assessing import ENVIRONMENT, PROJECT


def rule(text: str) -> Rule:
    return Rule(tuple((word,) for word in text.split()), "allow", source="mine.toml: rule 1", line=3)


@pytest.mark.parametrize(
    ("prefix", "gets_through"),
    [
        ("python3", "`python3 -c CODE` runs unasked"),
        ("/usr/bin/python3", "`/usr/bin/python3 -c CODE` runs unasked"),
        ("node -e", "`node -e ANYTHING` runs unasked"),
        ("perl", "`perl -e CODE` runs unasked"),
        ("bash", "`bash ANYTHING` runs unasked"),
        ("bash -c", "it counts for nothing that this program starts"),
        ("env", "it counts for nothing that this program starts"),
        ("sudo", "it counts for nothing that this program starts"),
        ("git", "`git ANYTHING` runs unasked"),
        ("docker run", "`docker run IMAGE COMMAND` runs unasked"),
        ("rm", "`rm -rf DIRECTORY` runs unasked"),
        ("make", "`make ANYTHING` runs unasked"),
    ],
)
def test_a_beginning_that_cannot_be_added_is_told_with_what_it_lets_through(prefix: str, gets_through: str) -> None:
    (told,) = too_broad([rule(prefix)])
    assert told.startswith(f"the rule `{prefix}` in mine.toml: rule 1 (line 3) allows more than it says: ")
    assert told.endswith(f"; {gets_through}")
    assert why_banned(tuple(prefix.split())) in told


@pytest.mark.parametrize("prefix", ["git push", "python3 -m pytest", "npm test", "ls", "make lint", "sh ./x.sh"])
def test_a_narrow_rule_is_not_worth_a_word(prefix: str) -> None:
    assert too_broad([rule(prefix)]) == ()


def test_rules_that_ask_or_forbid_may_be_as_broad_as_they_like() -> None:
    assert too_broad([rule("python3").but(decide="forbid"), rule("sudo").but(decide="ask")]) == ()


def test_every_alternative_counts_in_any_case() -> None:
    assert too_broad([Rule((("ls", "python3"),), "allow")]) != ()
    assert too_broad([Rule((("PYTHON3",),), "allow", any_case=True)]) != ()


def test_an_exact_rule_is_broad_only_where_code_comes_from_the_input() -> None:
    assert too_broad([rule("rm").but(exact=True), rule("make").but(exact=True), rule("env").but(exact=True)]) == ()
    (told,) = too_broad([rule("python3").but(exact=True)])
    assert told.endswith("`python3` runs unasked")


def test_a_rule_that_leaves_the_sandbox_says_so() -> None:
    (told,) = too_broad([rule("python3").but(sandbox="bypass")])
    assert told.endswith("`python3 -c CODE` runs unasked and outside the sandbox")


def test_many_broad_rules_are_counted() -> None:
    told = too_broad([rule("python3")] * (WARNINGS_MAX + 5))
    assert len(told) == WARNINGS_MAX + 1
    assert told[-1] == "5 more rules allow more than they say"


@pytest.mark.parametrize(
    ("prefix", "command", "allowed"),
    [
        ("rg", "rg --pre ./x y", False),
        ("rg", "rg x", True),
        ("tar", "tar --to-command=./x -xf a", False),
        ("tar -I zstd", "tar -I zstd -xf a", True),
        ("tar -I zstd", "tar -I zstd --to-command=./x -xf a", False),
        ("sort", "sort --compress-prog=./x a", False),
        ("make", "make SHELL=./x", False),
        ("make", "make all", True),
        ("go build", "go build -toolexec ./x .", False),
        ("git fetch", "git fetch --upload-pack=./x h", False),
    ],
)
def test_a_rule_about_a_program_does_not_allow_what_that_is_told_to_run(
    prefix: str, command: str, allowed: bool
) -> None:
    """Our choice: as a rule about `env` says nothing about what `env` runs."""
    request = CommandRequest(tuple(command.split()), PROJECT, ENVIRONMENT)
    found = verdict_for(request, policy="untrusted", sandbox=WorkspaceWrite(), rules=RuleSet((rule(prefix),)))
    assert isinstance(found, Allow) is allowed
