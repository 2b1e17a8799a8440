"""What was recorded is said again, and only to who asks the same."""

from __future__ import annotations

import json
import os
from contextlib import aclosing

import pytest

from sandgate.errors import ContextWindowExceeded, ModelFailed, RequestError, StreamBroken
from sandgate.model import replay
from sandgate.model.replay import RecordingModel, ReplayingModel, first_difference
from sandgate.model.scripted import ScriptedModel
from sandgate.model.streaming import Created, ItemDone
from sandgate.protocol.items import FunctionCallOutput, Message, OutputText, user_message
from support.model.answering import ASKING, SETTINGS, heard, heard_until_error
from support.model.answering import PROMPT as QUESTION
from support.model.responses_server import function_call, message
from support.process.loops import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from pathlib import Path

    from sandgate.errors import ModelError
    from sandgate.model.prompt import Asking, Prompt
    from sandgate.model.streaming import ModelEvent

TOOL = {"type": "function", "name": "run", "parameters": {"required": ("cmd",)}}
PROMPT = QUESTION.but(tools=(TOOL,))
NEXT = PROMPT.but(input=(*PROMPT.input, FunctionCallOutput("a", "one two three")))


@pytest.fixture
def scripted(tmp_path: Path) -> ScriptedModel:
    path = tmp_path / "script"
    path.write_text(json.dumps([function_call("run", {}, "a")]) + "\n" + json.dumps([message("hi")]) + "\n")
    return ScriptedModel(str(path), SETTINGS)


class Failing:
    """A model that begins and then fails."""

    settings = SETTINGS

    def __init__(self, error: ModelError) -> None:
        self._error = error

    async def stream(self, prompt: Prompt, asking: Asking) -> AsyncGenerator[ModelEvent, None]:
        del prompt, asking
        yield Created("r")
        raise self._error

    async def close(self) -> None:
        return


def test_a_recording_is_replayed_word_for_word(tmp_path: Path, scripted: ScriptedModel) -> None:
    path = str(tmp_path / "recording")
    recording = RecordingModel(scripted, path)
    said = [run(heard(recording, PROMPT)), run(heard(recording, NEXT))]
    replaying = ReplayingModel(path, SETTINGS)
    assert [run(heard(replaying, PROMPT)), run(heard(replaying, NEXT))] == said
    assert os.stat(path).st_mode & 0o777 == 0o600
    events, error = run(heard_until_error(replaying, PROMPT))
    assert (events, type(error)) == ([], ModelFailed)
    assert "2 requests and no more" in str(error)


def test_a_request_that_differs_is_named_where_it_does(tmp_path: Path, scripted: ScriptedModel) -> None:
    path = str(tmp_path / "recording")
    recording = RecordingModel(scripted, path)
    run(heard(recording, PROMPT))
    run(heard(recording, NEXT))
    replaying = ReplayingModel(path, SETTINGS)
    run(heard(replaying, PROMPT))
    other = PROMPT.but(input=(*PROMPT.input, FunctionCallOutput("a", "one two four")))
    events, error = run(heard_until_error(replaying, other))
    assert (events, type(error)) == ([], ModelFailed)
    assert str(error) == (
        f'request 2 is not the recorded one of `{path}`: `input[1].output` is "one two four", and was "one two three"'
    )


@pytest.mark.parametrize(
    ("recorded", "asked", "words"),
    [
        ({"a": 1}, {"a": 1}, ""),
        ({"a": 1}, {}, "`a` is only in the recorded request"),
        ({}, {"a": {"b": 1}}, "`a` is only in the new request"),
        ({"a": [1]}, {"a": [1, 2]}, "`a` has 2 entries, not 1"),
        ({"a": [{"b": 1}]}, {"a": [{"b": True}]}, "`a[0].b` is true, and was 1"),
        ({"a": "x" * 99 + "1\x1b"}, {"a": "x" * 99 + "2"}, f'`a` is {"x" * 20}2", and was {"x" * 20}1\\u001b"'),
        ({"a": None}, {"a": []}, "`a` is [], and was null"),
    ],
)  # fmt: skip
def test_the_first_difference_is_found(recorded: object, asked: object, words: str) -> None:
    assert first_difference(recorded, asked) == words


@pytest.mark.parametrize("error", [StreamBroken("cut", why="y", retry_after_ms=7), ContextWindowExceeded("full")])
def test_what_went_wrong_goes_wrong_again(tmp_path: Path, error: ModelError) -> None:
    path = str(tmp_path / "recording")
    run(heard_until_error(RecordingModel(Failing(error), path), PROMPT))
    events, again = run(heard_until_error(ReplayingModel(path, SETTINGS), PROMPT))
    assert events == [Created("r")]
    assert again is not None
    assert (type(again), vars(again)) == (type(error), vars(error))


