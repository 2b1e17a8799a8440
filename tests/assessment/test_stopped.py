"""What the sandbox has stopped is part of the judgement."""

from __future__ import annotations

import pytest

from sandgate.assessment.facts import TargetFacts
from sandgate.protocol.denials import Denial, DenialReport
from sandgate.protocol.permissions import Grant
from support.command.assessing import HOME, PROJECT, facts, judged


def stopped(*denials: Denial) -> DenialReport:
    return DenialReport("denied", denials)


def made(path: str) -> Denial:
    return Denial("create", path=path, grant=Grant("new_entry", path))


def test_the_description_says_what_was_stopped() -> None:
    risk = judged("frobnicate", denial=stopped(Denial("write", path="/etc/motd")))
    assert risk.description == (
        "Runs frobnicate, a program whose effects are not known. "
        "It tried to write /etc/motd, which the sandbox stopped."
    )


@pytest.mark.parametrize(
    ("script", "denials", "said"),
    [
        (
            "echo a > /srv/one; echo b > /srv/two",
            (made("/srv/one"), made("/srv/two")),
            "Writes /srv/one and /srv/two. It tried to create /srv/one and to create /srv/two, "
            "which the sandbox stopped.",
        ),
        (
            "echo a > /srv/one; echo b > /srv/two",
            (made("/srv/two"),),
            "Writes /srv/one and /srv/two. It tried to create /srv/two, which the sandbox stopped.",
        ),
        (
            "git clone -q /srv/a ~/one",
            (made(f"{HOME}/one"),),
            f"Downloads a repository to {HOME}/one. It tried to create {HOME}/one, which the sandbox stopped.",
        ),
        (
            "curl -o ~/one https://e.example/x",
            (made(f"{HOME}/one"),),
            f"Downloads https://e.example/x to {HOME}/one. It tried to create {HOME}/one, which the sandbox stopped.",
        ),
        (
            "make",
            (made("/srv/one"), made("/srv/two"), made("/srv/three"), made("/srv/four")),
            "It tried to create /srv/one, create /srv/two and 2 more, which the sandbox stopped.",
        ),
        ("make", (made("/srv/one"), made("/srv/one")), "It tried to create /srv/one, which the sandbox stopped."),
    ],
)
def test_of_two_that_were_stopped_both_are_named(script: str, denials: tuple[Denial, ...], said: str) -> None:
    assert judged(script, denial=stopped(*denials)).description.endswith(said)


def test_a_stopped_write_outside_the_workspace_raises_the_level() -> None:
    assert judged("make").risk_level == "low"
    assert judged("make", denial=stopped(Denial("write", path="/etc/motd"))).risk_level == "high"
    assert judged("make", denial=stopped(Denial("create", path=f"{HOME}/notes/x"))).risk_level == "high"
    assert judged("make", denial=stopped(Denial("create", path=f"{HOME}/.cache/uv/x"))).risk_level == "medium"


@pytest.mark.parametrize("script", ["make", "frobnicate", "echo hi > ~/notes/x"])
def test_a_new_file_outside_the_workspace_overwrites_nothing(script: str) -> None:
    """Required: where a yes only makes what is new, whatever the words are; what is there is another matter."""
    about, note = facts(), f"{HOME}/notes/x"
    about.targets[note] = TargetFacts()
    risk = judged(script, about, stopped(made(note)))
    assert (risk.risk_level, "data_deletion" in risk.risk_categories) == ("medium", False)
    about.targets[note] = TargetFacts(exists=True, place=note, real=note)
    assert judged(script, about, stopped(Denial("write", path=note))).risk_level == "high"


@pytest.mark.parametrize(
    "name",
    [".ssh/new", ".profile", ".unknown/new", ".unknown", "bin/new", "go/bin/new", "tools/new", "x/.git/hooks/new"],
)
def test_a_new_file_that_something_may_obey_is_high(name: str) -> None:
    about = facts()
    about = about.but(environment={**about.environment, "PATH": f"{HOME}/tools:/usr/bin"})
    assert judged("make", about, stopped(made(f"{HOME}/{name}"))).risk_level == "high"


def test_a_stopped_append_is_no_deletion() -> None:
    """Required: the question after a denial says of a line what `assess` says of it."""
    about, note = facts(), f"{HOME}/note"
    about.targets[note] = TargetFacts(exists=True, place=note, real=note)
    asked = judged("echo again >> ~/note", about, stopped(Denial("write", path=note)))
    assert (asked.risk_level, asked.risk_categories) == ("medium", ("system_modification",))


@pytest.mark.parametrize(
    "script",
    ["echo a > ~/note", "echo a >> ~/note; echo a > ~/note", "make; echo a >> ~/note", "frobnicate; echo a >> ~/note"],
)
def test_a_stopped_write_counts_as_one_unless_all_that_writes_is_known_to_append(script: str) -> None:
    about, note = facts(), f"{HOME}/note"
    about.targets[note] = TargetFacts()  # absent: by its words alone no line here loses anything
    assert judged(script, about).risk_level == "medium"
    assert judged(script, about, stopped(Denial("write", path=note))).risk_level == "high"


@pytest.mark.parametrize(
    ("path", "level"), [("/home/u/made", "medium"), ("/home/u/.ssh/id_new", "high"), ("/home/u/.profile", "high")]
)
def test_where_a_yes_can_only_make_what_is_new_nothing_is_deleted(path: str, level: str) -> None:
    """Required: such a call fails where anything is there; the same path opened for writing may lose what it held."""
    new = made(path)
    opened = new.but(grant=Grant("write_path", path))
    only_made, written = (judged("make", denial=stopped(each)) for each in (new, opened))
    assert (only_made.risk_level, written.risk_level) == (level, "high")
    assert "data_deletion" not in only_made.risk_categories
    assert "data_deletion" in written.risk_categories


def test_a_stopped_connection_is_network_access() -> None:
    risk = judged("pytest", denial=stopped(Denial("connect", address="10.0.0.1:443")))
    assert (risk.risk_level, risk.risk_categories) == ("medium", ("network_access",))
    assert judged("pytest", denial=stopped(Denial("connect", address="unix:/run/docker.sock"))).risk_level == "high"


def test_a_denial_inside_the_workspace_is_no_reason_for_alarm() -> None:
    assert judged("make", denial=stopped(Denial("write", path=f"{PROJECT}/out.txt"))).risk_level == "medium"


@pytest.mark.parametrize(("place", "level"), [(HOME, "high"), ("/home", "high"), (f"{HOME}/.cache/uv", "medium")])
def test_what_a_yes_would_open_counts_too(place: str, level: str) -> None:
    """Required: a cache that has to be made is small, and the home directory it is made in is not."""
    denial = Denial("create", path=f"{HOME}/.cache/uv/x", grant=Grant("write_root", place))
    risk = judged("npm test", denial=stopped(denial))
    assert risk.risk_level == level
    assert any(place in each for each in risk.reasons) is (level == "high")


def test_a_guess_lowers_the_confidence() -> None:
    risk = judged("make", denial=stopped(Denial("other", certain=False, layer="heuristic")))
    assert (risk.risk_level, risk.confidence) == ("medium", "low")


def test_a_report_without_a_denial_changes_nothing() -> None:
    assert judged("make", denial=DenialReport("not_denied")) == judged("make")


def test_further_denials_are_counted() -> None:
    report = DenialReport("denied", (Denial("write", path="/etc/a"), Denial("write", path="/etc/b")), omitted=3)
    assert "write /etc/a, write /etc/b and 3 more" in judged("make", facts(), report).description
