"""`sandgate agent` from the command line to the exit code, with a session that tells a story."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from sandgate.agent.options import AgentOptions
from sandgate.errors import MissingKey
from sandgate.protocol import events as told
from sandgate.protocol.operations import LocalImageInput, Shutdown, TextInput, Undo, UserInput
from support.agent.agent_double import Stage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Program = Any

BEGIN = told.ExecCommandBegin("c1", "turn-1", ("make",), "/repo")
END = told.ExecCommandEnd("c1", "turn-1", ("make",), "/repo", "boom\n", 2, 1500, "", "failed")
COMPLETE = told.TaskComplete("turn-1", 2, 5, "all done")


@pytest.fixture(autouse=True)
def _in_a_repository(program: Program) -> None:
    (program.repo / ".git").mkdir()


def test_the_last_message_goes_to_stdout_and_everything_else_to_stderr(program: Program, stage: Stage) -> None:
    stage.story = (BEGIN, END, told.AgentMessage("all done"), COMPLETE)
    assert program("agent", "build it") == 0
    assert program.out == "all done\n"
    assert "[1] $ make  (in /repo)\n" not in program.out
    assert "[1] exit 2, 1.5 s\n  | boom\n" in program.err
    assert stage.asked == UserInput((TextInput("build it"),))


def test_the_session_is_ended_after_its_turn(program: Program, stage: Stage) -> None:
    stage.story = (COMPLETE,)
    program("agent", "x")
    assert stage.sessions[0][2].submitted[1:] == [Shutdown()]


def test_json_is_one_event_a_line_and_nothing_else(program: Program, stage: Stage) -> None:
    stage.story = (BEGIN, END, told.AgentMessage("all\x7f done"), COMPLETE)
    assert program("agent", "--json", "x") == 0
    lines = [json.loads(line) for line in program.out.splitlines()]
    assert [line["type"] for line in lines] == [
        "thread.started",
        "turn.started",
        "item.started",
        "item.completed",
        "item.completed",
        "turn.completed",
    ]
    assert lines[0]["thread_id"] == "0192-session"
    assert "\x7f" not in program.out
    assert program.err == ""


def test_the_options_reach_the_session(program: Program, stage: Stage, tmp_path: Path) -> None:
    stage.story = (told.AgentMessage("{}"), told.TaskComplete("turn-1", 2, 5, "{}"))
    script, picture, schema = tmp_path / "s.json", tmp_path / "p.png", tmp_path / "schema.json"
    for file, text in ((script, "[]"), (picture, "png"), (schema, '{"type": "object"}')):
        file.write_text(text)
    arguments = ("-m", "gpt", "--model-script", str(script), "--ephemeral", "-i", str(picture))
    assert program("agent", *arguments, "--output-schema", str(schema), "-s", "read-only", "-c", "a=b", "look") == 0
    assert stage.options == AgentOptions(model="gpt", model_script=str(script), ephemeral=True)
    assert stage.asked == UserInput((TextInput("look"), LocalImageInput(str(picture))), {"type": "object"})
    environment = stage.sessions[0][0]
    assert (environment.cwd, environment.overrides) == (str(program.repo), ("a=b",))
    assert environment.typed.sandbox_mode == "read-only"


@pytest.mark.parametrize(
    ("message", "code"), [('{"tests": 1}', 0), ("3", 0), ("I think it is 3", 1), ("[" * 100_000, 1), ("", 1), (None, 1)]
)
@pytest.mark.parametrize("as_events", [False, True])
def test_a_last_message_that_is_no_json_fails_where_a_schema_asks_for_it(
    program: Program, stage: Stage, tmp_path: Path, message: str | None, code: int, as_events: bool
) -> None:
    """Our choice: a script must not take words for data; the schema itself is the provider's to hold."""
    stage.story = (told.TaskComplete("turn-1", 2, 5, message),)
    schema, last = tmp_path / "schema.json", tmp_path / "last"
    schema.write_text("{}")
    options = ("--output-schema", str(schema), "-o", str(last), *(("--json",) if as_events else ()))
    assert program("agent", *options, "look") == code
    assert ("is not JSON" in program.err) == (code != 0)
    assert last.read_text() == (message or ""), "it is kept all the same"
    if as_events:
        kinds = [json.loads(line)["type"] for line in program.out.splitlines()]
        assert kinds[-1] == ("error" if code else "turn.completed")
    assert program("agent", "look") == 0, "nobody asked for JSON"


