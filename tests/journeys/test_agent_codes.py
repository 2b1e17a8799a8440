"""Scripts can tell from the exit code what became of `sandgate agent`: as a process, with a provider that answers."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from support.agent.agent_places import AgentPlace, calls, command
from support.model.responses_server import ResponsesServer, failed, refuses, says, sends, stays_silent
from support.process.program import WAIT_SECONDS
from support.terminal.live_sessions import NOT_ALL_OF_TMP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from support.model.responses_server import Manner

pytestmark = [pytest.mark.host("namespace", "notify")]

NO_MORE = '{"error": {"type": "usage_limit_reached", "message": "used up", "plan_type": "plus"}}'
BUDGET = ("-c", "agents.token_budget=1")
DENIED = ("-c", NOT_ALL_OF_TMP, "--answer", "deny")
SCHEMA = ("--output-schema", "/nowhere")


@pytest.mark.parametrize(
    ("code", "options", "manners"),
    [
        pytest.param(0, (), [says("done")], id="done"),
        pytest.param(0, (), [calls(command("exit 3")), says("it failed")], id="a command of the model failed"),
        pytest.param(1, (), [sends(failed("invalid_prompt", "no"))], id="the model failed"),
        pytest.param(1, (), [refuses(400, "{}")], id="the provider turned it away"),
        pytest.param(2, SCHEMA, [says("never")], id="bad usage"),
        pytest.param(77, ("-a", "untrusted"), [calls(command("touch x")), says("no")], id="nobody could be asked"),
        pytest.param(77, DENIED, [calls(command("touch ~/x")), says("no")], id="refused by an answer"),
        pytest.param(78, ("-c", "model_provider=nobody"), [says("never")], id="bad configuration"),
        pytest.param(124, BUDGET, [calls(command("true")), says("never")], id="the budget is spent"),
        pytest.param(124, (), [refuses(429, NO_MORE)], id="the limit of the provider"),
    ],
)
def test_every_end_has_its_code(tmp_path: Path, code: int, options: tuple[str, ...], manners: list[Manner]) -> None:
    """Required: refused, interrupted, failed and used up are four things (docs/how-to/agent.md)."""
    with ResponsesServer(*manners) as server:
        found, _out, err = AgentPlace(tmp_path, server.url).run(*options, "work")
    assert (found, err) == (code, err)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_has_its_own(tmp_path: Path, number: int, code: int) -> None:
    with ResponsesServer(stays_silent) as server, AgentPlace(tmp_path, server.url).start("work") as process:
        server.connection()
        process.send_signal(number)
        process.communicate(timeout=WAIT_SECONDS)
    assert process.returncode == code
