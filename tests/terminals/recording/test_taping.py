"""Recordings of live commands: complete, readable, and without what was typed in hiding."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from sandgate.errors import RequestError
from support.terminal.terminal_stage import LIMIT_MS, Stage, sees

SECRET = "correct horse battery staple"


def events(path: Path) -> list[tuple[str, str]]:
    header, *lines = path.read_text().splitlines()
    assert json.loads(header)["version"] == 3
    return [(code, data) for _interval, code, data in map(json.loads, lines)]


def test_a_recording_tells_what_was_shown_typed_resized_and_how_it_ended(stage: Stage, tmp_path: Path) -> None:
    terminal = stage.start("read line; echo got $line; exit 5", tty=True)
    terminal.record(str(tmp_path / "tape.cast"))
    terminal.resize(30, 100)
    terminal.write(b"tea\n")
    sees(terminal, "got tea")
    assert terminal.wait_exit(LIMIT_MS) == 5
    told = events(tmp_path / "tape.cast")
    assert told[0] == ("r", "100x30")
    assert ("i", "tea\n") in told
    assert "got tea" in "".join(data for code, data in told if code == "o")
    assert told[-1] == ("x", "5")
    assert stat.S_IMODE(os.stat(tmp_path / "tape.cast").st_mode) == 0o600


def test_what_is_typed_while_echo_is_off_is_in_no_part_of_it(stage: Stage, tmp_path: Path) -> None:
    terminal = stage.start("stty -echo; echo ready; read line; stty echo; echo got it; read again", tty=True)
    terminal.record(str(tmp_path / "tape.cast"))
    sees(terminal, "ready")
    terminal.write(SECRET.encode() + b"\n")
    offset = sees(terminal, "got it")
    terminal.write(b"open\n")
    sees(terminal, "open", offset=offset)
    terminal.close()
    assert SECRET not in (tmp_path / "tape.cast").read_text()
    assert ("i", "[redacted]") in events(tmp_path / "tape.cast")
    assert ("i", "open\n") in events(tmp_path / "tape.cast")


def test_a_file_that_exists_or_a_second_recording_is_refused(stage: Stage, tmp_path: Path) -> None:
    (tmp_path / "there").write_text("mine")
    terminal = stage.start("read x", tty=True)
    with pytest.raises(RequestError, match="cannot record"):
        terminal.record(str(tmp_path / "there"))
    terminal.record(str(tmp_path / "tape.cast"))
    with pytest.raises(RequestError, match="being recorded"):
        terminal.record(str(tmp_path / "another.cast"))
    assert (tmp_path / "there").read_text() == "mine"


def test_a_command_without_a_terminal_is_not_recorded(stage: Stage, tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="no terminal"):
        stage.start("exec sleep 1000").record(str(tmp_path / "tape.cast"))
