"""`sandgate agent` that is stopped, started twice, or finds its transcript damaged; as processes."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sandgate.session.transcript_reader import read_transcript
from support.agent.agent_places import AgentPlace, calls, command
from support.model.responses_server import ResponsesServer, function_call, message, says, stays_silent
from support.process.program import WAIT_SECONDS
from support.process.waiting import LIMIT_S

pytestmark = [pytest.mark.host("namespace", "notify"), pytest.mark.slow]

LONG = "echo begun > started; exec sleep 987"
IN_TIME_S = 15.0  # for an interrupted turn to end: two seconds for its tools, the rest for a busy machine


def appears(path: Path) -> None:
    deadline = time.monotonic() + LIMIT_S
    while not path.exists():
        assert time.monotonic() < deadline, f"{path} never came"
        time.sleep(0.01)  # another process makes it, and nothing tells us


def sleeping(marker: str) -> list[int]:
    """Processes with that command line."""
    found = []
    for entry in os.listdir("/proc"):
        try:
            words = Path("/proc", entry, "cmdline").read_bytes().split(b"\0") if entry.isdigit() else []
        except OSError:
            continue
        if words[:2] == [b"sleep", marker.encode()]:
            found.append(int(entry))
    return found


def outputs(body: dict[str, Any]) -> list[str]:
    return [item["output"] for item in body["input"] if item["type"] == "function_call_output"]


def words(body: dict[str, Any]) -> list[str]:
    return [part["text"] for item in body["input"] if item.get("role") == "user" for part in item["content"]]


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    yield tmp_path
    assert sleeping("987") == []


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_during_a_command_ends_it_and_the_next_turn_knows(folder: Path, number: int, code: int) -> None:
    """Required: nothing is left running, and the model hears what became of its call."""
    with ResponsesServer(calls(command(LONG)), says("I see")) as server:
        place = AgentPlace(folder, server.url)
        with place.start("work") as process:
            appears(place.repo / "started")
            began = time.monotonic()
            process.send_signal(number)
            _, err = process.communicate(timeout=WAIT_SECONDS)
            assert time.monotonic() - began < IN_TIME_S
        assert process.returncode == code
        goes_on = f"sandgate: interrupted; it goes on with: sandgate agent resume {place.session_id} PROMPT\n"
        assert err.endswith(goes_on.encode())
        assert sleeping("987") == []
        kept = read_transcript(str(place.transcript))
        assert kept.initial_messages()[-1]["type"] == "turn_aborted"
        assert place.run("resume", "--last", "and now?")[:2] == (0, "I see\n")
        asked = server.asked[-1].body
        assert [output.split(" after ")[0] for output in outputs(asked)] == ["aborted by user"]
        assert sum(text.startswith("<turn_aborted>") for text in words(asked)) == 1


def test_a_provider_that_says_nothing_can_be_interrupted(folder: Path) -> None:
    with ResponsesServer(stays_silent, says("back")) as server:
        place = AgentPlace(folder, server.url)
        with place.start("work") as process:
            connection = server.connection()
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=WAIT_SECONDS)
        assert process.returncode == 130
        assert connection.gone.wait(LIMIT_S)
        assert place.run("resume", "--last", "again")[:2] == (0, "back\n")


def test_a_session_goes_on_in_one_process_at_a_time(folder: Path) -> None:
    with ResponsesServer(calls(command(LONG)), says("never")) as server:
        place = AgentPlace(folder, server.url)
        with place.start("work") as first:
            appears(place.repo / "started")
            before = place.transcript.read_bytes()
            code, out, err = place.run("resume", place.session_id, "me too")
            assert (code, out) == (2, "")
            assert str(first.pid) in err
            assert "in use" in err
            assert place.transcript.read_bytes() == before
            first.send_signal(signal.SIGINT)
            first.communicate(timeout=WAIT_SECONDS)
        assert len(server.asked) == 1


def test_a_missing_key_is_one_line_and_leaves_no_session_and_the_last_one_usable(folder: Path) -> None:
    with ResponsesServer(says("hello")) as server:
        place = AgentPlace(folder, server.url)
        code, _, err = place.run("-c", "model_providers.test.env_key=NO_SUCH_KEY", "work")
        assert code == 78
        assert sum("NO_SUCH_KEY" in line for line in err.splitlines()) == 1
        assert (server.asked, place.transcripts()) == ([], [])
        assert place.run("work")[:2] == (0, "hello\n")
        before = place.transcript.read_bytes()
        without = ("-c", "model_providers.test.env_key=NO_SUCH_KEY", "resume", "--last", "go on")
        assert place.run(*without)[0] == 78
        assert place.transcript.read_bytes() == before


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda data: data + b'{"timestamp":"2026-01-01T00:00:00.000Z","ord', id="torn last line"),
        pytest.param(lambda data: data.replace(b"\n", b"\n\x00\xff{garbage}\n\n", 3), id="garbage between lines"),
        pytest.param(
            lambda data: data + b'{"timestamp":"x","type":"from_the_future","payload":{}}\n', id="unknown type"
        ),
    ],
)
def test_a_damaged_transcript_goes_on_with_all_that_is_whole(folder: Path, damage: Any) -> None:
    with ResponsesServer(says("hello"), says("still here")) as server:
        place = AgentPlace(folder, server.url)
        assert place.run("first words")[0] == 0
        damaged = damage(place.transcript.read_bytes())
        place.transcript.write_bytes(damaged)
        code, out, err = place.run("resume", "--last", "second words")
        assert (code, out) == (0, "still here\n"), err
        asked = server.asked[-1].body["input"]
        assert [text for text in words({"input": asked}) if not text.startswith("<")] == ["first words", "second words"]
        assert {"type": "message", "role": "assistant", "content": message("hello")["content"]} in asked
        assert place.transcript.read_bytes().startswith(damaged)
        assert [item.content[0].text for item in read_transcript(str(place.transcript)).items][-1] == "still here"  # type: ignore[union-attr, index]


def test_a_transcript_of_a_later_version_is_refused_and_left_alone(folder: Path) -> None:
    with ResponsesServer(says("hello")) as server:
        place = AgentPlace(folder, server.url)
        place.run("work")
        session = place.session_id
        place.transcript.write_bytes(place.transcript.read_bytes().replace(b'"version":"1.0"', b'"version":"2.0"'))
        before = place.transcript.read_bytes()
        code, out, err = place.run("resume", session, "go on")
        assert code != 0
        assert out == ""
        assert "its version is `2.0`" in err
        assert place.transcript.read_bytes() == before
        assert len(server.asked) == 1


def test_the_last_session_is_the_persons_own_and_not_that_of_a_sub_agent(folder: Path) -> None:
    delegate = calls(function_call("delegate", {"prompt": "look around"}))
    with ResponsesServer(delegate, says("I looked"), says("it looked"), says("mine")) as server:
        place = AgentPlace(folder, server.url)
        assert place.run("work")[:2] == (0, "it looked\n")
        assert len(place.transcripts()) == 2
        assert place.run("resume", "--last", "go on")[:2] == (0, "mine\n")
        assert "work" in words(server.asked[-1].body)


def test_the_last_turn_is_taken_back_by_the_program_without_a_key_and_not_over_what_was_written_since(
    folder: Path,
) -> None:
    patch = "*** Begin Patch\n*** Add File: made\n+hello\n*** End Patch\n"
    with ResponsesServer(calls(function_call("apply_patch", {"input": patch})), says("done")) as server:
        place = AgentPlace(folder, server.url)
        assert place.run("work")[0] == 0
        made = place.repo / "made"
        without = ("-c", "model_providers.test.env_key=NO_SUCH_KEY", "undo", "--last")
        made.write_text("by hand\n")
        code, out, err = place.run(*without)
        assert (code, out, made.read_text()) == (1, "", "by hand\n")
        assert "undo: failed" in err
        code, out, _err = place.run("--json", *without)
        assert (code, '"type": "error"' in out) == (1, True)
        made.write_text("hello\n")
        code, out, err = place.run(*without)
        assert (code, out, made.exists()) == (0, "", False)
        assert "undo: done" in err
        assert place.run(*without)[0] == 1
        assert len(server.asked) == 2


def test_a_turn_that_failed_is_not_told_as_cut_off(folder: Path) -> None:
    from support.model.responses_server import refuses

    with ResponsesServer(refuses(400, "no"), says("fine")) as server:
        place = AgentPlace(folder, server.url)
        assert place.run("work")[0] == 1
        assert place.run("resume", "--last", "again")[0] == 0
        assert not any(text.startswith("<turn_aborted>") for text in words(server.asked[-1].body))
