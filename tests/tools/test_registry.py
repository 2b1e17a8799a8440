"""The tools there are, and that each is whole."""

from __future__ import annotations

import sys

import pytest

from sandgate.tools.registry import PACKAGE, definitions, every, offered, tool_named
from sandgate.tools.tool import Offer, Tool

AGENT, CLIENT = Offer("agent"), Offer("client")


def test_a_tool_is_found_by_its_name_and_nothing_else_is() -> None:
    assert [tool.name for tool in every()] == [getattr(tool_named(tool.name), "name", "") for tool in every()]
    names = ("", "__init__", "exec_everything", "../registry", "exec_list.py", "builtin.exec_list")
    assert [tool_named(name) for name in names] == [None] * len(names)


def test_a_call_loads_the_one_tool_it_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Required: what a call does not need is not waited for."""
    for name in [name for name in sys.modules if name.startswith(f"{PACKAGE}.")]:
        monkeypatch.delitem(sys.modules, name)
    tool_named("exec_kill")
    assert [name for name in sys.modules if name.startswith(f"{PACKAGE}.")] == [f"{PACKAGE}.exec_kill"]


def test_lists_have_an_order_that_no_two_tools_share() -> None:
    orders = [tool.order for tool in every()]
    assert orders == sorted(set(orders))


@pytest.mark.parametrize("tool", every(), ids=lambda tool: tool.name)
def test_a_tool_is_whole(tool: Tool) -> None:
    """Required: whoever may call a tool finds what its audience needs."""
    assert (tool.run is None) != (tool.in_session is None)
    if "client" in tool.audiences:
        assert None not in (tool.run, tool.hints, tool.answers)
    assert tool.definition(CLIENT)["name"] == tool.name


def test_each_audience_is_told_of_its_own_tools() -> None:
    told = [tool.name for tool in offered(CLIENT)]
    assert told == ["exec_command", "write_stdin", "apply_patch", "exec_list", "exec_kill", "check_command"]
    told = [tool.name for tool in offered(AGENT.but(lives_on=False, pictures=False, delegates=False))]
    assert told == ["shell", "apply_patch", "update_plan"]


def test_clients_alone_are_told_what_an_answer_looks_like() -> None:
    assert all("output_schema" in each for each in definitions(CLIENT))
    assert not any("output_schema" in each for each in definitions(AGENT))