@pytest.mark.parametrize(
    ("arguments", "resume", "before"),
    [
        (("resume", "--last", "go on"), "last", None),
        (("resume", "0192", "go on"), "0192", None),
        (("fork", "0192", "--before", "3", "go on"), "0192", 3),
        (("fork", "--last", "--before", "0", "go on"), "last", 0),
    ],
)
def test_an_earlier_session_goes_on(
    program: Program, stage: Stage, arguments: tuple[str, ...], resume: str, before: int | None
) -> None:
    stage.story = (COMPLETE,)
    assert program("agent", *arguments) == 0
    assert (stage.options.resume, stage.options.fork_before) == (resume, before)
    assert stage.asked == UserInput((TextInput("go on"),))


@pytest.mark.parametrize(("success", "code"), [(True, 0), (False, 1)])
def test_the_last_turn_is_taken_back_without_a_model(program: Program, stage: Stage, success: bool, code: int) -> None:
    stage.story = (told.UndoCompleted(success, "as it is"), told.TaskComplete("turn-1", 2, 5, None))
    assert program("agent", "undo", "--last") == code
    assert (stage.options, stage.asked) == (AgentOptions(resume="last", unasked=True), Undo())
    assert program.out == ""
    assert f"undo: {'done' if success else 'failed'}" in program.err
    assert "without a word" not in program.err


NO = told.ApprovalResolved("a1", "c1", "denied", "none")
ABORT = told.ApprovalResolved("a1", "c1", "abort", "user")


@pytest.mark.parametrize(
    ("story", "code"),
    [
        ((COMPLETE,), 0),
        ((BEGIN, END, COMPLETE), 0),
        ((told.Failed("no model", "model_error"),), 1),
        ((told.Failed("used up", "usage_limit_reached"),), 124),
        ((told.TurnAborted("turn-1", "budget_limited"),), 124),
        ((NO, COMPLETE), 77),
        ((ABORT, told.TurnAborted("turn-1", "interrupted")), 77),
        ((told.TurnAborted("turn-1", "interrupted"),), 130),
        ((told.ShutdownComplete(),), 125),
    ],
)
def test_each_way_a_turn_ends_has_its_code(program: Program, stage: Stage, story: tuple[Any, ...], code: int) -> None:
    """Required: scripts can tell success, failure, refusal, a limit and an interruption apart."""
    stage.story = story
    assert program("agent", "x") == code


def test_what_cannot_start_is_an_event_too(program: Program, stage: Stage) -> None:
    stage.failure = MissingKey("Missing environment variable: `KEY`.")
    assert program("agent", "--json", "x") == 78
    assert json.loads(program.out) == {"type": "error", "message": "Missing environment variable: `KEY`."}
    assert "Missing environment variable" in program.err


def test_outside_of_a_repository_nothing_starts_unless_told_to(program: Program, stage: Stage) -> None:
    (program.repo / ".git").rmdir()
    stage.story = (COMPLETE,)
    assert program("agent", "x") == 2
    assert "Not inside a trusted directory and --skip-git-repo-check was not specified." in program.err
    assert stage.sessions == []
    assert program("agent", "--skip-git-repo-check", "x") == 0


def test_a_trusted_directory_needs_no_repository(program: Program, stage: Stage) -> None:
    (program.repo / ".git").rmdir()
    stage.story = (COMPLETE,)
    assert program("agent", "-c", f'projects."{program.repo}".trust_level="trusted"', "x") == 0


