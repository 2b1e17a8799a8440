"""Which rule about a place is offered; that it is saved and holds is in tests/journeys/test_place_rules.py."""

from __future__ import annotations

from sandgate.policy.approval import judge
from sandgate.policy.place_amendments import may_be_given_for_good, proposed_place_rule
from sandgate.protocol.decisions import Amendment
from sandgate.protocol.permissions import EffectivePermissions, Grant, WorkspaceWrite
from support.suite.rows import every

ENV = {"HOME": "/home/u", "PATH": "/home/u/tools:/usr/bin"}
OPEN = EffectivePermissions(confined=True, writable=("/home/u/ws",))


@every(
    "place, harmless",
    [
        ("/home/u/note", True),
        ("/home/u/data/x.csv", True),
        ("/home/u", False),
        ("/home", False),
        ("/srv/site", False),
        ("/etc/hosts", False),
        ("/home/u/.gitconfig", False),
        ("/home/u/.local/share/x", False),
        ("/home/u/data/.envrc", False),
        ("/home/u/bin/ls", False),
        ("/home/u/tools/ls", False),
        ("/home/u/tools", False),
        ("/home/u/project/Makefile", False),
        ("/home/u/project/package.json", False),
        ("/home/u/keys/id_rsa", False),
        ("/home/u/closed/x", False),
        ("/home/u/closed", False),
        ("/home/u/a*b", False),  # which no rule may name: nothing would start beside it
        ("/home/u/a[b", False),
        ("/home/u/a\rb", False),
        ("/home/u/a\udcffb", False),  # no text, so no line could be written
    ],
)
def test_only_what_nothing_obeys_is_offered(place: str, harmless: bool) -> None:
    closed = OPEN.but(read_only=("/home/u/closed",))
    assert may_be_given_for_good(Grant("write_path", place), closed, ENV) is harmless


def offered(*argv: str, grants: tuple[Grant, ...] = (Grant("write_path", "/home/u/note"),)) -> Amendment | None:
    judged = judge(argv, policy="untrusted", sandbox=WorkspaceWrite())
    return proposed_place_rule(judged, grants, OPEN, ENV)


def test_the_rule_is_for_the_very_words_and_places() -> None:
    grants = (Grant("new_entry", "/home/u/a"), Grant("new_entry", "/home/u/b"))
    assert offered("touch", "a", "b", grants=grants) == Amendment(("touch", "a", "b"), places=grants)
    shell = offered("sh", "-c", "cat x && touch /home/u/note")
    assert shell is not None
    assert shell.prefix == ("touch", "/home/u/note")


def test_none_where_words_or_places_are_of_several_kinds_or_could_be_anything() -> None:
    mixed = (Grant("remove", "/home/u/a"), Grant("new_entry", "/home/u/b"))
    assert offered("mv", "/home/u/a", "/home/u/b", grants=mixed) is None
    assert offered("sh", "-c", "touch /home/u/note; make x") is None
    assert offered("sh", "-c", "$X > /home/u/note") is None
    assert offered("sh", "-c", "echo once > /home/u/note") is None  # the words are a script
    assert offered("rm", "-rf", "/home/u/note") is None
    assert offered("curl", "x", grants=(Grant("host", "192.0.2.1:443"),)) is None
