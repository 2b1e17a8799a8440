"""No sandbox can be built: every way in says the same sentence, what, why and what to do, and nothing ran.

A named writable root that is a link which commands could turn elsewhere is refused before any command, whatever
confines.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from sandgate.errors import ConfinementError
from sandgate.protocol.events import DelegateEnd, ExecCommandEnd, Warned
from sandgate.runtime import Environment, Runtime, open_runtime
from support.agent.agent_places import AgentPlace, by_prompt, calls, command, only, said
from support.mcp.mcp_program import MODES, Place, over_stdio, text_of
from support.model.responses_server import Connection, ResponsesServer, function_call, says
from support.process.loops import run
from support.process.program import Sandgate

pytestmark = pytest.mark.host("namespace", "notify")

PATCH = "*** Begin Patch\n*** Add File: made\n+x\n*** End Patch"
WRITES = ("approval_policy=never", "sandbox_mode=workspace-write")


def roots(link: Path) -> str:
    return f'sandbox_workspace_write.writable_roots=["{link}"]'


def planted(repo: Path) -> tuple[str, str]:
    """Makes the link; the setting that names it, and the sentence."""
    (repo.parent / "elsewhere").mkdir()
    link = repo / "link"
    link.symlink_to("../elsewhere")
    what = f"cannot make `{link}` writable inside the sandbox"
    why = f"`{link}` is a symbolic link in a directory that confined commands can change"
    hint = f"name the directory itself: `{repo.parent}/elsewhere`, if that is what you mean"
    return roots(link), f"{what}: {why}; {hint}"


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    for name in ("repo", "home"):
        (tmp_path / name).mkdir()
    (tmp_path / "repo/.git").mkdir()
    return tmp_path / "repo"


def opened(repo: Path, setting: str) -> Runtime:
    environ = {"PATH": "/usr/bin:/bin", "HOME": str(repo.parent / "home")}
    return open_runtime(Environment(cwd=str(repo), environ=environ, overrides=(setting,)))


def test_the_command_line_says_what_why_and_what_to_do(repo: Path) -> None:
    setting, sentence = planted(repo)
    done = Sandgate(repo, repo.parent / "home")("run", "-c", setting, "--", "touch", "made")
    assert done.code == 125
    said = " ".join(done.err.replace("sandgate: hint: ", "; ").replace("sandgate: ", "").split()).replace(" ; ", "; ")
    assert said == sentence
    assert not (repo / "made").exists()


def test_python_raises_it_from_every_call(repo: Path) -> None:
    setting, sentence = planted(repo)
    with opened(repo, setting) as session:
        for call in (
            lambda: session.run(session.request(("touch", "made"))),
            lambda: session.exec_command("touch made"),
            lambda: session.terminal(("touch", "made")),
            lambda: session.shell(),
            lambda: session.apply_patch(PATCH),
        ):
            with pytest.raises(ConfinementError) as raised:
                call()
            assert raised.value.sentence == sentence
    assert not (repo / "made").exists()


def test_a_model_reads_the_same_in_one_line(repo: Path) -> None:
    setting, sentence = planted(repo)
    with opened(repo, setting) as session:
        started = session.call_tool("exec_command", '{"cmd": "touch made"}')
        patched = session.call_tool("apply_patch", PATCH)
    assert (started.success, started.cannot_confine, patched.cannot_confine) == (False, sentence, sentence)
    assert started.text == f"exec_command failed: Failed to create unified exec process: {sentence}"
    assert patched.text == f"apply_patch failed: {sentence}"
    assert not (repo / "made").exists()


def test_a_client_of_the_server_reads_it(tmp_path: Path) -> None:
    async def work() -> None:
        place = Place(tmp_path)
        setting, sentence = planted(place.workspace)
        async with over_stdio(place, MODES[0], "-c", setting) as client:
            answer = await client.call_tool("exec_command", {"cmd": "touch made"})
        assert sentence in text_of(answer)
        assert not (place.workspace / "made").exists()

    asyncio.run(work())


CALLS = {"exec_command": {"cmd": "touch made"}, "apply_patch": {"input": PATCH}}


@pytest.mark.parametrize("name", CALLS)
def test_a_sub_agent_that_met_it_has_failed_and_its_superior_reads_it(tmp_path: Path, name: str) -> None:
    """Required: what could do nothing is not "completed", whatever its model says last."""

    async def work() -> None:
        place, says_so, script = AgentPlace(tmp_path, ""), [""], calls(function_call(name, CALLS[name], "k1"))
        link = place.repo / "link"
        link.mkdir()

        def exchanged(connection: Connection) -> None:
            """Only now, for a session that cannot be confined from the start does not begin."""
            link.rmdir()
            says_so[0] = planted(place.repo)[1]
            script(connection)

        both = by_prompt(
            work=[calls(delegate("task one")), calls(function_call(name, CALLS[name], "k0")), says("all done")],
            task=[exchanged, says("it is done")],
        )
        with ResponsesServer(both) as server:
            place.url = server.url
            async with place.opened(roots(link), *WRITES) as agent:
                told = await said(agent, "work please")
            ends = [(end.status, end.last_agent_message) for end in only(told, DelegateEnd)]
            of_child, own = [
                item["output"] for item in server.asked[-1].body["input"] if item["type"] == "function_call_output"
            ]
        assert ends == [("failed", "it is done")]
        assert of_child == f"the sub-agent failed: {says_so[0]}"
        assert own.endswith(says_so[0])
        assert [each for each in told if says_so[0] in repr(each) and isinstance(each, Warned | ExecCommandEnd)]
        assert not (place.repo / "made").exists()

    run(work())


def test_a_sub_agent_that_met_it_and_then_did_its_work_has_completed(tmp_path: Path) -> None:
    async def work() -> None:
        place = AgentPlace(tmp_path, "")
        link = place.repo / "link"
        link.mkdir()

        def exchanged(connection: Connection) -> None:
            link.rmdir()
            planted(place.repo)
            calls(command("touch made", "k1"))(connection)

        def mended(connection: Connection) -> None:
            link.unlink()
            calls(command("touch made", "k2"))(connection)

        both = by_prompt(
            work=[calls(delegate("task one")), says("all done")], task=[exchanged, mended, says("it is done")]
        )
        with ResponsesServer(both) as server:
            place.url = server.url
            async with place.opened(roots(link), *WRITES) as agent:
                told = await said(agent, "work please")
        assert [end.status for end in only(told, DelegateEnd)] == ["completed"]
        assert (place.repo / "made").exists()

    run(work())


def delegate(prompt: str) -> Any:
    return function_call("delegate", {"prompt": prompt}, "d1")
