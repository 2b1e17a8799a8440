from __future__ import annotations

from sandgate.external.server import ExternalServer, ServerProgram


def test_what_is_disabled_is_not_offered_also_when_it_is_enabled() -> None:
    server = ExternalServer("s", ServerProgram("p"), enabled_tools=("a", "b"), disabled_tools=("b",))
    assert [server.offers(tool) for tool in ("a", "b", "c")] == [True, False, False]
    assert ExternalServer("s", ServerProgram("p"), disabled_tools=("b",)).offers("c")


def test_a_tool_is_approved_as_said_for_it_or_else_for_its_server() -> None:
    server = ExternalServer("s", ServerProgram("p"), approval="auto", tool_approvals=(("a", "approve"),))
    assert (server.approval_of("a"), server.approval_of("b")) == ("approve", "auto")
