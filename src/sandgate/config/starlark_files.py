"""Rule files that compute: variables, loops, functions, f-strings.

Starlark has no files, no network and no clock, but its library neither stops a loop of 10^12 rounds nor refuses a
list of 10^9 places. So it runs in a child process of its own with limited memory and time, more than a rule file
should need, and what comes back is text that is read like any foreign text. Files of literal calls never get here.
"""

from __future__ import annotations

import os
import sys
from select import POLLIN, poll
from time import monotonic

from sandgate.errors import RuleError
from sandgate.policy.rules.entries import RULES_MAX
from sandgate.policy.rules.literal import CALL_NAMES, RuleCall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MEMORY_BYTES_MAX = 256 * 1024 * 1024  # of address space, the interpreter included
TIME_LIMIT_S = 2  # of the wall clock and, by itself, of processor time
ANSWER_BYTES_MAX = 4 * 1024 * 1024
READ_BYTES = 64 * 1024
WITHOUT = "write every rule out as a call with literals"
CHILD = "starlark_child"


def evaluated_calls(text: str, path: str, *, since: int = 0) -> tuple[RuleCall, ...]:
    """The calls a rule file makes, in order. `since`: the line from which on it is more than literal calls.

    Raises RuleError naming file, line where known, and cause.
    """
    try:
        answer, status = _asked(text)
    except OSError as wrong:
        raise _refused(path, since, f"no process can be started to evaluate it ({wrong.strerror})", WITHOUT) from wrong
    found = _read_back(answer)
    if found is None:
        raise _refused(path, 0, _end_of_child(status), f"make it simpler, or {WITHOUT}")
    if "missing" in found:
        why = "this is more than a call with literals, and the library that evaluates such files is missing"
        raise _refused(path, since, f"{why} ({found['missing']})", f"pip install 'sandgate[starlark]', or {WITHOUT}")
    if "error" in found:
        raise _refused(path, found.get("line", 0), str(found["error"]), "")
    try:
        return tuple([_call(*each) for each in found["calls"]])
    except (KeyError, TypeError, ValueError) as wrong:
        raise _refused(path, 0, "the process that evaluates it answered with something else", "") from wrong


def _asked(text: str) -> tuple[bytes, int | None]:
    """What the child says, and how it ended; None when its time was over."""
    deadline = monotonic() + TIME_LIMIT_S
    source = os.memfd_create("rules")
    reader, writer = os.pipe()
    try:
        os.write(source, text.encode())
        os.lseek(source, 0, os.SEEK_SET)
        child = os.posix_spawn(
            sys.executable,
            [sys.executable, "-I", "-S", os.path.join(os.path.dirname(__file__), f"{CHILD}.py"), _limits()],
            {},
            file_actions=[
                (os.POSIX_SPAWN_DUP2, source, 0),
                (os.POSIX_SPAWN_DUP2, writer, 1),
                (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
            ],
        )
        os.close(writer)
        writer = -1
        return _followed(child, reader, deadline)
    finally:
        for descriptor in (source, reader, writer):
            if descriptor >= 0:
                os.close(descriptor)


def _limits() -> str:
    import json

    return json.dumps(
        {
            # Never a directory that depends on where we stand.
            "import_path": [entry for entry in sys.path if entry[:1] == "/"],
            "memory_bytes": MEMORY_BYTES_MAX,
            "processor_s": TIME_LIMIT_S,
            "rules": RULES_MAX,
            "answer_bytes": ANSWER_BYTES_MAX,
        }
    )


def _followed(child: int, reader: int, deadline: float) -> tuple[bytes, int | None]:
    """Reads the child's answer until its end, and sees to that end."""
    life = -1
    answer = b""
    try:
        life = os.pidfd_open(child)
        while len(answer) <= ANSWER_BYTES_MAX and _ready(reader, deadline):
            more = os.read(reader, READ_BYTES)
            if not more:
                break
            answer += more
        over = _ready(life, deadline)
    finally:
        if life >= 0:
            os.close(life)
        _kill(child)
        _, status = os.waitpid(child, 0)
    return answer, os.waitstatus_to_exitcode(status) if over else None


def _ready(descriptor: int, deadline: float) -> bool:
    waiting = poll()
    waiting.register(descriptor, POLLIN)
    return bool(waiting.poll(max(0, (deadline - monotonic()) * 1000)))


def _kill(child: int) -> None:
    """It is not yet waited for, so the number is still its own."""
    from signal import SIGKILL

    os.kill(child, SIGKILL)


def _read_back(answer: bytes) -> dict[str, Any] | None:
    import json

    if len(answer) > ANSWER_BYTES_MAX:
        return None
    try:
        found = json.loads(answer)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _call(name: object, positional: object, named: object, line: object) -> RuleCall:
    if name not in CALL_NAMES or not isinstance(positional, list) or not isinstance(named, dict):
        raise ValueError(name)
    return RuleCall(str(name), tuple(positional), named, line if isinstance(line, int) else 0)


def _end_of_child(status: int | None) -> str:
    from signal import SIGKILL, SIGXCPU

    if status is None or -status in (SIGKILL, SIGXCPU):
        return f"evaluating it takes longer than {TIME_LIMIT_S} s"
    return f"evaluating it takes more than {MEMORY_BYTES_MAX >> 20} MiB of memory, or it is nested too deeply"


def _refused(path: str, line: object, why: str, hint: str) -> RuleError:
    where = f"{path}:{line}" if line else path
    return RuleError(f"cannot use the rules in {where}", why=why, hint=hint)
