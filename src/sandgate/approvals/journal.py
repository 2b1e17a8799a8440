"""Who allowed what, and why: every answer to a question, one JSON object a line, in a file that is only appended to.

What was carried out for a run because of such answers has a line of its own, whose stage is "performed".

The file lies where no confined command sees it. Secrets are taken out of what is written. When it is full it gives way
to a new one and is kept once; nothing else ever removes a line.
"""

from __future__ import annotations

import fcntl
import json
import os
from datetime import UTC, datetime

from sandgate.approvals.overrides import action_digest
from sandgate.approvals.private_files import FILE_MODE, made_directory
from sandgate.commandline.redaction import redacted, redacted_argv
from sandgate.protocol.wire import decided_risk_json, grants_json, plain, sendable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from sandgate.protocol.commands import CommandRequest
    from sandgate.protocol.decisions import ApprovalRequest, Attempt, Decision

    Json = dict[str, Any]

DIRECTORY = "decisions"
CURRENT, BEFORE = "decisions.jsonl", "decisions.1.jsonl"
JOURNAL_BYTES_MAX = 16 * 1024 * 1024  # of one file; two are kept
ARGUMENT_CHARS_MAX = 2_000  # of one word of a command
COMMAND_CHARS_MAX = 16_000  # of all its words: many long questions must not push older lines out
PERFORMED_MAX = 64  # calls of one run that are written down; further ones are counted
FILES_MAX = 64  # of one patch, and as many that a command executes


class DecisionJournal:
    """Writes down what was decided. `state` makes the state directory and names it."""

    def __init__(self, state: Callable[[], str]) -> None:
        self._state = state

    def write(self, request: ApprovalRequest, decision: Decision) -> None:
        """For good, when it returns. Raises SandgateError or OSError when the answer cannot be written down."""
        self._append(_line(request, decision))

    def write_performed(self, call_id: str, command: CommandRequest, attempt: Attempt) -> None:
        """What was carried out for a run because of answers; nothing where settings alone allowed it."""
        if any(call.allowed_by for call in attempt.performed):
            self._append(_performed_line(call_id, command, attempt))

    def _append(self, line: Json) -> None:
        data = json.dumps(sendable(line), ensure_ascii=True).encode() + b"\n"
        directory = made_directory(os.path.join(self._state(), DIRECTORY))
        try:
            fcntl.flock(directory, fcntl.LOCK_EX)
            _make_room(directory, len(data))
            descriptor = os.open(
                CURRENT, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, FILE_MODE,
                dir_fd=directory,
            )  # fmt: skip
            try:
                _write_whole(descriptor, data)
            finally:
                os.close(descriptor)
        finally:
            os.close(directory)


def entries(state: str) -> Iterator[Json]:
    """Everything that was written down, oldest first. A torn line is passed over."""
    for name in (BEFORE, CURRENT):
        path = os.path.join(state, DIRECTORY, name)
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:
            continue
        with open(descriptor, encoding="utf-8", errors="replace") as file:
            for line in file:
                found = _as_object(line)
                if found is not None:
                    yield found


def _write_whole(descriptor: int, data: bytes) -> None:
    """All of it to the disk, or nothing: half a line would spoil the next one."""
    before = os.fstat(descriptor).st_size
    try:
        while data:
            data = data[os.write(descriptor, data) :]
        os.fsync(descriptor)
    except OSError:
        os.ftruncate(descriptor, before)
        raise


def _make_room(directory: int, size: int) -> None:
    try:
        found = os.stat(CURRENT, dir_fd=directory, follow_symlinks=False).st_size
    except FileNotFoundError:
        return
    if found + size > JOURNAL_BYTES_MAX:
        os.replace(CURRENT, BEFORE, src_dir_fd=directory, dst_dir_fd=directory)


def _line(request: ApprovalRequest, decision: Decision) -> Json:
    command = request.command
    return {
        "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "action": action_digest(request),
        "request_id": request.request_id,
        "call_id": request.call_id,
        "stage": request.stage,
        "argv": _bounded(redacted_argv(command.argv)),
        "cwd": command.cwd,
        "files": [change.path for change in request.changes[:FILES_MAX]],
        "asked_because": redacted(request.reason),
        **decided_risk_json(request, decision),
        "decision": decision.decision,
        "source": decision.source,
        "reason": redacted(decision.reason),
        "grants": grants_json(decision.grants),
        "rule": plain(decision.amendment),
        "executed": _executed(request),
        "changing": decision.changing,
    }


def _performed_line(call_id: str, command: CommandRequest, attempt: Attempt) -> Json:
    kept = attempt.performed[:PERFORMED_MAX]
    return {
        "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "call_id": call_id,
        "stage": "performed",
        "argv": _bounded(redacted_argv(command.argv)),
        "cwd": command.cwd,
        "performed": plain(kept),
        "performed_omitted": attempt.performed_omitted + len(attempt.performed) - len(kept),
    }


def _executed(request: ApprovalRequest) -> Json:
    """The files that were to be executed, and what they held."""
    places = () if request.binding is None else request.binding.places
    return {
        seen.path: seen.state for seen in [each for each in places if each.kind == "file" and each.is_ours][:FILES_MAX]
    }


def _bounded(words: tuple[str, ...]) -> list[str]:
    """The words, as many as there is room for, and how many more there were."""
    kept: list[str] = []
    room = COMMAND_CHARS_MAX
    for word in words:
        kept.append(word[: min(ARGUMENT_CHARS_MAX, room)])
        room -= len(kept[-1]) + 1
        if room <= 0 and len(kept) < len(words):
            return [*kept, f"({len(words) - len(kept)} more words)"]
    return kept


def _as_object(line: str) -> Json | None:
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
