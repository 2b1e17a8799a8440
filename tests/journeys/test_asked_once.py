"""One question for one matter, with real programs, kernels and files."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.process.program import Finished, Sandgate, in_repository

pytestmark = pytest.mark.host("namespace", "notify")


@pytest.fixture
def outside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A directory beside every writable root."""
    place = Path("/var/tmp") / f"sandgate-asked-{tmp_path_factory.getbasetemp().name}"
    place.mkdir(exist_ok=True)
    yield place
    subprocess.run(["rm", "-rf", str(place)], check=True)


@pytest.fixture
def sandgate(tmp_path: Path) -> Sandgate:
    return in_repository(tmp_path)


def a_tree(outside: Path) -> Path:
    tree = outside / "tree"
    (tree / "sub/deeper").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(tree)], check=True)
    for name in ("a", "b", "sub/c", "sub/deeper/d"):
        (tree / name).write_text("")
    (outside / "neighbour").write_text("stays")
    return tree


def stages_of(done: Finished) -> list[str]:
    events = [json.loads(each) for each in done.out.splitlines()]
    return [event["stage"] for event in events if event["type"] == "exec_approval_request"]


@pytest.mark.parametrize(
    ("script", "stages"),
    [
        ("rm -rf {tree}", ["initial"]),
        ("bash -c 'rm -rf {tree}/'", ["initial"]),
        ("rm -rf {tree}/a {tree}/b {tree}/sub {tree}", ["initial"]),
        ("cd {outside} && rm -r -f tree", ["initial", "held"]),  # what the words name is known where it runs
    ],
)
def test_removing_a_directory_outside_is_asked_about_once_where_its_words_name_it(
    sandgate: Sandgate, outside: Path, script: str, stages: list[str]
) -> None:
    """It took one for the files, one for each directory, and one for what is protected in it; then one and one more."""
    tree = a_tree(outside)
    line = script.format(tree=tree, outside=outside)
    answers = ["--answer", "approve"] * len(stages)
    done = sandgate("run", "--json", "-a", "on-failure", *answers, "--", "bash", "-c", line)
    assert (done.code, stages_of(done)) == (0, stages)
    assert not tree.exists()
    assert (outside / "neighbour").read_text() == "stays"


def test_a_yes_to_a_removal_gives_what_was_shown_and_no_more(sandgate: Sandgate, outside: Path) -> None:
    tree = a_tree(outside)
    line = f"rm -rf {tree}; rm {outside}/neighb*"
    done = sandgate("run", "--json", "-a", "on-failure", "--answer", "approve", "--", "bash", "-c", line)
    (first, *_) = [json.loads(each) for each in done.out.splitlines() if "exec_approval_request" in each]
    assert first["grants"] == [{"kind": "remove", "value": str(tree)}]
    assert stages_of(done) == ["initial", "held"]
    assert (tree.exists(), (outside / "neighbour").exists()) == (False, True)


def test_a_no_to_a_removal_removes_nothing_and_asks_nothing_more(sandgate: Sandgate, outside: Path) -> None:
    tree = a_tree(outside)
    done = sandgate("run", "--json", "-a", "on-failure", "--answer", "deny", "--", "rm", "-rf", str(tree))
    assert (done.code, stages_of(done), (tree / "a").exists()) == (77, ["initial"], True)


def test_two_files_of_a_home_directory_are_offered_and_not_the_home(sandgate: Sandgate, outside: Path) -> None:
    """Required: one question, for the two files; a third one stays closed."""
    script = f"touch {outside}/.one {outside}/two"
    answers = ["--answer", "approve"]
    done = sandgate("run", "--json", *answers, "--env", f"HOME={outside}", "--", "sh", "-c", script)
    events = [json.loads(each) for each in done.out.splitlines()]
    (asked,) = [event for event in events if event["type"] == "exec_approval_request"]
    assert asked["stage"] == "held"
    assert asked["grants"] == [
        {"kind": "new_entry", "value": f"{outside}/.one"},
        {"kind": "new_entry", "value": f"{outside}/two", "beside": f"{outside}/two[!0-9A-Za-z]*"},
    ]
    assert (done.code, sorted(os.listdir(outside))) == (0, [".one", "two"])


def test_a_rule_that_was_accepted_is_shown_told_and_on_the_disk(sandgate: Sandgate) -> None:
    done = sandgate("run", "--json", "-a", "untrusted", "--answer", "approve-always", "--", "touch", "made")
    events = {event["type"]: event for event in map(json.loads, done.out.splitlines())}
    line = 'prefix_rule(pattern=["touch", "made"], decision="allow")'
    request, answer = events["exec_approval_request"], events["exec_approval_answered"]
    saving = {"approved_execpolicy_amendment": {"proposed_execpolicy_amendment": ["touch", "made"]}}
    assert (request["rule"], request["proposed_execpolicy_amendment"]) == (line, ["touch", "made"])
    assert saving in request["available_decisions"]
    assert request["why"] == "policy untrusted: not known to only read"
    assert (answer["decision"], answer["amendment"]["prefix"]) == ("approved_with_amendment", ["touch", "made"])
    assert (sandgate.home / ".sandgate/rules/default.rules").read_text() == line + "\n"
    assert (done.code, (sandgate.workspace / "made").exists()) == (0, True)


def test_where_no_rule_is_offered_that_answer_is_a_no(sandgate: Sandgate) -> None:
    done = sandgate(
        "run", "-a", "untrusted", "--answer", "approve-always", "--", "bash", "-c", "for x in 1; do touch made; done"
    )
    assert done.code == 77
    assert "no lasting rule is on offer" in done.err
    assert not (sandgate.workspace / "made").exists()
