"""What goes back to a model, word for word, when a call does not work out."""

from __future__ import annotations

import pytest

from sandgate.errors import (
    CommandRefused,
    DirectoryMissing,
    InputNotTaken,
    SandgateError,
    StdinClosed,
    TerminalFailed,
    ToolArgumentsError,
    UnknownTerminal,
    VerificationFailed,
)
from sandgate.terminals.terminal import STDIN_CLOSED
from sandgate.terminals.traffic import NOT_WRITTEN
from sandgate.terminals.waiting import drive
from sandgate.tools.answers import ExecAnswer
from sandgate.tools.calls import ToolOutput, at_once, error_text, guarded, told

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sandgate.terminals.waiting import Steps


@pytest.mark.parametrize(
    ("name", "error", "text"),
    [
        ("write_stdin", UnknownTerminal("Unknown process id 99999"), "write_stdin failed: Unknown process id 99999"),
        ("write_stdin", StdinClosed(STDIN_CLOSED), f"write_stdin failed: {STDIN_CLOSED}"),
        ("write_stdin", InputNotTaken(NOT_WRITTEN, why="it is over"), f"write_stdin failed: {NOT_WRITTEN}"),
        (
            "exec_command",
            DirectoryMissing("cannot enter the directory `/x`", why="it does not exist"),
            "exec_command failed: Failed to create unified exec process: "
            "cannot enter the directory `/x`: it does not exist",
        ),
        (
            "exec_command",
            TerminalFailed("Unified exec process failed: Network access was denied by the Sandgate sandbox."),
            "exec_command failed: Unified exec process failed: Network access was denied by the Sandgate sandbox.",
        ),
        ("exec_command", CommandRefused("exec command rejected by user"), "exec command rejected by user"),
        ("apply_patch", VerificationFailed("apply_patch verification failed: x"), "apply_patch verification failed: x"),
        ("exec_command", ToolArgumentsError("failed to parse function arguments: x"),
         "failed to parse function arguments: x"),
    ],
)  # fmt: skip
def test_an_error_reads_as_models_know_it(name: str, error: SandgateError, text: str) -> None:
    assert error_text(name, error, starts_process=name != "apply_patch") == text


def test_an_answer_is_text_and_facts_and_a_refusal_is_no_success() -> None:
    def answered(answer: ExecAnswer) -> Steps[ExecAnswer]:
        return answer
        yield

    done = drive(told(answered(ExecAnswer(0.5, "hi\n", "abc123", 0, None, 1))))
    assert (done.text.splitlines()[0], done.success) == ("Chunk ID: abc123", True)
    assert done.structured is not None
    assert (done.structured["exit_code"], done.structured["output"]) == (0, "hi\n")
    refused = drive(told(answered(ExecAnswer(0.0, "", refused="no"))))
    assert (refused.text, refused.success) == ("no", False)


def test_an_error_while_waiting_is_an_answer() -> None:
    def failing() -> Steps[ToolOutput]:
        raise UnknownTerminal("Unknown process id 7")
        yield

    assert drive(guarded("write_stdin", failing(), starts_process=True)) == ToolOutput(
        "write_stdin failed: Unknown process id 7", success=False
    )


def test_what_needs_no_waiting_is_there_at_once() -> None:
    assert drive(at_once(ToolOutput("x", success=True))).text == "x"
