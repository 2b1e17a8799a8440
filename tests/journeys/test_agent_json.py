"""`sandgate agent` as scripts run it: one event a line, files and standard input, and what is counted over sessions.

The program with a real server, gate, files and a server of the official MCP SDK.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sandgate.session.transcript_reader import read_transcript
from support.agent.agent_places import AgentPlace, calls, command
from support.mcp.external_servers import STAGE
from support.model.responses_server import ResponsesServer, function_call, message, refuses, says, sends, turn
from support.process.program import PROGRAM, WAIT_SECONDS

pytestmark = [pytest.mark.host("namespace", "notify"), pytest.mark.slow]

PATCH = "*** Begin Patch\n*** Add File: new.txt\n+hello\n*** Update File: log\n@@\n-old\n+new\n*** End Patch"
STEPS = [("read", "completed"), ("mend", "in_progress")]
NO_USE = {"input_tokens": 0, "cached_input_tokens": 0, "output_tokens": 0, "reasoning_output_tokens": 0}


def used(requests: int) -> dict[str, int]:
    """What that many answers of the scripted server cost."""
    return {**NO_USE, "input_tokens": 10 * requests, "output_tokens": 5 * requests}


def plan(call_id: str, *steps: tuple[str, str]) -> Any:
    shown = [{"step": step, "status": status} for step, status in steps]
    return function_call("update_plan", {"plan": shown}, call_id)


def lines(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


def told(place: AgentPlace, *arguments: str) -> tuple[int, list[dict[str, Any]]]:
    code, out, _ = place.run("--json", *arguments)
    found = lines(out)
    assert found[0] == {"type": "thread.started", "thread_id": found[0]["thread_id"]}
    assert found[1] == {"type": "turn.started"}
    return code, found[2:]


def started(number: int, **item: Any) -> dict[str, Any]:
    return {"type": "item.started", "item": {"id": f"item_{number}", **item}}


def completed(number: int, **item: Any) -> dict[str, Any]:
    return {"type": "item.completed", "item": {"id": f"item_{number}", **item}}


def ran(number: int, line: str, output: str, code: int) -> list[dict[str, Any]]:
    item = {"type": "command_execution", "command": line}
    status = "completed" if code == 0 else "failed"
    return [
        started(number, **item, aggregated_output="", exit_code=None, status="in_progress"),
        completed(number, **item, aggregated_output=output, exit_code=code, status=status),
    ]


def test_a_plain_answer_is_four_lines(tmp_path: Path) -> None:
    with ResponsesServer(says("hello")) as server:
        code, found = told(AgentPlace(tmp_path, server.url), "hi")
    assert (code, found) == (
        0,
        [
            completed(0, type="agent_message", text="hello"),
            {"type": "turn.completed", "usage": used(1)},
        ],
    )


def test_commands_patches_and_plans_are_told_as_the_lineage_tells_them(tmp_path: Path) -> None:
    script = (
        calls(command("echo hi", "c1", login=False)),
        calls(function_call("shell", {"command": ["sh", "-c", "echo no; exit 3"]}, "c2")),
        calls(function_call("apply_patch", {"input": PATCH}, "c3")),
        calls(plan("c4", *STEPS)),
        calls(plan("c5", *((step, "completed") for step, _ in STEPS))),
        says("done"),
    )
    with ResponsesServer(*script) as server:
        place = AgentPlace(tmp_path, server.url)
        (place.repo / "log").write_text("old\n")
        code, found = told(place, "-s", "workspace-write", "work")
        repo = str(place.repo)
    changes = [{"path": f"{repo}/new.txt", "kind": "add"}, {"path": f"{repo}/log", "kind": "update"}]
    todo: dict[str, Any] = {"type": "todo_list", "items": [{"text": "read", "completed": True}]}
    first, second = ([*todo["items"], {"text": "mend", "completed": done}] for done in (False, True))
    assert code == 0
    assert found == [
        *ran(0, "/bin/bash -c 'echo hi'", "hi\n", 0),
        *ran(1, "sh -c 'echo no; exit 3'", "no\n", 3),
        started(2, type="file_change", changes=changes, status="in_progress"),
        completed(2, type="file_change", changes=changes, status="completed"),
        started(3, type="todo_list", items=first),
        {"type": "item.updated", "item": {"id": "item_3", "type": "todo_list", "items": second}},
        completed(4, type="agent_message", text="done"),
        completed(3, type="todo_list", items=second),
        {"type": "turn.completed", "usage": used(6)},
    ]


@pytest.mark.parametrize("form", ["exec_command", "shell"])
def test_a_command_that_is_refused_is_declined_and_the_exit_code_says_so(tmp_path: Path, form: str) -> None:
    wanted = command("touch x", "c1", login=False) if form == "exec_command" else None
    shell = function_call("shell", {"command": ["/bin/bash", "-c", "touch x"]}, "c1")
    with ResponsesServer(calls(wanted or shell), says("sorry")) as server:
        place = AgentPlace(tmp_path, server.url)
        code, found = told(place, "-a", "untrusted", "work")
        assert not (place.repo / "x").exists()
    assessed, *rest = found
    assert (assessed["item"]["type"], assessed["item"]["status"]) == ("sandbox_assessment", "static")
    item = {
        "type": "command_execution",
        "command": "/bin/bash -c 'touch x'",
        "aggregated_output": "",
        "exit_code": None,
    }
    begun, ended = rest[:2]
    assert begun == started(1, **item, status="in_progress")
    why = ended["item"].pop("error")["message"]
    assert why.startswith("no reviewer is attached: nobody is at a terminal and no --answer is left")
    assert ended == completed(1, **item, status="declined")
    assert found[-1] == {"type": "turn.completed", "usage": used(2)}
    assert code == 77


def test_a_tool_of_a_server_tells_what_it_was_called_with_and_what_it_said(tmp_path: Path) -> None:
    settings = {
        "mcp_servers.stage.command": json.dumps(sys.executable),
        "mcp_servers.stage.args": json.dumps([STAGE, "stdio"]),
        "mcp_servers.stage.default_tools_approval_mode": '"approve"',
        "mcp_servers.stage.startup_timeout_sec": "60",
    }
    words = [word for key, value in settings.items() for word in ("-c", f"{key}={value}")]
    both = (function_call("mcp__stage__echo", {"text": "hi"}, "c1"), function_call("mcp__stage__fails", {}, "c2"))
    with ResponsesServer(calls(both[0]), calls(both[1]), says("done")) as server:
        code, found = told(AgentPlace(tmp_path, server.url), *words, "work")
        seen = [item["output"] for item in server.asked[-1].body["input"] if "output" in item]
    assert code == 0, found
    items = [each["item"] for each in found if each.get("item", {}).get("type") == "mcp_tool_call"]
    called = {"id": "item_0", "type": "mcp_tool_call", "server": "stage", "tool": "echo", "arguments": {"text": "hi"}}
    assert items[0] == {**called, "status": "in_progress"}
    assert items[1] == {
        **called,
        "status": "completed",
        "result": {"content": [{"type": "text", "text": "hi"}], "structured_content": None},
    }
    assert (items[3]["tool"], items[3]["status"], items[3]["id"]) == ("fails", "failed", "item_1")
    assert seen[0] == "hi"


def test_a_turn_that_fails_has_one_error_and_one_end(tmp_path: Path) -> None:
    """Required: a refused request is not asked again, and its words reach who reads the stream."""
    with ResponsesServer(refuses(400, '{"error":{"message":"no such tool"}}')) as server:
        code, found = told(AgentPlace(tmp_path, server.url), "work")
        assert len(server.asked) == 1
    error, failed = found
    assert "no such tool" in error["message"]
    assert (error["type"], failed) == ("error", {"type": "turn.failed", "error": {"message": error["message"]}})
    assert code == 1


def test_a_session_that_goes_on_counts_on_in_the_same_file(tmp_path: Path) -> None:
    """Required: usage is of the thread, also after a resume."""
    with ResponsesServer(calls(command("echo one")), says("done"), says("again")) as server:
        place = AgentPlace(tmp_path, server.url)
        _, first = told(place, "work")
        (path,) = place.transcripts()
        code, second = told(place, "resume", "--last", "more")
        assert place.transcripts() == [path]
    assert (first[-1]["usage"], second[-1]["usage"], code) == (used(2), used(3), 0)
    kinds = [each["type"] for each in read_transcript(str(path)).initial_messages()]
    assert kinds.count("task_complete") == 2


def test_an_ephemeral_session_leaves_no_transcript_and_no_row(tmp_path: Path) -> None:
    with ResponsesServer(says("hello")) as server:
        place = AgentPlace(tmp_path, server.url)
        assert place.run("--ephemeral", "hi")[:2] == (0, "hello\n")
        assert place.transcripts() == []
        assert place.run("resume", "--last", "more")[0] == 2


def test_a_schema_reaches_the_provider_for_this_turn_alone_and_the_last_words_a_file(tmp_path: Path) -> None:
    with ResponsesServer(says('{"n": 1}'), says("freely")) as server:
        place = AgentPlace(tmp_path, server.url)
        schema, last = tmp_path / "schema.json", tmp_path / "last.json"
        schema.write_text('{"type": "object"}')
        assert place.run("--output-schema", str(schema), "-o", str(last), "count")[:2] == (0, '{"n": 1}\n')
        assert last.read_bytes() == b'{"n": 1}'
        place.run("resume", "--last", "and now?")
        wanted = {"type": "json_schema", "strict": True, "schema": {"type": "object"}, "name": "codex_output_schema"}
        assert [asked.body.get("text") for asked in server.asked] == [{"format": wanted}, None]
        schema.write_text("{")
        assert place.run("--output-schema", str(schema), "count")[0] == 2
        assert len(server.asked) == 2


@pytest.mark.parametrize(
    ("argument", "stdin", "heard"),
    [
        ((), b"fix it", "fix it"),
        (("-",), b"fix it", "fix it"),
        (("fix this",), b"Traceback\n", "fix this\n\n<stdin>\nTraceback\n</stdin>"),
        (("fix this",), b"", "fix this"),
        ((), b" \n", None),
    ],
)
def test_what_is_piped_in_is_the_prompt_or_material_for_it(
    tmp_path: Path, argument: tuple[str, ...], stdin: bytes, heard: str | None
) -> None:
    with ResponsesServer(says("ok")) as server:
        place = AgentPlace(tmp_path, server.url)
        settings = [f"model_providers.test.base_url={server.url}", "model_provider=test", "model=m"]
        done = subprocess.run(
            [*PROGRAM, "agent", *(word for each in settings for word in ("-c", each)), *argument],
            cwd=place.repo,
            env=place.env,
            input=stdin,
            capture_output=True,
            timeout=WAIT_SECONDS,
            check=False,
        )
        assert done.returncode == (2 if heard is None else 0), done.stderr
        said = [item["content"][-1]["text"] for asked in server.asked for item in asked.body["input"][-1:]]
    assert said == ([] if heard is None else [heard])


def test_outside_of_a_repository_nothing_is_asked(tmp_path: Path) -> None:
    with ResponsesServer(says("ok")) as server:
        place = AgentPlace(tmp_path, server.url)
        (place.repo / ".git").rmdir()
        code, out, err = place.run("hi")
        assert (code, out, server.asked) == (2, "", [])
        assert "--skip-git-repo-check" in err
        assert place.run("--skip-git-repo-check", "hi")[:2] == (0, "ok\n")


def test_a_retry_within_a_turn_is_told_and_is_no_failure(tmp_path: Path) -> None:
    broken = sends(*turn(command("echo one >> log", "c1"))[:-1])
    with ResponsesServer(broken, sends(*turn(message("done")))) as server:
        place = AgentPlace(tmp_path, server.url)
        code, found = told(place, "-s", "workspace-write", "work")
        assert place.lines() == ["one"]
        given = server.asked[1].body["input"]
        assert [item["type"] for item in given[-2:]] == ["function_call", "function_call_output"]
    errors = [each["item"]["message"] for each in found if each.get("item", {}).get("type") == "error"]
    assert (errors, code) == (["Reconnecting... 1/5"], 0)
    assert found[-1]["type"] == "turn.completed"