def test_requests_are_replayed_in_the_order_in_which_they_were_placed(tmp_path: Path, scripted: ScriptedModel) -> None:
    """Answers may end in another order, and several sessions may be recorded one after the other."""
    path = str(tmp_path / "recording")

    async def overlapping(recording: RecordingModel) -> None:
        async with aclosing(recording.stream(PROMPT, ASKING)) as first:
            await anext(first)
            await heard(recording, NEXT)
            async for _ in first:
                pass

    run(overlapping(RecordingModel(scripted, path)))
    third = PROMPT.but(input=(user_message("third"),))
    run(heard_until_error(RecordingModel(Failing(StreamBroken("cut")), path), third))
    replaying = ReplayingModel(path, SETTINGS)
    assert len(run(heard(replaying, PROMPT))) == 3
    assert ItemDone(Message("assistant", (OutputText("hi"),))) in run(heard(replaying, NEXT))
    assert isinstance(run(heard_until_error(replaying, third))[1], StreamBroken)


def test_requests_of_sub_agents_that_work_side_by_side_may_come_in_another_order(
    tmp_path: Path, scripted: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Required: which of two asks first is chance. The same request asked twice gets its answers in their order."""
    path = str(tmp_path / "recording")
    recording = RecordingModel(scripted, path)
    first, second = run(heard(recording, PROMPT)), run(heard(recording, NEXT))
    replaying = ReplayingModel(path, SETTINGS)
    assert [run(heard(replaying, NEXT)), run(heard(replaying, PROMPT))] == [second, first]
    with open(path, "r+") as file:
        again = {**json.loads(file.readline()), "number": 2, "events": []}
        file.seek(0, os.SEEK_END)
        file.write(json.dumps(again))
    replaying = ReplayingModel(path, SETTINGS)
    assert run(heard(replaying, PROMPT)) == first
    assert isinstance(run(heard_until_error(replaying, PROMPT))[1], StreamBroken)
    monkeypatch.setattr(replay, "AHEAD_MAX", 1)
    assert "request 1 is not" in str(run(heard_until_error(ReplayingModel(path, SETTINGS), NEXT))[1])


def test_an_answer_that_nobody_read_to_its_end_is_broken_when_replayed(tmp_path: Path, scripted: ScriptedModel) -> None:
    path = str(tmp_path / "recording")

    async def given_up(recording: RecordingModel) -> None:
        async with aclosing(recording.stream(PROMPT, ASKING)) as events:
            await anext(events)

    run(given_up(RecordingModel(scripted, path)))
    events, error = run(heard_until_error(ReplayingModel(path, SETTINGS), PROMPT))
    assert (events, type(error)) == ([Created("scripted_1")], StreamBroken)


def test_a_recording_is_not_written_through_a_link(tmp_path: Path, scripted: ScriptedModel) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(RequestError, match="cannot be written"):
        RecordingModel(scripted, str(tmp_path / "link"))
    assert not (tmp_path / "elsewhere").exists()


def test_what_a_command_puts_in_the_place_of_a_recording_is_not_written_into(
    tmp_path: Path, scripted: ScriptedModel
) -> None:
    """Required: writing into a pipe that nobody reads would hold the whole session, Ctrl-C included."""
    path, moved = tmp_path / "recording", tmp_path / "moved"
    recording = RecordingModel(scripted, str(path))
    path.rename(moved)
    os.mkfifo(path)
    run(heard(recording, PROMPT))
    assert len(moved.read_text().splitlines()) == 1
    with pytest.raises(RequestError):
        RecordingModel(scripted, str(path))
    with pytest.raises(RequestError, match="regular"):
        RecordingModel(scripted, "/dev/null")


@pytest.mark.parametrize("content", ["x", "3", "{}", '{"run":"a","number":0,"asked":{},"events":[{"type":"x"}]}'])
def test_a_file_that_is_no_recording_is_named_with_its_line(tmp_path: Path, content: str) -> None:
    (tmp_path / "f").write_text(content)
    with pytest.raises(RequestError, match="line 1 is not a recorded request"):
        ReplayingModel(str(tmp_path / "f"), SETTINGS)
    with pytest.raises(RequestError, match="cannot be read"):
        ReplayingModel(str(tmp_path), SETTINGS)
