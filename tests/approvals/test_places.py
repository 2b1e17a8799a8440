"""Places that a session's commands were given, whichever command asks."""

from __future__ import annotations

from sandgate.approvals.places import PLACES_MAX, SessionPlaces
from sandgate.protocol.permissions import Grant

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
