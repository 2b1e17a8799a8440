"""Single commands of a client: real processes, confined, written to, resized and ended."""

from __future__ import annotations

import asyncio
from base64 import b64decode, b64encode
from pathlib import Path
from typing import Any

import pytest

from sandgate.surfaces.app_server import command_gates
from support.app_server.app_client import AppClient, AppError, app_place
from support.mcp.mcp_program import living
from support.model.responses_server import says
from support.process.loops import run

pytestmark = pytest.mark.host("namespace", "notify")


def shell(script: str) -> list[str]:
    return ["/bin/sh", "-c", script]


def streamed(client: AppClient, process: str) -> dict[str, bytes]:
    """What was told of its output, by stream."""
    found: dict[str, bytes] = {}
    for each in client.messages:
        if each.get("method") == "command/exec/outputDelta" and each["params"]["processId"] == process:
            part = each["params"]
            found[part["stream"]] = found.get(part["stream"], b"") + b64decode(part["deltaBase64"])
    return found


async def printed(client: AppClient, process: str, wanted: bytes) -> None:
    """Waits until it has printed that."""
    await client.until(lambda _message: any(wanted in each for each in streamed(client, process).values()))


def test_a_command_runs_and_its_streams_are_apart(tmp_path: Path) -> None:
    async def work() -> None:
        async with app_place(tmp_path, says("done")) as place:
            client = await place.client()
            script = shell("echo out; echo err >&2; echo $MINE-$HOME; exit 3")
            ended = await client.ask("command/exec", command=script, env={"MINE": "x", "HOME": None})
            assert ended == {"exitCode": 3, "stdout": "out\nx-\n", "stderr": "err\n"}
            assert place.threads.ids == []

    run(work())


def test_a_command_is_confined_as_the_server_says_and_may_be_more(tmp_path: Path) -> None:
    """Required: beside the workspace it writes nothing; with a policy that only reads, nothing at all."""
    outside = tmp_path / "outside"
    script = shell(f"echo in > inside; echo out > {outside}")

    async def work() -> None:
        async with app_place(tmp_path, says("done")) as place:
            client = await place.client()
            assert (await client.ask("command/exec", command=script))["exitCode"] != 0
            assert ((place.repo / "inside").exists(), outside.exists()) == (True, False)
            (place.repo / "inside").unlink()
            await client.ask("command/exec", command=script, sandboxPolicy={"type": "readOnly"})
            assert not (place.repo / "inside").exists()
            with pytest.raises(AppError, match="looser than the sandbox of this server"):
                await client.ask("command/exec", command=script, sandboxPolicy={"type": "dangerFullAccess"})
            with pytest.raises(AppError, match="neither below the server's"):
                await client.ask("command/exec", command=script, cwd="/usr")
            assert not outside.exists()
        async with app_place(tmp_path, says("done"), loosening=True) as place:
            client = await place.client()
            await client.ask("command/exec", command=script, sandboxPolicy={"type": "dangerFullAccess"})
            assert outside.read_text() == "out\n"

    run(work())


def test_what_takes_an_answer_is_refused_because_nobody_is_asked(tmp_path: Path) -> None:
    async def work() -> None:
        overrides = ("approval_policy=untrusted",)
        async with app_place(tmp_path, says("done"), overrides=overrides) as place:
            client = await place.client()
            assert (await client.ask("command/exec", command=["/bin/echo", "hi"]))["stdout"] == "hi\n"
            with pytest.raises(AppError):
                await client.ask("command/exec", command=shell("touch made"))
            assert not (place.repo / "made").exists()

    run(work())


def test_output_is_told_as_it_comes_and_up_to_its_cap_and_input_goes_in(tmp_path: Path) -> None:
    async def work() -> None:
        async with app_place(tmp_path, says("done")) as place:
            client = await place.client()
            how = {"processId": "p", "streamStdin": True, "streamStdoutStderr": True, "outputBytesCap": 12}
            number = client.request("command/exec", command=shell("cat; echo over >&2"), **how)
            typed = b64encode(b"hello\n").decode()
            await client.ask("command/exec/write", processId="p", deltaBase64=typed)
            await printed(client, "p", b"hello\n")
            with pytest.raises(AppError, match="active command/exec for process id 'p'"):
                await client.ask("command/exec", command=["true"], processId="p")
            with pytest.raises(AppError, match="only a command with `tty`"):
                await client.ask("command/exec/resize", processId="p", size={"rows": 1, "cols": 1})
            more = b64encode(b"0123456789").decode()
            await client.ask("command/exec/write", processId="p", deltaBase64=more, closeStdin=True)
            assert await client.result_of(number) == {"exitCode": 0, "stdout": "", "stderr": ""}
            assert streamed(client, "p") == {"stdout": b"hello\n012345", "stderr": b"over\n"}
            last = [each["params"] for each in client.messages if each.get("method") == "command/exec/outputDelta"]
            assert {each["capReached"] for each in last if each["stream"] == "stdout"} == {False, True}
            with pytest.raises(AppError, match="no active command/exec"):
                await client.ask("command/exec/write", processId="p", closeStdin=True)

    run(work())


