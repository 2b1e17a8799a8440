"""`sandgate rules add`: shown, written, in force; or refused with the reason."""

from __future__ import annotations

import hashlib
import time
from datetime import datetime

import pytest

from sandgate.config.rules_files import read_rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any


def own(program: Any) -> Path:
    path: Path = program.home / ".sandgate" / "rules" / "default.rules"
    return path


def test_the_line_is_shown_written_and_in_force(program: Any) -> None:
    (program.home / ".sandgate").mkdir()
    assert program("rules", "check", "-a", "untrusted", "--", "make", "lint") == 3
    assert program("rules", "add", "--because", 'my "own"', "--", "make", "lint") == 0
    line = 'prefix_rule(pattern=["make", "lint"], decision="allow", justification="my \\"own\\"")\n'
    assert (program.out, own(program).read_text()) == (line, line)
    assert str(own(program)) in program.err
    assert program("rules", "check", "-a", "untrusted", "--", "make", "lint", "-k") == 0


def test_it_is_written_once_and_behind_what_is_there(program: Any) -> None:
    for _ in range(2):
        assert program("rules", "add", "--decide", "forbid", "--", "rm", "-rf") == 0
    assert program("rules", "add", "--user", "--decide", "ask", "--", "rm") == 0
    assert own(program).read_text().splitlines() == [
        'prefix_rule(pattern=["rm", "-rf"], decision="forbidden")',
        'prefix_rule(pattern=["rm"], decision="prompt")',
    ]


@pytest.mark.parametrize(("until", "seconds"), [("30m", 1800), ("2h", 7200), ("7d", 7 * 86400), ("1w", 7 * 86400)])
def test_a_duration_becomes_a_time(program: Any, until: str, seconds: int) -> None:
    before = time.time()
    assert program("rules", "add", "--until", until, "--uses", "3", "--", "make", "x") == 0
    rules = read_rules(str(own(program)), guarded=True)
    assert rules is not None
    (rule,) = rules.rules
    ends = datetime.fromisoformat(rule.until).timestamp()
    assert (rule.uses, before - 1 <= ends - seconds <= time.time() + 1) == (3, True)


def test_a_date_means_the_end_of_that_day_here(program: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    assert program("rules", "add", "--until", "2998-12-31", "--", "make", "x") == 0
    assert 'until="2999-01-01T00:00:00Z"' in program.out
    monkeypatch.delenv("TZ")
    time.tzset()


@pytest.mark.parametrize(
    "prefix", [("python", "-c"), ("sudo",), ("git",), ("bash", "-lc"), ("xargs",), ("ssh", "host")]
)
def test_what_no_rule_may_allow_is_refused_with_the_reason(program: Any, prefix: tuple[str, ...]) -> None:
    """Required: what follows these words could be anything."""
    assert program("rules", "add", "--", *prefix) == 2
    assert f"no rule may allow what begins with `{' '.join(prefix)}`: " in program.err
    assert not own(program).exists()
    assert program("rules", "add", "--decide", "ask", "--", *prefix) == 0


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--until", "tomorrow"), "is no moment to come"),
        (("--until", "2030-13-01"), "is no moment to come"),
        (("--until", "2020-01-01"), "is no moment to come"),
        (("--until", "0h"), "is no moment to come"),
        (("--until", "999999999w"), "is no moment to come"),
        (("--uses", "0"), "`uses` is 0"),
        (("--uses", "-1"), "is not a number"),
        (("--uses", "3", "--decide", "ask"), "does not allow"),
        (("--because", " "), "blank"),
        (("--project", "--user"), "two places"),
        (("--project",), "may only ask or forbid"),
    ],
)
def test_what_cannot_be_a_rule_is_refused(program: Any, options: tuple[str, ...], says: str) -> None:
    assert program("rules", "add", *options, "--", "make", "x") in (2, 78)
    assert says in program.err
    assert not own(program).exists()


def test_words_that_are_no_text_are_refused(program: Any) -> None:
    assert program("rules", "add", "--", "make", "\udcff") == 2
    assert not own(program).exists()


def test_a_projects_rule_is_written_there_and_says_when_it_does_not_hold(program: Any) -> None:
    (program.repo / ".git").mkdir()
    assert program("rules", "add", "--project", "--decide", "forbid", "--", "make", "deploy") == 0
    assert (program.repo / ".sandgate" / "rules" / "default.rules").exists()
    assert "this project is not trusted" in program.err
    assert program("rules", "add", "--project", "--decide", "ask", "--", "/bin/make") == 2


