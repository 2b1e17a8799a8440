"""The commands of a session as events: above all, when an end is told, and with which words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from sandgate.agent import command_events
from sandgate.agent.command_events import CommandEvents
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.events import ExecCommandBegin, ExecCommandContinues, ExecCommandEnd, TerminalInteraction
from sandgate.protocol.trace import TerminalBegan, TerminalEnded, TerminalInput
from sandgate.tools.calls import ToolOutput

if TYPE_CHECKING:
    from sandgate.protocol.events import EventMessage

BEGAN = TerminalBegan("c", 7, CommandRequest(("echo", "hi"), "/repo", {}), False)
ENDED = TerminalEnded("c", 7, 0, b"hi\n", 0, 1, 0, 5, "completed")
READ_END = ToolOutput("Process exited with code 0", success=True, structured={"exit_code": 0})
READ_ON = ToolOutput("Process running", success=True, structured={"session_id": 7})


class Watched:
    def __init__(self) -> None:
        self.told: list[EventMessage] = []
        self.commands = CommandEvents(lambda _call, message: self.told.append(message), lambda _call: "turn")

    def take(self, *records: Any) -> list[type]:
        for record in records:
            self.commands.take(record)
        return [type(message) for message in self.told]

    @property
    def end(self) -> ExecCommandEnd:
        (found,) = [message for message in self.told if isinstance(message, ExecCommandEnd)]
        return found


def test_an_end_is_told_with_the_answer_that_tells_it_to_the_model() -> None:
    """Required: what the model read, whichever comes first."""
    desk = Watched()
    desk.commands.reads("c")
    assert desk.take(BEGAN, ENDED) == [ExecCommandBegin]
    desk.commands.has_read("c", READ_END)
    assert (desk.end.formatted_output, desk.end.aggregated_output) == (READ_END.text, "hi\n")

    late = Watched()
    late.commands.reads("c")
    late.take(BEGAN)
    late.commands.has_read("c", READ_END)
    late.take(ENDED)
    assert late.end == desk.end


def test_an_end_that_no_answer_tells_is_told_at_once_with_the_output() -> None:
    desk = Watched()
    desk.take(BEGAN, ENDED)
    assert desk.end.formatted_output == "hi\n"


def test_an_end_is_told_also_where_the_answer_never_comes() -> None:
    desk = Watched()
    desk.commands.reads("c")
    desk.take(BEGAN, ENDED)
    desk.commands.has_read("c", None)
    assert desk.end.formatted_output == "hi\n"


def test_a_command_that_lives_on_is_found_by_its_number_until_it_ends() -> None:
    desk = Watched()
    desk.commands.reads("c")
    desk.take(BEGAN)
    desk.commands.has_read("c", READ_ON)
    assert desk.told[-1] == ExecCommandContinues("c", "turn", "7", "Process running")
    assert desk.commands.call_of(7) == "c"
    desk.take(TerminalInput("c", 7, "y\n"))
    assert desk.told[-1] == TerminalInteraction("c", "turn", "7", "y\n")
    desk.take(ENDED)
    assert desk.commands.call_of(7) == ""


def test_the_end_waits_for_all_who_read_the_command() -> None:
    desk = Watched()
    desk.take(BEGAN)
    desk.commands.reads("c")
    desk.commands.reads("c")
    desk.take(ENDED)
    desk.commands.has_read("c", READ_END)
    desk.commands.has_read("c", READ_ON)
    assert desk.end.formatted_output == READ_END.text


def test_what_never_ran_says_why() -> None:
    desk = Watched()
    desk.commands.over("c", BEGAN.command, "no such directory")
    assert (desk.end.error, desk.end.status, desk.end.exit_code) == ("no such directory", "failed", -1)


def test_a_long_output_is_told_with_its_two_ends_and_how_much_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command_events, "OUTPUT_BYTES_MAX", 10)
    desk = Watched()
    desk.take(BEGAN, ENDED.but(output=b"a" * 8 + b"b" * 8, omitted_bytes=4))
    assert desk.end.aggregated_output == "aaaaa\n... 10 bytes omitted ...\nbbbbb"
