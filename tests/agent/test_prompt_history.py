"""What the person typed comes back in later sessions: whole, in order, and to nobody else."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from sandgate.agent import prompt_history
from sandgate.agent.prompt_history import PromptHistory
from sandgate.config.paths import state_directory
from sandgate.errors import RequestError, StorageError
from sandgate.protocol.events import Failed, HistoryEntry, HistoryEntryResponse, ShutdownComplete
from sandgate.protocol.operations import AddToHistory, GetHistoryEntry, Shutdown
from support.agent.agent_places import AgentPlace, calls, command, said, until
from support.model.responses_server import ResponsesServer, says
from support.process.loops import run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path)}


def history(environ: dict[str, str], **settings: Any) -> PromptHistory:
    return PromptHistory(environ, {f"history.{name}": value for name, value in settings.items()})


def path_of(environ: dict[str, str]) -> str:
    return os.path.join(str(state_directory(environ)), prompt_history.NAME)


def texts(kept: PromptHistory) -> list[str]:
    """Everything, looked up one by one."""
    log_id, count = kept.standing()
    assert log_id is not None
    assert count is not None
    entries = [kept.entry(log_id, offset) for offset in range(count)]
    return [entry.text for entry in entries if entry is not None]


def test_what_was_typed_comes_back_in_order(environ: dict[str, str]) -> None:
    kept = history(environ)
    assert kept.standing() == (0, 0)
    for text in ("one", "two\nlines", 'ü "quoted" \ud800'):
        kept.add(text, "s")
    assert texts(history(environ)) == ["one", "two\nlines", 'ü "quoted" \ud800']
    assert os.stat(path_of(environ)).st_mode & 0o777 == 0o600


def test_another_place_or_another_file_has_nothing(environ: dict[str, str]) -> None:
    kept = history(environ)
    kept.add("one", "s")
    log_id, _count = kept.standing()
    assert log_id is not None
    assert [kept.entry(log_id, 1), kept.entry(log_id, -1), kept.entry(log_id + 1, 0)] == [None] * 3


def test_a_damaged_line_is_no_entry_and_those_beside_it_are(environ: dict[str, str]) -> None:
    kept = history(environ)
    kept.add("one", "s")
    with open(path_of(environ), "a") as file:
        file.write('{"half\n[]\n{"session_id": 1}\n')
    kept.add("two", "s")
    assert texts(kept) == ["one", "two"]


def test_the_oldest_goes_first_and_its_place_is_not_given_to_another(environ: dict[str, str]) -> None:
    """Required: a client that noted where an entry stood must not get another one for it."""
    kept = history(environ, max_bytes=1024)
    kept.add("0", "s")
    log_id, _count = kept.standing()
    assert log_id is not None
    for number in range(1, 100):
        kept.add(str(number), "s")
    left = texts(kept)
    assert left == [str(number) for number in range(100 - len(left), 100)]
    assert os.path.getsize(path_of(environ)) <= 1024
    assert kept.entry(log_id, 0) is None


def test_nothing_is_kept_where_the_person_says_so(environ: dict[str, str]) -> None:
    history(environ, persistence="none").add("secret", "s")
    history(environ).add("  \n", "s")
    assert not os.path.exists(path_of(environ))


def test_what_is_too_long_is_refused(environ: dict[str, str]) -> None:
    with pytest.raises(RequestError, match="too long"):
        history(environ).add("x" * (prompt_history.TEXT_CHARS_MAX + 1), "s")


@pytest.mark.parametrize("how", ["link", "others", "directory"])
def test_a_file_that_is_not_ours_alone_is_not_believed(environ: dict[str, str], tmp_path: Path, how: str) -> None:
    kept = history(environ)
    kept.add("one", "s")
    path = path_of(environ)
    if how == "others":
        os.chmod(path, 0o644)
    else:
        os.rename(path, tmp_path / "elsewhere")
        os.symlink(tmp_path / "elsewhere", path) if how == "link" else os.mkdir(path)
    assert kept.standing() == (None, None)
    with pytest.raises(StorageError):
        kept.add("two", "s")


def test_a_file_that_another_process_holds_is_waited_for_so_long(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prompt_history, "LOCK_WAIT_S", 0)
    kept = history(environ)
    kept.add("one", "s")
    with open(path_of(environ)) as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(StorageError, match="cannot add"):
            kept.add("two", "s")
    kept.add("three", "s")
    assert texts(kept) == ["one", "three"]


def test_processes_that_add_and_cut_at_once_break_no_line(environ: dict[str, str]) -> None:
    """Required: whatever is there is whole, and the last ones of each are in order."""
    script = (
        "import sys; from sandgate.agent.prompt_history import PromptHistory\n"
        "kept = PromptHistory({'HOME': sys.argv[1]}, {'history.max_bytes': 4096})\n"
        "for number in range(100): kept.add(f'{sys.argv[2]} {number}', 's')\n"
    )
    writers = [
        subprocess.Popen([sys.executable, "-c", script, environ["HOME"], name], env={**os.environ}) for name in "abc"
    ]
    assert [writer.wait(60) for writer in writers] == [0, 0, 0]
    kept = history(environ)
    found = texts(kept)
    assert len(found) == kept.standing()[1]
    for name in "abc":
        numbers = [int(text.split()[1]) for text in found if text.startswith(name)]
        assert numbers == sorted(set(numbers))


@pytest.mark.host("namespace", "notify")
def test_a_session_keeps_and_finds_it_and_a_command_cannot_see_it(tmp_path: Path) -> None:
    """Required: the next session says what there is; a confined command does not read what was typed before."""

    async def work() -> None:
        with ResponsesServer(says("hello")) as server:
            place = AgentPlace(tmp_path / "place", server.url)
            async with place.opened() as agent:
                agent.submit(AddToHistory("run the tests"))
                agent.submit(Shutdown())
                await until(agent, ShutdownComplete)
        path = path_of(place.env)
        reads = calls(command(f"cat {path}", login=False))
        with ResponsesServer(reads, says("done")) as server:
            place.url = server.url
            async with place.opened() as agent:
                log_id, count = agent.configured.history_log_id, agent.configured.history_entry_count
                assert (bool(log_id), count) == (True, 1)
                asked = agent.submit(GetHistoryEntry(0, log_id or 0))
                (*_before, answer) = await until(agent, HistoryEntryResponse, Failed, of=asked)
                assert isinstance(answer, HistoryEntryResponse)
                assert isinstance(answer.entry, HistoryEntry)
                assert answer.entry.text == "run the tests"
                await said(agent, "go")
                assert "run the tests" not in str(server.asked[-1].body)
                with open(path) as file:
                    assert "run the tests" in file.read()

    run(work())