def test_a_broken_file_is_not_added_to(program: Any) -> None:
    own(program).parent.mkdir(parents=True)
    own(program).write_text("prefix_rule(")
    assert program("rules", "add", "--", "make", "x") == 78
    assert own(program).read_text() == "prefix_rule("


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("team.rules", 'prefix_rule(["a"])\nprefix_rule(', "team.rules:2"),
        ("team.toml", "[[rule]]\nprefix = = 3\n", "line 2"),
        ("team.rules", 'prefix_rule(["a"], match=["b"])', "example `b` is not matched"),
    ],
)
def test_nothing_is_added_beside_a_file_that_stops_the_next_start(
    program: Any, name: str, text: str, place: str
) -> None:
    """Required: the file, the line and the cause are told, and nothing is written."""
    own(program).parent.mkdir(parents=True)
    (own(program).parent / name).write_text(text)
    for more in ((), ("--project", "--decide", "ask")):
        assert program("rules", "add", *more, "--", "make", "x") == 78
        assert name in program.err
        assert place in program.err
        assert program.out == ""
    assert not own(program).exists()


def test_a_rule_may_be_tied_to_what_its_command_executes_now(program: Any, tmp_path: Path) -> None:
    """Two-sided: it allows while the script is this one, and nothing more once it is another."""
    script = tmp_path / "deploy.sh"
    script.write_text("echo shown\n")
    here = ("-C", str(tmp_path))
    assert program("rules", "add", *here, "--same-content", "--", "bash", "deploy.sh") == 0
    digest = hashlib.sha256(script.read_bytes()).hexdigest()
    assert f'same_content=["sha256:{digest} {script.resolve()}"]' in program.out
    assert program("rules", "check", *here, "-a", "untrusted", "--", "bash", "deploy.sh") == 0
    script.write_text("echo other\n")
    assert program("rules", "check", *here, "-a", "untrusted", "--", "bash", "deploy.sh") == 3
    script.write_text("echo shown\n")
    assert program("rules", "check", *here, "-a", "untrusted", "--", "bash", "deploy.sh") == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--", "git", "push"), "will be executed"),
        (("--decide", "ask", "--", "bash", "deploy.sh"), "is for a rule that allows"),
    ],
)
def test_a_rule_that_cannot_be_tied_is_not_added(program: Any, words: tuple[str, ...], said: str) -> None:
    assert program("rules", "add", "--same-content", *words) == 2
    assert said in program.err
    assert not own(program).exists()


def test_a_rule_about_a_place_is_shown_written_and_taken_out(program: Any) -> None:
    (program.home / ".sandgate").mkdir()
    line = 'place_rule(path="~/made", grant="new_entry", decision="allow", pattern=["mkdir"])\n'
    assert program("rules", "add", "--grant", "new_entry=~/made", "--", "mkdir") == 0
    assert (program.out, own(program).read_text()) == (line, line)
    assert program("rules", "list") == 0
    assert "allow  new_entry ~/made, for `mkdir`" in program.out
    assert program("rules", "remove", "--grant", "new_entry=~/made", "--", "mkdir") == 0
    assert own(program).read_text() == ""


def test_a_rule_about_a_place_needs_no_command_and_names_it_in_full(program: Any) -> None:
    (program.home / ".sandgate").mkdir()
    assert program("rules", "add", "--decide", "forbid", "--grant", "write_root=sub/../x") == 0
    assert f'place_rule(path="{program.repo}/x", grant="write_root", decision="forbidden")' in program.out


@pytest.mark.parametrize(
    ("granted", "why"),
    [
        ("write_path=/proc/sys/kernel/hostname", "belongs to Sandgate itself, to the Python that runs it, or to the"),
        ("write_path=~/.local/state/sandgate/x", "belongs to Sandgate itself"),
        ("write_root=~/missing", "it is no directory"),
        ("write_root=~/file", "it is no directory"),
        ("write_root=~/link", "it is a link"),
        ("new_entry=led/x", "a symbolic link in a directory that confined commands can change"),
        ("write_path=~/kept/note", "says `forbid` about it"),
    ],
)
def test_a_place_that_a_rule_could_not_give_is_refused_with_the_reason(program: Any, granted: str, why: str) -> None:
    """Required: what would be told at every command is told to whoever writes the rule, and nothing is written."""
    (program.home / ".sandgate").mkdir()
    (program.home / "file").write_text("")
    (program.home / "dir").mkdir()
    (program.home / "link").symlink_to("dir")
    (program.repo / "led").symlink_to(program.home / "dir")
    assert program("rules", "add", "--decide", "forbid", "--grant", "write_path=~/kept") == 0
    before = own(program).read_text()
    assert program("rules", "add", "--grant", granted) == 2
    assert "would give nothing" in program.err
    assert why in " ".join(program.err.split())
    assert own(program).read_text() == before
    assert program("rules", "add", "--grant", "write_root=~/dir") == 0


@pytest.mark.parametrize(
    "words",
    [
        ("--grant", "write_path"),
        ("--grant", "read_path=~/x"),
        ("--grant", "write_root=~"),
        ("--grant", "write_path=~/x", "--uses", "2"),
        ("--grant", "write_path=~/x", "--grant", "remove=~/x"),
        ("--grant", "write_path=~/x", "--decide", "forbid", "--", "sed"),
    ],
)
def test_what_no_rule_about_a_place_can_say_is_refused(program: Any, words: tuple[str, ...]) -> None:
    (program.home / ".sandgate").mkdir()
    assert program("rules", "add", *words) in (2, 78)
    assert not own(program).exists()