def test_without_a_person_or_answers_nobody_is_asked(program: Program, stage: Stage) -> None:
    stage.story = (COMPLETE,)
    program("agent", "x")
    environment, _, _, asking = stage.sessions[0]
    assert asking == {"answers": (), "ask": False}
    assert environment.person_present is False


def test_a_person_at_the_terminal_is_asked_unless_answers_are_prepared(
    program: Program, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage.story = (COMPLETE,)
    monkeypatch.setattr(os, "isatty", lambda descriptor: descriptor == 2)
    program("agent", "x")
    program("agent", "--answer", "deny", "x")
    assert [session[3]["ask"] for session in stage.sessions] == [True, False]
    assert [session[0].person_present for session in stage.sessions] == [True, True]


def test_prepared_answers_reach_the_session_in_their_order(program: Program, stage: Stage) -> None:
    stage.story = (COMPLETE,)
    program("agent", "--answer", "approve", "--answer", "approve-session", "x")
    assert stage.sessions[0][3]["answers"] == ("approve", "approve-session")


def test_the_last_message_is_written_without_a_line_end(program: Program, stage: Stage) -> None:
    stage.story = (COMPLETE,)
    file = program.repo / "last.md"
    file.write_text("something longer than what comes now")
    assert program("agent", "-o", str(file), "x") == 0
    assert file.read_bytes() == b"all done"


def test_without_a_last_message_the_file_is_empty_and_that_is_said(program: Program, stage: Stage) -> None:
    stage.story = (told.Failed("no"),)
    file = program.repo / "last.md"
    assert program("agent", "-o", str(file), "x") == 1
    assert file.read_bytes() == b""
    assert "there is no last message" in program.err


def test_a_model_cannot_paint_the_terminal_with_its_last_message(
    program: Program, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage.story = (told.TaskComplete("turn-1", 1, 1, "done\x1b[2J\n\tindented"),)
    program("agent", "x")
    assert program.out == "done\x1b[2J\n\tindented\n"
    monkeypatch.setattr(os, "isatty", lambda descriptor: descriptor == 1)
    program("agent", "x")
    assert program.out == "done\\x1b[2J\n        indented\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("",), "the argument is blank"),
        ((), "standard input is blank"),
        (("resume",), "which session"),
        (("resume", "go on"), "sandgate agent resume SESSION PROMPT, or resume --last PROMPT"),
        (("resume", "--last", "id", "prompt"), "contradict"),
        (("fork", "id", "--before", "-1", "p"), "no number"),
        (("resume", "id", "--before", "1", "p"), "belongs to `fork`"),
        (("--last", "p"), "belongs to `resume`"),
        (("--ephemeral", "resume", "--last", "p"), "keeps nothing"),
        (("--ephemeral", "fork", "--last", "p"), "keeps nothing"),
        (("undo",), "which session"),
        (("undo", "id", "and more"), "does not take"),
        (("undo", "--last", "more"), "says nothing"),
        (("undo", "id", "--before", "1"), "belongs to `fork`"),
        (("--output-schema", "/nowhere", "p"), "cannot read the schema"),
        (("-i", "/nowhere", "p"), "no picture"),
        (("--model-script", "/nowhere", "p"), "no model script"),
        (("-o", "/nowhere/at/all", "p"), "cannot write"),
    ],
)
def test_bad_usage_is_said_before_anything_starts(
    program: Program, stage: Stage, arguments: tuple[str, ...], says: str
) -> None:
    assert program("agent", *arguments) == 2
    assert says in program.err
    assert stage.sessions == []


def test_a_turn_without_a_word_is_said_to_be_one(program: Program, stage: Stage) -> None:
    stage.story = (told.TaskComplete("turn-1", 2, 5, None),)
    assert program("agent", "x") == 0
    assert (program.out, "the model ended the turn without a word" in program.err) == ("", True)
