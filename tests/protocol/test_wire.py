"""Values as JSON: every surface writes them the same way, and nothing in them breaks the line."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandgate.protocol.decisions import Decision, HeldQuestion
from sandgate.protocol.denials import Denial
from sandgate.protocol.held_calls import PerformedCall
from sandgate.protocol.patches import FileChange
from sandgate.protocol.permissions import Grant
from sandgate.protocol.risk import RiskAssessment
from sandgate.protocol.wire import change_json, denial_json, held_json, performed_json, plain, risk_json, sendable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOTD = Grant("write_path", "/etc/motd")
MOTD_JSON = {"kind": "write_path", "value": "/etc/motd"}
RISK = RiskAssessment("Overwrites a system file.", "high", ("system_modification",), reasons=("it is in /etc",))
RISK_JSON = {
    "risk_level": "high",
    "risk_categories": ["system_modification"],
    "description": "Overwrites a system file.",
    "source": "static",
    "reasons": ["it is in /etc"],
    "confidence": "high",
}
HOSTILE = st.text(st.sampled_from(("a", "\\", "\udcff", "\udc80", "\ud800", "\udfff", "\n", "é", "😀", "\0")))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | HOSTILE,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(HOSTILE, inner, max_size=4),
    max_leaves=12,
)


def test_values_become_plain_json() -> None:
    assert plain((MOTD, {"x": frozenset({1})}, None)) == [MOTD_JSON, {"x": [1]}, None]


def test_risk_has_the_names_of_the_protocol() -> None:
    assert risk_json(RISK) == RISK_JSON


def test_a_risk_without_categories_has_no_list() -> None:
    assert risk_json(RISK.but(risk_categories=())) == {k: v for k, v in RISK_JSON.items() if k != "risk_categories"}


@pytest.mark.parametrize(("grant", "written"), [(MOTD, MOTD_JSON), (None, None)])
def test_denial_names_the_grant_that_would_remove_it(grant: Grant | None, written: object) -> None:
    found = denial_json(Denial("write", path="/etc/motd", program="touch", grant=grant))
    assert (found["grant"], found["path"], found["operation"]) == (written, "/etc/motd", "write")
    json.dumps(found)


@pytest.mark.parametrize(
    ("change", "written"),
    [
        (FileChange("add", "/a", content="x"), {"type": "add", "content": "x"}),
        (FileChange("delete", "/a", content="was"), {"type": "delete", "content": "was"}),
        (
            FileChange("update", "/b", unified_diff="@@", move_path="/c"),
            {"type": "update", "unified_diff": "@@", "move_path": "/c"},
        ),
        (FileChange("update", "/b"), {"type": "update", "unified_diff": "", "move_path": None}),
    ],
)
def test_change_says_what_it_does(change: FileChange, written: dict[str, Any]) -> None:
    assert change_json(change) == written


def test_what_utf8_cannot_hold_is_sent_as_a_visible_escape() -> None:
    """Required: a file name of odd bytes must not take the connection down."""
    sent = sendable({"caf\udce9": ["x\udcff", 1, None, True, {"half": "\ud83d"}], "whole": "é😀\n"})
    assert sent == {"caf\\udce9": ["x\\udcff", 1, None, True, {"half": "\\ud83d"}], "whole": "é😀\n"}


@given(VALUES)
def test_whatever_is_sent_is_utf8_and_nothing_else_changed(value: Any) -> None:
    sent = sendable(value)
    text = json.dumps(sent, ensure_ascii=False)
    assert json.loads(text.encode()) == sent
    assert sendable(sent) == sent
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return
    assert sent == value


def test_a_held_call_says_who_answered_and_how_long_it_waited() -> None:
    made = Grant("new_entry", "/home/u/k")
    decision = Decision("held", "approved", "user", (made,))
    told = held_json(HeldQuestion(1, Denial("create", path="/home/u/k", grant=made), decision, 12))
    assert (told["number"], told["waited_ms"], told["decision"], told["source"]) == (1, 12, "approved", "user")
    assert told["grants"] == [{"kind": "new_entry", "value": "/home/u/k", "beside": "/home/u/k[!0-9A-Za-z]*"}]
    assert told["denial"]["path"] == "/home/u/k"


def test_a_performed_call_says_whether_somebody_was_asked_about_it() -> None:
    """Required: a number alone, which every call that waited has, is no question."""
    call = PerformedCall(1, "create", "/home/u/k")
    assert performed_json(call)["asked"] is False
    told = performed_json(call.but(asked=True, allowed_by="approved by user (once)"))
    assert (told["asked"], told["allowed_by"]) == (True, "approved by user (once)")