def test_a_command_in_a_terminal_is_typed_into_resized_and_ended(tmp_path: Path) -> None:
    async def work() -> None:
        async with app_place(tmp_path, says("done")) as place:
            client = await place.client()
            script = shell("stty size; read line; stty size; echo got $line; sleep 100")
            size = {"rows": 30, "cols": 90}
            number = client.request("command/exec", command=script, processId="t", tty=True, size=size)
            await printed(client, "t", b"30 90\r\n")
            await client.ask("command/exec/resize", processId="t", size={"rows": 31, "cols": 91})
            await client.ask("command/exec/write", processId="t", deltaBase64=b64encode(b"word\n").decode())
            await printed(client, "t", b"31 91\r\ngot word\r\n")
            assert await client.ask("command/exec/terminate", processId="t") == {}
            assert (await client.result_of(number))["exitCode"] > 128

    run(work())


@pytest.mark.parametrize("tty", [False, True])
def test_time_is_limited_and_an_end_can_be_asked_for(tmp_path: Path, tty: bool) -> None:
    async def work() -> None:
        async with app_place(tmp_path, says("done")) as place:
            client = await place.client()
            how = {"command": ["sleep", "100"], "processId": "p", "tty": tty}
            assert (await client.ask("command/exec", **how, timeoutMs=100))["exitCode"] == 124
            number = client.request("command/exec", **how, disableTimeout=True)
            await client.ask("command/exec/terminate", processId="p")
            assert (await client.result_of(number))["exitCode"] > 128

    run(work())


@pytest.mark.parametrize("tty", [False, True])
def test_commands_go_with_their_client(tmp_path: Path, tty: bool) -> None:
    """Required: nothing is left of them when the connection is closed."""
    mark = f"88{tmp_path.stat().st_ino:09d}"

    async def work() -> None:
        async with app_place(tmp_path, says("done")) as place:
            client = await place.client()
            script = shell(f"echo on; sleep {mark}")
            how = {"processId": "p", "tty": tty, "streamStdoutStderr": True, "disableTimeout": True}
            client.request("command/exec", command=script, **how)
            await printed(client, "p", b"on")
            assert living(mark)
            await client.connection.close()
            assert not living(mark)

    run(work())


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"tty": True}, "requires a client-supplied processId"),
        ({"streamStdoutStderr": True}, "requires a client-supplied processId"),
        ({"command": []}, "the command is empty"),
        ({"size": {"rows": 1, "cols": 1}}, "takes `tty`"),
        ({"timeoutMs": 1, "disableTimeout": True}, "exclude each other"),
        ({"outputBytesCap": -1}, "less than nothing"),
        ({"env": {"A": 1}}, "text or null"),
        ({"processId": ""}, "1 to 256 characters"),
        ({"cwd": "nowhere"}, "no directory"),
        ({"command": ["/nowhere/at/all"]}, "nowhere"),
    ],
)
def test_what_means_nothing_runs_nothing(tmp_path: Path, asked: dict[str, Any], said: str) -> None:
    async def work() -> None:
        async with app_place(tmp_path, says("done")) as place:
            client = await place.client()
            with pytest.raises(AppError, match=said):
                await client.ask("command/exec", **{"command": ["true"], **asked})

    run(work())


def test_places_of_commands_are_few_and_make_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command_gates, "GATES_MAX", 1)

    async def work() -> None:
        async with app_place(tmp_path, says("done")) as place:
            client = await place.client()
            (place.repo / "below").mkdir()
            for cwd in (None, "below", None):
                ended = await client.ask("command/exec", command=["pwd"], cwd=cwd)
                assert ended["stdout"].strip() == str(place.repo / (cwd or ""))
            how = {"processId": "p", "tty": True, "disableTimeout": True}
            client.request("command/exec", command=shell("echo on; sleep 100"), **how)
            await printed(client, "p", b"on")
            with pytest.raises(AppError, match="directories or sandboxes"):
                await client.ask("command/exec", command=["pwd"], cwd="below")
            await asyncio.wait_for(client.connection.close(), 20)

    run(work())
