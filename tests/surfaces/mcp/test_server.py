"""What the server offers and answers, as the official client and the bare wire see it, in both eras."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import jsonschema  # type: ignore[import-untyped] # it comes without types
import pytest
from mcp import Client, MCPError
from mcp.server.auth.middleware.auth_context import auth_context_var
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken

from sandgate.surfaces.mcp.server import NAME, TITLE
from support.mcp.mcp_wire import ERAS, INITIAL, MODERN, Desk, ToolCall, connected, run, text_of
from support.terminal.live_sessions import left_of

if TYPE_CHECKING:
    from support.mcp.mcp_wire import Json, Wire

pytestmark = pytest.mark.host("namespace", "notify")

MODES = ["legacy", "auto", MODERN]  # of the official client
TOOLS = ["exec_command", "write_stdin", "apply_patch", "exec_list", "exec_kill", "check_command"]
PATCH = "*** Begin Patch\n*** Add File: made\n+new\n*** End Patch\n"
EXEC_HEAD = r"Chunk ID: [0-9a-f]{6}\nWall time: \d+\.\d{4} seconds\n"


async def listed(wire: Wire) -> dict[str, Json]:
    _id, answer = await wire.request("tools/list", {})
    return {tool["name"]: tool for tool in (await answer)["result"]["tools"]}


@pytest.mark.parametrize("mode", MODES)
def test_official_client_sees_the_tools_and_who_serves_them(desk: Desk, mode: str) -> None:
    async def work() -> None:
        async with Client(desk.server(), mode=mode) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == TOOLS
            if mode != MODERN:  # a client that asks nothing first is told nothing
                assert client.server_info is not None
                assert (client.server_info.name, client.server_info.title) == (NAME, TITLE)
                assert "check_command" in (client.instructions or "")

    run(work())


@pytest.mark.parametrize("version", ERAS)
def test_client_that_leaves_at_once_leaves_nothing_behind(desk: Desk, version: str) -> None:
    """Required: what is loaded ahead of the first call ends with the server, or its thread finds no loop any more."""

    async def work() -> None:
        for _ in range(5):
            async with connected(desk.server(), version) as wire:
                await listed(wire)

    run(work())


@pytest.mark.parametrize("version", ERAS)
def test_tools_on_the_wire_are_complete(desk: Desk, version: str) -> None:
    async def work() -> None:
        async with connected(desk.server(), version) as wire:
            tools = await listed(wire)
            assert list(tools) == TOOLS
            for tool in tools.values():
                assert tool["description"]
                assert tool["title"] == tool["annotations"]["title"]
                assert tool["annotations"].keys() > {
                    "readOnlyHint",
                    "destructiveHint",
                    "idempotentHint",
                    "openWorldHint",
                }
                assert tool["inputSchema"]["additionalProperties"] is False
                assert tool["outputSchema"]["additionalProperties"] is False

    run(work())


@pytest.mark.parametrize("version", ERAS)
def test_every_answer_fits_the_schema_of_its_tool(desk: Desk, version: str) -> None:
    """Required: clients that check answers, as the official one does, must be able to use all of them."""

    async def work() -> None:
        async with connected(desk.untrusting(), version) as wire:
            schemas = {name: tool["outputSchema"] for name, tool in (await listed(wire)).items()}

            def fits(tool: str, result: Json) -> Json:
                jsonschema.validate(result["structuredContent"], schemas[tool])
                return dict(result["structuredContent"])

            async def decided(tool: str, arguments: Json, *choices: str) -> Json:
                call = await wire.call(tool, arguments)
                for choice in choices:
                    await call.asked()
                    await call.choose(choice)
                return fits(tool, await call.result())

            assert "exit_code" in await decided("exec_command", INITIAL, "approve")
            assert "refused" in await decided("exec_command", INITIAL, "deny")
            assert "denials" in await decided("exec_command", desk.stray(), "approve", "deny")
            assert (await decided("apply_patch", {"input": PATCH}, "approve"))["applied"] is True
            assert (await decided("apply_patch", {"input": PATCH.replace("made", "more")}, "deny"))["applied"] is False
            assert (await decided("check_command", {"cmd": "rm -rf ~"}))["verdict"] == "ask"
            begun = await decided("exec_command", {"cmd": "cat", "tty": True, "login": False, "yield_time_ms": 250})
            typed = {"session_id": begun["session_id"], "chars": "so\r", "wait_for": [{"text": "so"}]}
            assert "so" in (await decided("write_stdin", typed))["matched"]
            live = await decided("exec_list", {})
            assert [each["session_id"] for each in live["commands"]] == [begun["session_id"]]
            number = {"session_id": begun["session_id"]}
            assert await decided("exec_kill", number) == {"terminated": True}
            assert "exit_code" in await decided("write_stdin", number)
            assert await decided("exec_kill", number) == {"terminated": False}
            assert await decided("exec_list", {}) == {"commands": []}

    run(work())


@pytest.mark.parametrize("version", ERAS)
def test_text_for_the_model_has_the_known_form(desk: Desk, version: str) -> None:
    """Required: models were trained on these very lines."""

    async def work() -> None:
        async with connected(desk.server(), version) as wire:
            done = await wire.result("exec_command", {"cmd": "printf 'a\\nb'; exit 3", "login": False})
            assert re.fullmatch(
                EXEC_HEAD + r"Process exited with code 3\nOriginal token count: 1\nOutput:\na\nb", text_of(done)
            )
            assert done["isError"] is False
            killed = await wire.result("exec_command", {"cmd": "kill -9 $$", "login": False})
            assert "Process exited with code 137\n" in text_of(killed)
            begun = await wire.result("exec_command", {"cmd": "sleep 1000", "login": False, "yield_time_ms": 250})
            found = re.fullmatch(
                EXEC_HEAD + r"Process running with session ID (\d{4,5})\nOriginal token count: 0\nOutput:\n",
                text_of(begun),
            )
            assert found is not None
            assert int(found[1]) == begun["structuredContent"]["session_id"]
            applied = await wire.result("apply_patch", {"input": PATCH})
            assert re.fullmatch(
                r"Exit code: 0\nWall time: \S+ seconds\nOutput:\n"
                r"Success. Updated the following files:\nA made\n",
                text_of(applied),
            )

    run(work())


@pytest.mark.parametrize("version", ERAS)
@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("exec_command", {}, "failed to parse function arguments: missing field `cmd`"),
        ("exec_command", {"cmd": 7}, "failed to parse function arguments: invalid type"),
        ("exec_command", {"cmd": "ls", "bogus": 1}, "failed to parse function arguments: unknown field `bogus`"),
        ("exec_command", {"cmd": "ls", "rows": -1}, "failed to parse function arguments:"),
        ("exec_command", {"cmd": "ls", "workdir": "no/such/place"}, "no/such/place"),
        ("exec_command", {"cmd": "x" * 200_000}, "the command is too long"),
        ("write_stdin", {"session_id": 99999}, "write_stdin failed: Unknown process id 99999"),
        ("write_stdin", {"session_id": "1"}, "failed to parse function arguments:"),
        ("apply_patch", {"input": "no patch"}, "apply_patch verification failed: invalid patch"),
        ("apply_patch", {}, "failed to parse function arguments: missing field `input`"),
        ("exec_kill", {"session_id": -1.5}, "failed to parse function arguments:"),
        ("check_command", {"cmd": None}, "failed to parse function arguments:"),
        ("exec_list", {"all": True}, "failed to parse function arguments: unknown field `all`"),
    ],
    ids=str,
)
def test_bad_arguments_are_one_sentence_and_an_error(
    desk: Desk, version: str, tool: str, arguments: Json, words: str
) -> None:
    async def work() -> None:
        async with connected(desk.server(), version) as wire:
            result = await wire.result(tool, arguments)
            assert words in text_of(result)
            assert len(text_of(result).splitlines()) == 1
            assert result["isError"] is True

    run(work())


@pytest.mark.parametrize("version", ERAS)
def test_unknown_tool_is_an_error_of_the_protocol(desk: Desk, version: str) -> None:
    async def work() -> None:
        async with connected(desk.server(), version) as wire:
            for name in ("nope", "exec_command2", "", "x" * 5000, "a\n\x1b[2J"):
                outcome = await (await wire.call(name, {})).outcome()
                assert outcome["error"]["code"] == -32602
                assert re.fullmatch(r"Unknown tool '.{0,60}'", outcome["error"]["message"])

    run(work())


@pytest.mark.parametrize("mode", MODES)
def test_unknown_tool_is_an_exception_of_the_official_client(desk: Desk, mode: str) -> None:
    async def work() -> None:
        async with Client(desk.server(), mode=mode) as client:
            with pytest.raises(MCPError, match="Unknown tool 'nope'"):
                await client.call_tool("nope", {})

    run(work())


@pytest.mark.parametrize("mode", MODES)
def test_official_client_drives_a_live_command(desk: Desk, mode: str) -> None:
    async def work() -> None:
        async with Client(desk.server(), mode=mode) as client:

            async def told(tool: str, **arguments: Any) -> Json:
                answer = await client.call_tool(tool, arguments)
                assert answer.structured_content is not None
                return dict(answer.structured_content)

            begun = await told("exec_command", cmd="exec bash --norc --noprofile -i", tty=True, login=False)
            number = begun["session_id"]
            assert "so 4" in (await told("write_stdin", session_id=number, chars="echo so $((2 + 2))\r"))["output"]
            assert len((await told("exec_list"))["commands"]) == 1
            assert await told("exec_kill", session_id=number) == {"terminated": True}

    run(work())


@pytest.mark.parametrize("version", ERAS)
def test_end_of_the_connection_ends_its_commands(desk: Desk, version: str) -> None:
    mark = f"1000.{id(desk)}"

    async def work() -> None:
        async with connected(desk.server(), version) as wire:
            await wire.result("exec_command", {"cmd": f"sleep {mark}", "login": False, "yield_time_ms": 250})
            assert left_of(mark) == 1

    run(work())
    assert left_of(mark) == 0


@pytest.mark.parametrize("version", ERAS)
def test_text_that_json_can_hardly_hold_comes_through(desk: Desk, version: str) -> None:
    async def work() -> None:
        async with connected(desk.server(), version) as wire:
            for cmd in (
                "printf '\\377\\000\\033[2J'",
                "echo \u2028 \ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16"),
            ):
                result = await wire.result("exec_command", {"cmd": cmd, "login": False})
                assert result["structuredContent"]["exit_code"] == 0

    run(work())


# Whose request it is


def as_client(name: str) -> None:
    """From now on, in this task and those it starts, requests come with the token of that name."""
    auth_context_var.set(AuthenticatedUser(AccessToken(token="t" * 32, client_id=name, scopes=[])))


def test_state_of_another_token_is_refused(desk: Desk) -> None:
    """Required: who approves in one client's name approves nothing of another's."""

    async def work() -> None:
        import contextvars

        server = desk.untrusting()
        async with connected(server, MODERN) as nobody:
            mine = await nobody.call("exec_command", INITIAL)
            await mine.asked()

            async def other() -> None:
                as_client("alice")
                async with connected(server, MODERN) as wire:
                    stolen = ToolCall(wire, "exec_command", INITIAL, {})
                    stolen.state = mine.state
                    await stolen.choose("approve")
                    assert (await stolen.outcome())["error"]["message"] == "Invalid or expired requestState"

            import asyncio

            await asyncio.get_running_loop().create_task(other(), context=contextvars.copy_context())

    run(work())
    assert desk.runs == 0
