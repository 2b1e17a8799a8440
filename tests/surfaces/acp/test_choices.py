"""What a client may choose, and what it is offered."""

from __future__ import annotations

import pytest
from acp.exceptions import RequestError as Refused

from sandgate.protocol.operations import ContextChange
from sandgate.surfaces.acp.choices import Standing, change_of, modes, options


def stands(approval: str, *, loosening: bool = False) -> Standing:
    return Standing(approval, approval, "m", None, ("m",), loosening)


@pytest.mark.parametrize(
    ("now", "offered"),
    [
        (stands("on-request"), ["untrusted", "on-request"]),
        (stands("untrusted"), ["untrusted"]),
        (stands("granular"), ["granular"]),
        (stands("untrusted", loosening=True), ["untrusted", "on-request", "on-failure", "never"]),
    ],
)
def test_modes_only_tighten_unless_the_server_may_loosen(now: Standing, offered: list[str]) -> None:
    shown = modes(now)
    assert (shown.current_mode_id, [each.id for each in shown.available_modes]) == (now.approval, offered)


def test_a_choice_that_was_agreed_is_the_current_one() -> None:
    now = stands("on-request").after(ContextChange(approval_policy="untrusted", model="other", effort="high"))
    assert [(each.id, each.current_value) for each in options(now)] == [
        ("mode", "untrusted"),
        ("model", "other"),
        ("effort", "high"),
    ]
    assert [each.id for each in modes(now).available_modes] == ["untrusted", "on-request"]


@pytest.mark.parametrize(
    ("option", "value", "change"),
    [
        ("mode", "untrusted", ContextChange(approval_policy="untrusted")),
        ("model", "m", ContextChange(model="m")),
        ("effort", "low", ContextChange(effort="low")),
        ("effort", "default", ContextChange(effort=None)),
    ],
)
def test_a_choice_asks_for_a_change(option: str, value: str, change: ContextChange) -> None:
    assert change_of(stands("on-request"), option, value) == change


@pytest.mark.parametrize(
    ("option", "value"), [("mode", "never"), ("mode", True), ("model", "other"), ("effort", ""), ("nothing", "m")]
)
def test_what_is_not_offered_is_refused(option: str, value: object) -> None:
    """Required: a client cannot loosen by naming a mode that it was not shown."""
    with pytest.raises(Refused):
        change_of(stands("on-request"), option, value)
