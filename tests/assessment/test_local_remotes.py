"""What is said of a push to, or a fetch from, a directory of this machine."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from sandgate.assessment.facts import AssessmentFacts, TargetFacts, Targets
from sandgate.protocol.denials import Denial, DenialReport
from sandgate.protocol.permissions import Grant
from support.command.assessing import ENVIRONMENT, HOME, PROJECT, judged

Addresses = tuple[tuple[str, ...], tuple[str, ...]]
DEEP = f"{PROJECT}/deep"
BARE = f"{HOME}/code/bare.git"
REMOTES: dict[str, Addresses] = {
    "origin": (("../bare.git",), ("../bare.git",)),
    "away": (("https://example.com/r.git",), ("https://example.com/r.git",)),
    "split": (("../bare.git",), ("git@example.com:r.git",)),
}


def about(remotes: Mapping[str, Addresses] | None = REMOTES, *, as_written: bool = True, **env: str) -> AssessmentFacts:
    here = {place: TargetFacts(True, True, real=place, git_root=PROJECT) for place in (PROJECT, DEEP)}
    return AssessmentFacts(
        HOME,
        PROJECT,
        {**ENVIRONMENT, **env},
        (PROJECT, "/tmp"),
        Targets(here),
        lambda top, _at: remotes if top else None,
        as_written=lambda: as_written,
    )


@pytest.mark.parametrize(
    ("script", "kind", "words"),
    [
        ("git push ../bare.git main", "writes", f"Sends commits to {BARE} on this machine."),
        (f"git push file://{BARE} main", "writes", f"Sends commits to {BARE} on this machine."),
        (f"git push {BARE}", "writes", f"Sends commits to {BARE} on this machine."),
        ("git push -u origin main", "writes", f"Sends commits to {BARE} on this machine."),
        ("git fetch origin", "reads", f"Takes over commits from {BARE} on this machine."),
        ("git pull split", "reads", f"Takes over and merges commits from {BARE} on this machine."),
        ("git ls-remote ../bare.git", "reads", f"Asks {BARE} on this machine."),
        ("cd deep && git push origin", "writes", "Sends commits to another repository on this machine."),
    ],
)
def test_a_local_remote_is_no_other_machine(script: str, kind: str, words: str) -> None:
    risk = judged(script, about())
    assert words in risk.description
    assert "network" not in " ".join(risk.risk_categories)
    assert not [fact for fact in risk.facts if fact.kind == "contacts"]
    assert [fact for fact in risk.facts if fact.kind == kind]


def test_a_push_without_a_name_is_local_where_every_remote_is() -> None:
    local: dict[str, Addresses] = {"origin": REMOTES["origin"]}
    assert "on this machine" in judged("git commit -m x && git push", about(local)).description
    assert "remote repository" in judged("git push", about()).description


def test_a_forced_push_stays_what_it_is_also_here() -> None:
    risk = judged("git push --force ../bare.git main", about())
    assert (risk.risk_level, risk.risk_categories) == ("high", ("data_deletion",))
    assert f"Overwrites branches of {BARE} on this machine" in risk.description


@pytest.mark.parametrize(
    "script",
    [
        "git push away",
        "git push split main",  # fetched from here, pushed there
        "git push https://example.com/r.git",
        "git push git@example.com:r.git",
        "git push file://server/r.git",
        "git push ext::/tmp/x",
        "git push unknown main",
        "git push $WHERE main",
        "git push --repo=https://example.com/r.git",
        "git push --receive-pack=./x ../bare.git",
        "git fetch --multiple origin away",
        "git remote set-url origin https://example.com/r.git && git push origin",
        "git config remote.origin.url https://example.com/r.git; git push origin",
        "echo x >> .git/config; git push origin",
        "./setup.sh; git push origin",
        "cp -r other/. .git/ && git push origin",
        "ln -sfn other .git && git push origin",
        "mv .git old; mv other .git; git push origin",
        "sed -i s,a,b, .git/conf*; git push origin",
        "tar xf x.tar && git push origin",
        "patch -p0 < x; git push origin",
        "npm install; git push origin",
        "cp -r other deep; cd deep && git push origin",
        "git clone other deep; cd deep && git push origin",
        "GIT_DIR=../other git push origin",
        "export GIT_CONFIG_COUNT=1; git push ../bare.git",
        "git -c url.https://example.com/.insteadOf=../ push ../bare.git",
        "git --git-dir=../other push origin",
        "ssh host git push ../bare.git",
    ],
)
def test_what_may_leave_is_still_said_to(script: str) -> None:
    risk = judged(script, about())
    assert "on this machine" not in risk.description
    assert "network_access" in risk.risk_categories, risk


def test_where_nobody_knows_the_settings_or_the_variables_lead_elsewhere_nothing_is_promised() -> None:
    for facts in (about(None), about(GIT_CONFIG_COUNT="1"), about(GIT_DIR="/x")):
        assert "on this machine" not in judged("git push ../bare.git", facts).description


def test_a_remote_that_deploys_is_told_wherever_it_lies() -> None:
    local: dict[str, Addresses] = {"production": (("/srv/site.git",), ("/srv/site.git",))}
    assert "Deploys through the remote" in judged("git push production main", about(local)).description


def test_a_clone_of_a_directory_is_one_sentence() -> None:
    risk = judged(f"git clone {BARE} ~/copy", about())
    assert risk.description == f"Copies a repository from {BARE} on this machine to {HOME}/copy."


def test_a_stopped_clone_of_a_directory_says_in_one_sentence_what_is_copied_and_where_to() -> None:
    denial = Denial("create", path=f"{HOME}/copy", grant=Grant("new_entry", f"{HOME}/copy"))
    risk = judged(f"git clone {BARE} ~/copy", about(), DenialReport("denied", (denial,)))
    assert risk.description == (
        f"Copies a repository from {BARE} on this machine to {HOME}/copy. "
        f"It tried to create {HOME}/copy, which the sandbox stopped."
    )


@pytest.mark.parametrize("address", ["../bare.git", BARE, f"file://{BARE}"])
def test_a_clone_of_a_directory_needs_no_network(address: str) -> None:
    risk = judged(f"git clone --depth 1 {address} copy", about())
    assert f"opies a repository from {BARE} on this machine" in risk.description
    assert "network" not in " ".join(risk.risk_categories)
    assert not [fact for fact in risk.facts if fact.kind == "contacts"]
    assert [fact.target for fact in risk.facts if fact.kind == "writes"] == [f"{PROJECT}/copy"]


@pytest.mark.parametrize(
    "script",
    [
        "git clone https://example.com/r.git",
        "git clone example.com:r.git",
        "git clone --recurse-submodules ../bare.git",  # whose addresses the cloned repository names
        "git clone -c url.https://example.com/.insteadOf=../ ../bare.git",
        "git clone -u ./x ../bare.git",
        "git clone $WHERE copy",
        "git clone ext::/tmp/x",
        "git config --global url.https://example.com/.insteadOf ../ && git clone ../bare.git",
        "GIT_CONFIG_GLOBAL=x git clone ../bare.git",
    ],
)
def test_a_clone_of_which_that_is_not_sure_may_leave(script: str) -> None:
    assert "network_access" in judged(script, about()).risk_categories


def test_a_clone_may_leave_where_settings_turn_addresses_into_others() -> None:
    assert "network_access" in judged("git clone ../bare.git", about(as_written=False)).risk_categories


def test_two_places_of_one_kind_do_not_become_one_sentence() -> None:
    assert judged("ssh one ls && ssh two ls").description == "Logs in to one. Logs in to two."
