"""The record of who allowed what, and why."""

from __future__ import annotations

import json
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sandgate.approvals import journal
from sandgate.approvals.journal import BEFORE, CURRENT, DIRECTORY, DecisionJournal, entries
from sandgate.protocol.commands import CommandRequest
from sandgate.protocol.decisions import Attempt, Decision
from sandgate.protocol.denials import DenialReport
from sandgate.protocol.held_calls import PerformedCall
from sandgate.protocol.permissions import EffectivePermissions
from support.approval.reviewing import request_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sandgate.protocol.decisions import ApprovalRequest


def written(state: Path, *requests: ApprovalRequest, reason: str = "because") -> DecisionJournal:
    made = DecisionJournal(lambda: str(state))
    for request in requests:
        made.write(request, Decision(request.stage, "denied", "automated_reviewer", reason=reason))
    return made


def test_an_answer_is_written_with_its_question_and_reason(tmp_path: Path) -> None:
    written(tmp_path, request_for("git", "push", risk="high"))
    (line,) = entries(str(tmp_path))
    assert line["argv"] == ["git", "push"]
    assert (line["decision"], line["source"], line["reason"]) == ("denied", "automated_reviewer", "because")
    assert line["risk_level"] == "high"
    assert line["at"].endswith("+00:00")


def test_only_its_owner_can_read_it(tmp_path: Path) -> None:
    written(tmp_path, request_for("make"))
    assert stat.S_IMODE((tmp_path / DIRECTORY / CURRENT).stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / DIRECTORY).stat().st_mode) == 0o700


def test_secrets_are_not_in_it(tmp_path: Path) -> None:
    written(tmp_path, request_for("curl", "-u", "me:hunter2hunter2", "x"), reason="sends TOKEN=hunter2hunter2")
    assert "hunter2" not in (tmp_path / DIRECTORY / CURRENT).read_text()


def test_a_torn_line_hides_no_other(tmp_path: Path) -> None:
    written(tmp_path, request_for("one"))
    with (tmp_path / DIRECTORY / CURRENT).open("a") as file:
        file.write('{"argv": ["to\n')
    written(tmp_path, request_for("two"))
    assert [line["argv"] for line in entries(str(tmp_path))] == [["one"], ["two"]]


def test_a_full_file_gives_way_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "JOURNAL_BYTES_MAX", 600)
    written(tmp_path, *[request_for(f"command-{number}", call_id=str(number)) for number in range(6)])
    kept = [line["argv"][0] for line in entries(str(tmp_path))]
    assert kept[-1] == "command-5"
    assert (tmp_path / DIRECTORY / BEFORE).stat().st_size <= 600
    assert kept == sorted(kept)


def test_writers_at_the_same_moment_keep_whole_lines(tmp_path: Path) -> None:
    requests = [request_for("x" * 5000, call_id=str(number)) for number in range(40)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda request: written(tmp_path, request), requests))
    assert {line["call_id"] for line in entries(str(tmp_path))} == {str(number) for number in range(40)}


def test_it_is_never_written_through_a_link(tmp_path: Path) -> None:
    target = tmp_path / "elsewhere"
    target.write_text("mine")
    (tmp_path / DIRECTORY).mkdir(mode=0o700)
    os.symlink(target, tmp_path / DIRECTORY / CURRENT)
    with pytest.raises(OSError):  # noqa: PT011 - the kernel's own refusal
        written(tmp_path, request_for("make"))
    assert target.read_text() == "mine"


def test_bytes_that_are_no_text_are_written_all_the_same(tmp_path: Path) -> None:
    written(tmp_path, request_for("cat", os.fsdecode(b"\xff")))
    (line,) = entries(str(tmp_path))
    assert json.dumps(line)


def test_half_a_line_is_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, request_for("one"))
    before = (tmp_path / DIRECTORY / CURRENT).read_bytes()
    real, calls = os.write, []

    def full(descriptor: int, data: bytes) -> int:
        calls.append(data)
        if len(calls) > 1:
            raise OSError(28, "No space left on device")
        return real(descriptor, data[:10])

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="No space left"):
        written(tmp_path, request_for("two"))
    monkeypatch.undo()
    assert (tmp_path / DIRECTORY / CURRENT).read_bytes() == before


@pytest.mark.parametrize("words", [("x" * 5_000,) * 200, ("",) * 50_000, ("a",) * 50_000])
def test_a_long_command_takes_no_more_than_its_room(tmp_path: Path, words: tuple[str, ...]) -> None:
    """Required: a few hundred questions that nobody answers do not push out who allowed what before."""
    written(tmp_path, request_for("echo", *words))
    (line,) = entries(str(tmp_path))
    assert line["argv"][0] == "echo"
    assert line["argv"][-1].endswith(" more words)")
    assert (tmp_path / DIRECTORY / CURRENT).stat().st_size < 5 * journal.COMMAND_CHARS_MAX


RUN = Attempt(True, "namespace", (), None, DenialReport("not_denied"), "policy on-failure", EffectivePermissions())


def carried_out(state: Path, *calls: PerformedCall) -> list[Any]:
    command = CommandRequest(("mkdir", "d"), "/w", {})
    DecisionJournal(lambda: str(state)).write_performed("c1", command, RUN.but(performed=calls, performed_omitted=2))
    return list(entries(str(state)))


def test_what_was_carried_out_because_of_an_answer_has_a_line(tmp_path: Path) -> None:
    call = PerformedCall(1, "create", "/d", asked=True, allowed_by="approved by user (once)")
    (line,) = carried_out(tmp_path, *[call] * (journal.PERFORMED_MAX + 1))
    assert (line["stage"], line["call_id"], line["argv"]) == ("performed", "c1", ["mkdir", "d"])
    assert line["performed"][0]["allowed_by"] == "approved by user (once)"
    assert (len(line["performed"]), line["performed_omitted"]) == (journal.PERFORMED_MAX, 3)


def test_what_settings_alone_allow_is_no_decision(tmp_path: Path) -> None:
    assert carried_out(tmp_path, PerformedCall(0, "create", "/d")) == []
    assert not (tmp_path / DIRECTORY).exists()
