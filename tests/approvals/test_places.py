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


def test_what_a_command_made_under_an_answer_is_open_below(tmp_path: Path) -> None:
    made, places = tmp_path / "made", SessionPlaces()
    places.remember((Grant("new_entry", str(made)),), until=None)
    made.mkdir()
    places.note_made([str(made)])
    inside, deeper = Grant("new_entry", str(made / "a")), Grant("remove", str(made / "a/b"))
    for grant in (inside, deeper, Grant("new_entry", str(made)), Grant("write_path", str(made))):
        assert places.covers((grant,), ())
    assert not places.covers((Grant("new_entry", f"{made}2"),), ())
    assert not places.covers((Grant("host", str(made)),), ())


@pytest.mark.parametrize("planned", [True, False])
def test_what_a_person_makes_at_a_place_for_a_new_entry_is_theirs(tmp_path: Path, planned: bool) -> None:
    """Required: the answer was about something new, not about what comes to have that name."""
    made, places = tmp_path / "made", SessionPlaces()
    grant = Grant("new_entry", str(made))
    places.remember((grant,), until=None, planned=planned)
    still_new = () if planned else (grant,)
    wanted = Grant("write_path", str(made / "letter")), Grant("write_path", str(made)), Grant("remove", str(made))
    made.mkdir()
    assert places.carried() == still_new
    assert not any(places.covers((each,), ()) for each in wanted)
    places.note_made([str(made), str(tmp_path)])  # as if a command had
    assert places.carried() == (Grant("write_root", str(made)),)
    assert all(places.covers((each,), ()) for each in wanted)
    made.rmdir()
    made.mkdir()  # it may well have the same inode
    assert places.carried() == still_new
    assert not any(places.covers((each,), ()) for each in wanted)
    made.rmdir()
    made.write_text("a person's")
    assert places.carried() == still_new
    assert not any(places.covers((each,), ()) for each in wanted)


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
    places.note_made([str(made)])
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
