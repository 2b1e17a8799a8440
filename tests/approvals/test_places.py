"""Places that a session's commands were given, whichever command asks."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandgate.approvals.places import PLACES_MAX, SessionPlaces, is_about_places
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.decisions import ApprovalRequest
from sandgate.protocol.permissions import ESCALATE, Grant

NOTE, MADE = Grant("write_path", "/home/u/note"), Grant("new_entry", "/home/u/made")


def test_a_place_is_given_to_whoever_wants_it_and_nothing_beside_it() -> None:
    places = SessionPlaces()
    assert not places.covers((NOTE,), ())
    places.remember((NOTE,), until=None)
    assert places.covers((NOTE,), ())
    assert places.covers((Grant("metadata", "/home/u/note"),), ())
    assert not places.covers((Grant("write_path", "/home/u/note2"),), ())
    assert not places.covers((NOTE, MADE), ())


def test_what_is_made_under_an_answer_is_open_below() -> None:
    places = SessionPlaces()
    places.remember((MADE,), until=None)
    for grant in (Grant("new_entry", "/home/u/made/a"), Grant("remove", "/home/u/made/a/b"), MADE):
        assert places.covers((grant,), ())
    assert not places.covers((Grant("new_entry", "/home/u/made2"),), ())
    assert not places.covers((Grant("host", "/home/u/made"),), ())


def test_what_is_held_already_was_not_enough() -> None:
    """Required: no command is given the same thing for ever."""
    places = SessionPlaces()
    places.remember((NOTE,), until=None)
    assert not places.covers((NOTE,), (NOTE,))


def test_an_end_ends_it_and_there_is_no_end_of_room() -> None:
    now = [100.0]
    places = SessionPlaces(lambda: now[0])
    places.remember((NOTE,), until=200.0)
    assert places.covers((NOTE,), ())
    now[0] = 200.0
    assert not places.covers((NOTE,), ())
    places.remember(tuple(Grant("new_entry", f"/{number}") for number in range(PLACES_MAX)), until=None)
    assert not places.covers((Grant("new_entry", f"/{PLACES_MAX - 1}"),), ())
    places.clear()
    assert not places.covers((Grant("new_entry", "/0"),), ())


def test_a_directory_that_was_given_after_a_failure_counts_while_it_is_that_one(tmp_path: Path) -> None:
    """Required: neither another directory of that name nor a link in its place gets what was shown."""
    site, secret = tmp_path / "site", tmp_path / "secret"
    site.mkdir()
    secret.mkdir()
    given, places = Grant("write_root", str(site)), SessionPlaces()
    places.remember((given,), until=None, planned=True)
    assert (places.planned(), places.carried()) == ((given,), ())
    site.rename(tmp_path / "old")
    site.symlink_to(secret)
    assert places.planned() == ()
    site.unlink()
    (tmp_path / "other").mkdir()
    (tmp_path / "other").rename(site)
    assert places.planned() == ()
    site.rmdir()
    (tmp_path / "old").rename(site)
    assert places.planned() == (given,)
    places.clear()
    assert (places.planned(), places.given()) == ((), ())


def test_a_directory_that_was_made_since_is_open_below_and_a_link_of_its_name_is_not(tmp_path: Path) -> None:
    made, places = tmp_path / "made", SessionPlaces()
    grant = Grant("new_entry", str(made))
    places.remember((grant,), until=None, planned=True)
    assert (places.planned(), places.carried()) == ((grant,), ())
    made.mkdir()
    assert places.carried() == (Grant("write_root", str(made)),)
    made.rmdir()
    made.symlink_to(tmp_path)
    assert (places.planned(), places.carried()) == ((), ())


@pytest.mark.parametrize(
    ("grants", "lasts"),
    [
        ((Grant("write_path", "/srv/note"), Grant("host", "192.0.2.1:443")), True),
        ((Grant("unix_socket", "/run/s"),), True),
        ((Grant("host", "*"),), False),
        ((Grant("read_path", "/home/u/.ssh/id"),), False),
        ((Grant("write_path", "/srv/note"), ESCALATE), False),
        ((), False),
    ],
)
def test_what_is_no_place_is_given_to_its_command_alone(grants: tuple[Grant, ...], lasts: bool) -> None:
    """Required: no secret, no whole network and no way out of the sandbox for every command."""
    asked = ApprovalRequest("r", "c", "retry", CommandRequest(("x",), "/", {}), "", grants=grants)
    assert is_about_places(asked, grants) is lasts
    assert not is_about_places(asked.but(stage="initial"), grants)
