"""What a reviewer is told to look at."""

from __future__ import annotations

import pytest

from sandgate.errors import RequestError
from sandgate.surfaces.cli.parse import parse
from sandgate.surfaces.cli.review_prompt import review_target
from support.suite.rows import every


@pytest.mark.parametrize(
    ("arguments", "hint", "mentions"),
    [
        ((), "uncommitted changes", "git diff HEAD"),
        (("--uncommitted",), "uncommitted changes", "git status --short"),
        (("--base", "origin/main"), "changes against origin/main", "git merge-base HEAD origin/main"),
        (("--commit", "HEAD~2"), "commit HEAD~2", "git show HEAD~2"),
    ],
)
def test_each_subject_has_its_words(arguments: tuple[str, ...], hint: str, mentions: str) -> None:
    target = review_target(parse(["review", *arguments]))
    assert target.hint == hint
    assert mentions in target.prompt


def test_own_instructions_are_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandgate.surfaces.cli.review_prompt.prompt_text", lambda words: f"<{words}>")
    assert review_target(parse(["review", "look at the locks"])).prompt == "<look at the locks>"


@pytest.mark.parametrize(
    "arguments",
    [
        ("--base", "a", "--commit", "b"),
        ("--uncommitted", "--base", "a"),
        ("--commit", "b", "words"),
        ("--uncommitted", "w"),
    ],
)
def test_a_review_has_one_subject(arguments: tuple[str, ...]) -> None:
    with pytest.raises(RequestError, match="one subject"):
        review_target(parse(["review", *arguments]))


@every(
    "name",
    [
        "",
        "-x",
        "--output=/etc/x",
        "a b",
        "a;b",
        "a`id`",
        "$(id)",
        "a\nb",
        "a|b",
        "a..b",
        "~root",
        "a\u202eb",
        "x" * 256,
    ],
)
@every("option", ["base", "commit"])
def test_a_name_that_could_be_more_than_a_name_is_refused(option: str, name: str) -> None:
    """Required: the reviewer runs commands that hold it."""
    with pytest.raises(RequestError, match="is no name of a"):
        review_target(parse(["review", f"--{option}={name}"]))
