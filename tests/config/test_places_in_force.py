"""Rules about places as they hold for one user."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandgate.config.places_in_force import checked_places
from sandgate.config.rules_in_force import rules_in_force
from sandgate.errors import RuleError
from sandgate.policy.rules import PlaceRule
from sandgate.protocol.permissions import Grant
from support.config.config_machine import Machine

FORBID = PlaceRule(("~/closed",), None, "forbid", source="f:1")


def test_the_home_is_the_users_and_without_one_nothing_starts() -> None:
    """Required: a rule that forbids is never dropped."""
    assert checked_places((FORBID,), "/h/", ())[0].paths == ("/h/closed",)
    with pytest.raises(RuleError, match="needs a home"):
        checked_places((FORBID,), "", ())


def test_what_is_forbidden_is_also_closed_by_its_real_name(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    (rule,) = checked_places((PlaceRule((f"{tmp_path}/link/x",), None, "forbid"),), "/h", ())
    assert f"{tmp_path}/real/x" in rule.paths


@pytest.mark.parametrize("name", ["link/x", "real/x"])
def test_no_setting_gives_what_a_rule_forbids(tmp_path: Path, name: str) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    rule = PlaceRule((f"{tmp_path}/real",), None, "forbid", source="f:1")
    with pytest.raises(RuleError, match="cannot grant") as caught:
        checked_places((rule,), "/h", (Grant("write_path", f"{tmp_path}/{name}"),))
    assert "in f:1 forbids it" in caught.value.why


def test_a_projects_rules_close_and_give_nothing(machine: Machine) -> None:
    """Required: a repository is other people's."""
    machine.trust()
    rules = machine.project / ".sandgate" / "rules"
    rules.mkdir(parents=True)
    (rules / "a.rules").write_text(
        'place_rule("~/x", "write_path")\nplace_rule("~/y", decision="prompt")\n'
        'place_rule("/z", decision="forbidden")\n'
    )
    read, warnings = rules_in_force(machine.load(), "/h")
    assert [(rule.paths, rule.decide) for rule in read.places] == [(("/h/y",), "ask"), (("/z",), "forbid")]
    assert any("ignored 1 entry" in warning for warning in warnings)


def test_a_directory_that_is_a_link_is_closed_where_it_leads(tmp_path: Path) -> None:
    """Required: calls name what lies below it by its real path."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    (rule,) = checked_places((PlaceRule((f"{tmp_path}/link",), None, "forbid"),), "/h", ())
    assert {f"{tmp_path}/link", f"{tmp_path}/real"} <= set(rule.paths)
