"""A line that a session finds again is worth something only as it was written, where it was written."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.approvals.keys import key_of
from sandgate.approvals.sealed_approvals import KIND, Lasting, Sealer
from sandgate.protocol.bindings import Binding, Seen
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.decisions import ApprovalKey, ApprovalRequest, Decision
from sandgate.protocol.permissions import ESCALATE, Grant

SECRET = b"k" * 32
COMMAND = CommandRequest(("make", "all"), "/repo", {"TOKEN": "very-secret", "A": "\udc80"})
REQUEST = ApprovalRequest("q", "c", "initial", COMMAND, "")
GRANTS = (Grant("write_path", "/out/\udcff"), ESCALATE)
YES = Decision("initial", "approved_for_session", "user", GRANTS)
SEALER = Sealer(SECRET, "session")


def written(decision: Decision = YES, *keys: ApprovalKey) -> list[dict[str, Any]]:
    """As a transcript gives it back."""
    lines = SEALER.lines(REQUEST, keys or (key_of(COMMAND),), decision, "policy")
    return [json.loads(json.dumps(line)) for line in lines]


def test_a_line_says_again_what_was_approved_and_nothing_of_the_environment() -> None:
    (line,) = written(YES.but(until="2030-01-01T00:00:00Z"))
    assert SEALER.opened(line) == Lasting(SEALER.name_of(key_of(COMMAND)), "policy", GRANTS, "2030-01-01T00:00:00Z")
    assert "very-secret" not in json.dumps(line)
    assert (next(iter(line)), line["kind"]) == ("kind", KIND), "a reader of transcripts goes by its first field"


@pytest.mark.parametrize("field", ["argv", "cwd", "environment", "wish", "tty", "family"])
def test_another_command_has_another_name(field: str) -> None:
    key = key_of(COMMAND)
    other = {
        "argv": ("make", "some"), "cwd": "/other", "environment": frozenset((("A", "B"),)),
        "wish": "require_escalated", "tty": True, "family": "apply_patch",
    }[field]  # fmt: skip
    assert SEALER.name_of(key.but(**{field: other})) != SEALER.name_of(key)
    assert Sealer(b"x" * 32, "session").name_of(key) != SEALER.name_of(key)


def test_what_we_tell_every_command_ourselves_makes_no_other_command() -> None:
    """Our own mark on what a session starts is another one after each pause."""
    one, other = (key_of(COMMAND.but(env={"A": "B", "MARK": mark})) for mark in ("1", "2"))
    knowing = Sealer(SECRET, "session", own=frozenset(("MARK",)))
    assert knowing.name_of(one) == knowing.name_of(other)
    assert SEALER.name_of(one) != SEALER.name_of(other)


@given(st.data())
def test_a_changed_line_is_worth_nothing(data: st.DataObject) -> None:
    (line,) = written()
    field = data.draw(st.sampled_from(sorted(line)))
    value = data.draw(st.none() | st.text() | st.lists(st.dictionaries(st.text(), st.text()), max_size=2))
    changed = {**line, field: value}
    if changed != line:
        assert SEALER.opened(changed) is None
    assert SEALER.opened({**line, "more": value}) is None
    assert SEALER.opened({name: held for name, held in line.items() if name != field}) is None


def test_a_line_of_another_session_or_another_person_is_worth_nothing_until_it_is_carried_over() -> None:
    (line,) = written()
    other = Sealer(SECRET, "other")
    assert other.opened(line) is None
    assert Sealer(b"x" * 32, "session").opened(line) is None
    carried = SEALER.carried(line, other)
    assert carried is not None
    assert other.opened(carried) == SEALER.opened(line)
    assert SEALER.opened(carried) is None
    assert other.carried(line, SEALER) is None


@pytest.mark.parametrize(
    "decision",
    [
        YES.but(decision="approved"),
        YES.but(decision="denied"),
        YES.but(source="automated_reviewer"),
        YES.but(source="script"),
        YES.but(source="cache"),
        YES.but(uses=3),
    ],
)
def test_only_what_a_person_gave_for_the_whole_session_is_written(decision: Decision) -> None:
    assert written(decision) == []


def test_what_is_typed_and_what_servers_do_is_asked_about_again() -> None:
    """Required: the same name may be another program by then."""
    families = ("exec", "apply_patch", "stdin", "mcp")
    keys = [ApprovalKey(family, ("x",), "/", frozenset(), "use_default", False) for family in families]
    assert [line["family"] for line in written(YES, *keys)] == ["exec", "apply_patch"]


@given(st.dictionaries(st.text(), st.none() | st.text() | st.lists(st.text()) | st.integers()))
def test_whatever_stands_there_is_no_approval(line: dict[str, Any]) -> None:
    assert SEALER.opened({**line, "kind": KIND}) is None


def test_what_an_approval_is_tied_to_is_sealed_with_it() -> None:
    places = (Seen("file", "/repo/Makefile", "sha256:aa"), Seen("directory", "/repo", "1:2:/repo"))
    asked = REQUEST.but(binding=Binding(places))
    (line,) = SEALER.lines(asked, (key_of(COMMAND),), YES, "policy")
    read = json.loads(json.dumps(line))
    found = SEALER.opened(read)
    assert found is not None
    assert found.binding == Binding(places)
    assert SEALER.opened({**read, "bound": None}) is None, "nobody unties it"
    (changing,) = SEALER.lines(asked, (key_of(COMMAND),), YES.but(grants=(), changing=True), "policy")
    opened = SEALER.opened(json.loads(json.dumps(changing)))
    assert opened is not None
    assert opened.binding == Binding(places[1:])
